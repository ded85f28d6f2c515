//! Similar documents in a network. The instance that has the document sends its vectors; then each
//! searches its scope, and the results are merged.

use std::time::Duration;

use engine::search::{SimilarAnswer, SimilarCounts, SimilarPart, SimilarRequest};
use network::ShardScope;
use search::exact::Exact;
use search::federation::{Candidate, SortKey, merge_answers};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::RemoteSearcher;
use super::ask::parse;
use super::fan_out::{FanOut, PendingAnswers};
use super::wire_query::members;

/// Answer of a remote to a search for similar documents.
#[derive(Debug, Deserialize)]
pub struct RemoteSimilar {
    hits: Vec<Box<RawValue>>,
    order: Vec<(Exact<f32>, u32)>,
    candidates: u64,
    enough: u64,
    target: Option<Vec<Vec<Exact<f32>>>>,
}

impl RemoteSimilar {
    /// Returns the vectors of the document, if the remote has it.
    pub fn target(&self) -> Option<Vec<Vec<f32>>> {
        let vector = |vector: &Vec<Exact<f32>>| vector.iter().map(|number| number.0).collect();
        self.target.as_ref().map(|vectors| vectors.iter().map(vector).collect())
    }
}

impl RemoteSearcher {
    /// Sends the search to the others: near these vectors, or, without any, for those of the
    /// document.
    pub fn ask_similar(
        &self,
        fan_out: &FanOut,
        uid: &str,
        request: &SimilarRequest,
        vectors: Option<&[Vec<f32>]>,
    ) -> PendingAnswers<RemoteSimilar> {
        let part = match vectors {
            Some(_) => request.of_part(),
            None => SimilarRequest { offset: 0, limit: 0, ..request.clone() },
        };
        let body = |scope: &ShardScope| {
            let mut body = wire(&part);
            // This instance reports an invalid filter, once the document is found.
            let filter = request.filter.clone().filter(|_| vectors.is_some());
            body.insert("filter".to_owned(), json!(scope.narrowed(filter)));
            body.insert("targetVectors".to_owned(), json!(vectors));
            body.insert("rule".to_owned(), json!(request.rule));
            body.into()
        };
        self.ask_others(fan_out, (uid, &request.foreign), "similar", body, read)
    }
}

fn wire(request: &SimilarRequest) -> Map<String, Value> {
    let mut body = members(&request.view);
    body.insert("id".to_owned(), json!(request.id));
    body.insert("embedder".to_owned(), json!(request.embedder));
    body.insert("offset".to_owned(), json!(request.offset));
    body.insert("limit".to_owned(), json!(request.limit));
    body.insert("rankingScoreThreshold".to_owned(), json!(request.threshold));
    body
}

fn read(body: &[u8]) -> Result<RemoteSimilar, String> {
    let found: RemoteSimilar = parse(body)?;
    if found.hits.len() != found.order.len() {
        return Err("there are not as many sort values as documents".to_owned());
    }
    Ok(found)
}

/// Merges the answers.
pub fn merge_similar(
    request: &SimilarRequest,
    own: SimilarPart,
    remotes: Vec<RemoteSimilar>,
    elapsed: Duration,
) -> SimilarAnswer {
    let SimilarPart { hits, order, mut counts, max_total_hits, stages, .. } = own;
    // JSON that this instance wrote is valid.
    let hits: Vec<Box<RawValue>> = serde_json::from_str(&hits).unwrap_or_default();
    let mut lists = vec![candidates(hits, order)];
    for remote in remotes {
        counts += SimilarCounts { candidates: remote.candidates, enough: remote.enough };
        let order = remote.order.into_iter().map(|(nearness, number)| (nearness.0, number));
        lists.push(candidates(remote.hits, order));
    }
    let end = request.of_part().limit;
    let merged = merge_answers(lists, end).hits.into_iter().skip(request.offset);
    let shown: Vec<String> = merged.map(|candidate| candidate.hit).collect();
    SimilarAnswer {
        hits: format!("[{}]", shown.join(",")),
        total: request.total(counts).min(max_total_hits),
        elapsed,
        stages,
    }
}

fn candidates(
    hits: Vec<Box<RawValue>>,
    order: impl IntoIterator<Item = (f32, u32)>,
) -> Vec<Candidate<String>> {
    let candidate = |(hit, (nearness, number)): (Box<RawValue>, (f32, u32))| Candidate {
        parts: vec![SortKey::Rank(f64::from(nearness))],
        score: f64::from(nearness),
        query: 0,
        number: u64::from(number),
        pin: None,
        distinct: Vec::new(),
        hit: hit.get().to_owned(),
    };
    hits.into_iter().zip(order).map(candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::search::Stages;

    fn part(order: &[(f32, u32)], candidates: u64) -> SimilarPart {
        let hits: Vec<String> = order.iter().map(|(_, id)| format!("{{\"id\":{id}}}")).collect();
        SimilarPart {
            hits: format!("[{}]", hits.join(",")),
            order: order.to_vec(),
            counts: SimilarCounts { candidates, enough: order.len() as u64 },
            target: None,
            max_total_hits: 1000,
            stages: Stages::default(),
        }
    }

    fn remote(order: &[(f32, u32)], candidates: u64) -> RemoteSimilar {
        let SimilarPart { hits, order, counts, .. } = part(order, candidates);
        let body = format!(
            "{{\"hits\":{hits},\"order\":{},\"candidates\":{candidates},\"enough\":{},\"target\":null}}",
            json!(order),
            counts.enough
        );
        read(body.as_bytes()).unwrap()
    }

    #[test]
    fn the_nearest_comes_first_and_then_the_lower_number() {
        let own = || part(&[(0.9, 4), (0.5, 5)], 3);
        let others = || vec![remote(&[(0.9, 1), (0.6, 7)], 4), remote(&[], 2)];
        let merged =
            |request: &SimilarRequest| merge_similar(request, own(), others(), Duration::ZERO);
        let mut request = SimilarRequest { limit: 20, ..SimilarRequest::default() };
        let answer = merged(&request);
        assert_eq!(answer.hits, r#"[{"id":1},{"id":4},{"id":7},{"id":5}]"#);
        assert_eq!(answer.total, 9);
        (request.offset, request.limit) = (1, 2);
        assert_eq!(merged(&request).hits, r#"[{"id":4},{"id":7}]"#);
        // Below the threshold nothing counts, if the window is not full before.
        request.threshold = Some(0.4);
        assert_eq!(merged(&request).total, 9);
        request.limit = 20;
        assert_eq!(merged(&request).total, 4);
    }

    #[test]
    fn each_hit_must_have_its_place() {
        assert!(read(br#"{"hits":[{}],"order":[],"candidates":1,"enough":1}"#).is_err());
        assert!(read(b"{}").is_err());
    }
}
