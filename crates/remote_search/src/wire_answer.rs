//! Answer of a remote to a federated search. It is untrusted input.

use std::collections::{BTreeMap, HashMap};

use engine::search::{
    FederatedRequest, FederationMember, FoundHit, HybridSides, IndexFacets, PartialAnswer,
    RawMembers, RerankReport,
};
use search::exact::Exact;
use search::facets::Facets;
use search::federation::{Candidate, Contenders};
use search::{Correction, Pin};
use serde::{Deserialize, Serialize};
use serde_json::value::to_raw_value;

use super::ask::parse;
use super::wire_facets::WireShown;

const FEDERATION: &str = "_federation";

/// Queries sent to a remote, by which its answer is read.
#[derive(Debug, Clone)]
pub(crate) struct SentQueries {
    remote: String,
    /// Position and index of each query, in the order in which they were sent.
    queries: Vec<(usize, String)>,
    /// Their places in the client's request.
    places: Vec<usize>,
    /// Number of hits requested.
    end: usize,
    distinct: Option<String>,
}

/// A remote's answer, checked.
#[derive(Debug)]
pub struct RemoteAnswer {
    pub(super) found: PartialAnswer,
    /// Primary keys by place of the query, where the remote sent them.
    pub(super) primary_keys: HashMap<usize, String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireAnswer {
    hits: Vec<RawMembers>,
    estimated_total_hits: Option<u64>,
    total_hits: Option<u64>,
    #[serde(default)]
    facets_by_index: BTreeMap<String, WireFacets>,
    #[serde(default)]
    query_vectors: BTreeMap<usize, Vec<Exact<f32>>>,
    semantic_hit_count: Option<u64>,
    #[serde(default)]
    metadata: Vec<WireMetadata>,
    contenders: Option<BTreeMap<String, Contenders>>,
    #[serde(default)]
    hybrid_sides: Vec<HybridSides>,
    #[serde(default)]
    corrections: BTreeMap<usize, WireCorrection>,
    rerank: Option<WireRerank>,
}

/// Wire form of a rerank report.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WireRerank {
    reranker: String,
    reranked: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    has_failed: bool,
}

impl From<&RerankReport> for WireRerank {
    fn from(RerankReport { reranker, reranked, reason, has_failed }: &RerankReport) -> Self {
        let (reranker, reason) = (reranker.clone(), reason.clone());
        Self { reranker, reranked: *reranked, reason, has_failed: *has_failed }
    }
}

impl From<WireRerank> for RerankReport {
    fn from(WireRerank { reranker, reranked, reason, has_failed }: WireRerank) -> Self {
        Self { reranker, reranked, reason, has_failed }
    }
}

/// Wire form of a correction, with the counts to sum up.
#[derive(Debug, Serialize, Deserialize)]
pub struct WireCorrection {
    text: Option<String>,
    found: u64,
    typed: u64,
}

impl From<&Correction> for WireCorrection {
    fn from(Correction { text, found, typed }: &Correction) -> Self {
        Self { text: text.clone(), found: *found, typed: *typed }
    }
}

impl From<WireCorrection> for Correction {
    fn from(WireCorrection { text, found, typed }: WireCorrection) -> Self {
        Self { text, found, typed }
    }
}

#[derive(Debug, Deserialize)]
struct WireFacets {
    distribution: BTreeMap<String, BTreeMap<String, u64>>,
    stats: BTreeMap<String, WireStats>,
    shown: BTreeMap<String, WireShown>,
}

#[derive(Debug, Deserialize)]
struct WireStats {
    min: Exact<f64>,
    max: Exact<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireMetadata {
    primary_key: Option<String>,
}

impl SentQueries {
    pub fn new(remote: &str, request: &FederatedRequest, places: &[usize]) -> Self {
        let sent = |&place: &usize| {
            let uid = request.queries.get(place).map(|query| query.index_uid.clone());
            (request.position(place), uid.unwrap_or_default())
        };
        Self {
            remote: remote.to_owned(),
            queries: places.iter().map(sent).collect(),
            places: places.to_vec(),
            end: request.depth(),
            distinct: request.distinct.clone(),
        }
    }

    pub fn read(&self, body: &[u8]) -> Result<RemoteAnswer, String> {
        let wire: WireAnswer = parse(body)?;
        let total = wire.total_hits.or(wire.estimated_total_hits).ok_or("it has no total")?;
        let hits = wire.hits.into_iter().take(self.end).map(|hit| self.candidate(hit));
        let metadata = self.places.iter().zip(wire.metadata);
        let primary_keys =
            metadata.filter_map(|(&place, metadata)| Some((place, metadata.primary_key?)));
        let is_asked = |position: &usize| self.queries.iter().any(|query| query.0 == *position);
        let found = PartialAnswer {
            remote: Some(self.remote.clone()),
            hits: hits.collect::<Result<_, _>>()?,
            total,
            facets: wire
                .facets_by_index
                .into_iter()
                .map(|(uid, wire)| (uid, wire.read()))
                .collect(),
            query_vectors: wire
                .query_vectors
                .into_iter()
                .filter(|(position, _)| is_asked(position))
                .map(|(position, vector)| (position, vector.iter().map(|it| it.0).collect()))
                .collect(),
            is_semantic: wire.semantic_hit_count.is_some(),
            degraded: false,
            contenders: wire.contenders,
            sides: wire.hybrid_sides,
            corrections: wire
                .corrections
                .into_iter()
                .filter(|(position, _)| is_asked(position))
                .map(|(position, wire)| (position, wire.into()))
                .collect(),
            rerank: wire.rerank.map(RerankReport::from),
        };
        Ok(RemoteAnswer { found, primary_keys: primary_keys.collect() })
    }

    /// Reads a hit and the values it is compared by; formats it if it comes far enough to be shown.
    fn candidate(&self, hit: RawMembers) -> Result<Candidate<FoundHit>, String> {
        let member = hit.0.iter().rfind(|(name, _)| name == FEDERATION);
        let (_, member) = member.ok_or("a hit does not contain its origin")?;
        let mut member: FederationMember =
            serde_json::from_str(member.get()).map_err(|error| error.to_string())?;
        let query = (member.queries_position, std::mem::take(&mut member.index_uid));
        if !self.queries.contains(&query) {
            return Err("a hit is of a query that was not asked".to_owned());
        }
        member.index_uid = query.1;
        let parts = member.weighted_score_values.take();
        let mut values = member.extra_document.take().unwrap_or_default();
        let attribute = self.distinct.as_ref();
        let distinct = attribute.and_then(|attribute| values.remove(attribute)).unwrap_or_default();
        let precedence = member.pin_precedence.take().unwrap_or(u64::MAX);
        let pin = member.pinned_position.take();
        let is_semantic = member.is_semantic.take().unwrap_or(false);
        let rerank_score = member.rerank_score.take().filter(|score| score.is_finite());
        let number = member.document_number.take().unwrap_or_default();
        member.remote = Some(self.remote.clone());
        Ok(Candidate {
            parts: parts.ok_or("a hit does not contain its sort values")?,
            score: member.weighted_ranking_score,
            query: member.queries_position,
            number,
            pin: pin.map(|position| Pin { doc_id: 0, position, precedence }),
            distinct,
            hit: FoundHit::Remote {
                json: shown(hit, &member)?,
                is_semantic,
                rerank_score,
                remote: self.remote.clone(),
                index_uid: member.index_uid,
            },
        })
    }
}

impl WireFacets {
    fn read(self) -> IndexFacets {
        let counted = |(name, values): (String, BTreeMap<String, u64>)| {
            (name, values.into_iter().collect::<Vec<_>>())
        };
        let stats = |(name, stats): (String, WireStats)| (name, (stats.min.0, stats.max.0));
        let facets = Facets {
            distribution: self.distribution.into_iter().map(counted).collect(),
            stats: self.stats.into_iter().map(stats).collect(),
        };
        let shown = self.shown.into_iter().map(|(name, shown)| (name, shown.into()));
        IndexFacets { facets, shown: shown.collect() }
    }
}

/// Replaces the `_federation` of a hit, in its place.
fn shown(mut hit: RawMembers, member: &FederationMember) -> Result<String, String> {
    let mut has_member = false;
    hit.0.retain(|(name, _)| name != FEDERATION || !std::mem::replace(&mut has_member, true));
    if let Some(place) = hit.place_of(FEDERATION) {
        hit.0[place].1 = to_raw_value(member).map_err(|error| error.to_string())?;
    }
    Ok(hit.to_string())
}

#[cfg(test)]
#[path = "wire_answer_tests.rs"]
mod tests;
