//! Asking each query once, of a process that has answered none before, and what each one costs.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::measure::{self, Latencies};
use crate::mix::{Kind, MixedQuery};
use crate::searching::{Asked, Query};

/// How many of the slowest queries are kept.
const SLOWEST: usize = 10;

/// What queries cost that were asked once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Once {
    /// Processor time of the process that answers, all its threads.
    pub cpu_ms_each: f64,
    /// Of the queries that the peer can be asked too.
    pub cpu_ms_each_of_both: f64,
    pub latencies: Latencies,
    pub with_matches: usize,
    pub by_kind: BTreeMap<Kind, OfKind>,
    pub slowest: Vec<Slow>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OfKind {
    pub cpu_ms_each: f64,
    pub latencies: Latencies,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Slow {
    pub kind: Kind,
    pub query: String,
    pub matches: u64,
    pub ms: f64,
    pub cpu_ms: f64,
}

struct Answered<'q> {
    query: &'q MixedQuery,
    time: Duration,
    cpu: Duration,
    matches: u64,
}

pub fn ask_once(
    pid: u32,
    queries: &[MixedQuery],
    mut ask: impl FnMut(&MixedQuery) -> Result<Asked>,
) -> Result<Once> {
    let mut answered = Vec::with_capacity(queries.len());
    let mut before = measure::cpu_of_threads(pid)?;
    for query in queries {
        let Asked { time, matches } = ask(query)?;
        let after = measure::cpu_of_threads(pid)?;
        answered.push(Answered { query, time, cpu: after.saturating_sub(before), matches });
        before = after;
    }
    Once::of(&answered)
}

impl Once {
    fn of(answered: &[Answered<'_>]) -> Result<Self> {
        let all: Vec<&Answered<'_>> = answered.iter().collect();
        let of_both = all.iter().copied().filter(|one| one.query.kind.peer_can_answer());
        let mut kinds: BTreeMap<Kind, Vec<&Answered<'_>>> = BTreeMap::new();
        for one in answered {
            kinds.entry(one.query.kind).or_default().push(one);
        }
        let by_kind = kinds.into_iter().map(|(kind, answered)| {
            let latencies = latencies(&answered)?;
            Ok((kind, OfKind { cpu_ms_each: cpu_ms_each(&answered), latencies }))
        });
        let mut slowest: Vec<Slow> = answered.iter().map(Slow::of).collect();
        slowest.sort_by(|a, b| b.ms.total_cmp(&a.ms));
        slowest.truncate(SLOWEST);
        Ok(Self {
            cpu_ms_each: cpu_ms_each(&all),
            cpu_ms_each_of_both: cpu_ms_each(&of_both.collect::<Vec<_>>()),
            latencies: latencies(&all)?,
            with_matches: answered.iter().filter(|one| one.matches > 0).count(),
            by_kind: by_kind.collect::<Result<_>>()?,
            slowest,
        })
    }
}

impl Slow {
    fn of(one: &Answered<'_>) -> Self {
        Self {
            kind: one.query.kind,
            query: one.query.text(),
            matches: one.matches,
            ms: one.time.as_secs_f64() * 1e3,
            cpu_ms: one.cpu.as_secs_f64() * 1e3,
        }
    }
}

fn latencies(answered: &[&Answered<'_>]) -> Result<Latencies> {
    let times: Vec<Duration> = answered.iter().map(|one| one.time).collect();
    Latencies::of(&times).context("nothing asked")
}

fn cpu_ms_each(answered: &[&Answered<'_>]) -> f64 {
    let total: Duration = answered.iter().map(|one| one.cpu).sum();
    total.as_secs_f64() * 1e3 / answered.len().max(1) as f64
}
