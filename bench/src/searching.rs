//! Asking many queries, round after round, and what that costs: the same for a peer, in its own
//! process, and for the server, over HTTP.

use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::http::Client;
use crate::measure::{self, Latencies, median};
use crate::queries::TypedQuery;

/// Hits asked for.
pub const LIMIT: usize = 20;
/// How many of the slowest queries are kept.
const SLOWEST: usize = 10;

/// Something to ask, as the list of the slowest names it.
pub trait Query {
    fn text(&self) -> String;

    fn has_typo(&self) -> bool {
        false
    }
}

/// The answer to one query.
pub struct Asked {
    pub time: Duration,
    /// All that match, as far as the side counts them.
    pub matches: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Searching {
    /// Processor time of the process that answers, all its threads.
    pub cpu_ms_each: f64,
    /// Over every answer of every round.
    pub latencies: Latencies,
    /// The slowest query, each query by the median of its rounds: what the query costs rather
    /// than what happened to the machine meanwhile.
    pub slowest_query_ms: f64,
    pub with_matches: usize,
    /// Of all queries together.
    pub matches: u64,
    pub queries: usize,
    pub rounds: usize,
    pub slowest: Vec<SlowQuery>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SlowQuery {
    pub text: String,
    pub typo: bool,
    pub matches: u64,
    pub median_ms: f64,
    pub max_ms: f64,
}

/// One round to warm up, then `rounds` that count.
pub fn ask_all<Q: Query>(
    pid: u32,
    queries: &[Q],
    rounds: usize,
    mut ask: impl FnMut(&Q) -> Result<Asked>,
) -> Result<Searching> {
    let mut matches = Vec::with_capacity(queries.len());
    for query in queries {
        matches.push(ask(query)?.matches);
    }
    let mut times = vec![Vec::with_capacity(rounds); queries.len()];
    let cpu_before = measure::cpu_s(pid)?;
    for _ in 0..rounds {
        for (query, times) in queries.iter().zip(&mut times) {
            times.push(ask(query)?.time);
        }
    }
    let cpu_s = measure::cpu_s(pid)? - cpu_before;

    let ms = |time: &Duration| time.as_secs_f64() * 1e3;
    let mut slowest: Vec<_> = queries
        .iter()
        .zip(&times)
        .zip(&matches)
        .map(|((query, times), matches)| SlowQuery {
            text: query.text(),
            typo: query.has_typo(),
            matches: *matches,
            median_ms: median(times.iter().map(ms)),
            max_ms: times.iter().map(ms).fold(0.0, f64::max),
        })
        .collect();
    slowest.sort_by(|a, b| b.median_ms.total_cmp(&a.median_ms));
    slowest.truncate(SLOWEST);
    Ok(Searching {
        cpu_ms_each: cpu_s * 1e3 / (queries.len() * rounds) as f64,
        latencies: Latencies::of(&times.concat()).context("nothing asked")?,
        slowest_query_ms: slowest.first().context("nothing asked")?.median_ms,
        with_matches: matches.iter().filter(|matches| **matches > 0).count(),
        matches: matches.iter().sum(),
        queries: queries.len(),
        rounds,
        slowest,
    })
}

/// One query to the server, from the request until the whole answer is there.
pub fn ask_server(client: &mut Client, index: &str, query: &TypedQuery) -> Result<Asked> {
    let (answer, time) = client.search(index, &json!({ "q": query.text(), "limit": LIMIT }))?;
    let matches = answer["estimatedTotalHits"].as_u64().context("no estimatedTotalHits")?;
    Ok(Asked { time, matches })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_slowest_by_their_median() {
        let queries: Vec<_> = ["a", "b", "c"]
            .map(|word| TypedQuery { words: vec![word.to_owned()], unfinished: true, typo: false })
            .into();
        let mut asked = 0;
        let searching = ask_all(std::process::id(), &queries, 3, |query| {
            asked += 1;
            // "a" is slow once, "b" always.
            let ms = match query.words[0].as_str() {
                "a" if asked == 4 => 90,
                "b" => 50,
                _ => 1,
            };
            Ok(Asked { time: Duration::from_millis(ms), matches: u64::from(ms == 50) })
        })
        .unwrap();
        assert_eq!(asked, 12);
        assert_eq!(searching.slowest_query_ms, 50.0);
        assert_eq!(searching.slowest[0].text, "b");
        assert_eq!(searching.latencies.max_ms, 90.0);
        assert_eq!(searching.with_matches, 1);
    }
}
