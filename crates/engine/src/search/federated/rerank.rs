//! Reranks the first hits of a merged list. Each instance has its own first hits scored, each for
//! the text of the query that found it: the first hits of all are among these. So texts of
//! documents stay where they are, and instances score in parallel.

use std::collections::BTreeMap;

use model::{Cancel, ServiceError};
use search::federation::{Candidate, merge_answers};
use serde_json::value::{RawValue, to_raw_value};

use super::part::FederatedPart;
use super::request::{FederatedRequest, FoundHit, PartialAnswer};
use crate::common::raw_members::RawMembers;
use crate::search::Searcher;
use crate::search::has_text;
use crate::search::request::{RerankReport, RerankRequest};
use crate::search::rerank::{
    RerankCall, RerankScore, RerankScores, ScoredGroup, reordered, reranker_of,
};

/// A shown hit.
#[derive(Debug)]
pub(super) struct ShownHit {
    pub candidate: Candidate<FoundHit>,
    /// Score of the reranker.
    pub reranked: Option<RerankScore>,
}

impl Searcher {
    /// Scores the first hits of this instance.
    pub(super) fn score_part(
        &self,
        part: &mut FederatedPart,
        cancel: &Cancel,
    ) -> Result<(), ServiceError> {
        let request = std::sync::Arc::clone(&part.request);
        let Some(rerank) = request.reranking() else { return Ok(()) };
        let call = RerankCall {
            pool: &self.rerankers,
            queue: &self.queue,
            deadline: part.begun + part.cutoff(),
            cancel,
        };
        let lists = part.indexes.iter().map(|index| index.hits.clone()).collect();
        let first = merge_answers(lists, rerank.limit).hits;
        let groups = part.groups(rerank, &first)?;
        let scored = call.scored(&rerank.reranker, &groups)?;
        drop(groups);
        for (place, score) in scored.scores {
            let FoundHit::Local { query, hit, .. } = &first[place].hit else { continue };
            let Some(Some(searched)) = part.queries.get(*query) else { continue };
            let hits = &mut part.indexes[searched.index].hits;
            for candidate in hits {
                if let FoundHit::Local { hit: own, rerank_score, .. } = &mut candidate.hit
                    && own.doc_id == hit.doc_id
                {
                    *rerank_score = Some(score);
                }
            }
        }
        part.rerank = Some(scored.report);
        Ok(())
    }
}

impl FederatedRequest {
    /// Returns the reranker's scores of hits of one index.
    pub(super) fn rerank_scores<'s>(
        &self,
        shown: impl Iterator<Item = &'s ShownHit>,
    ) -> RerankScores {
        let Some(rerank) = &self.rerank else { return RerankScores::default() };
        let of = shown.filter_map(|shown| match &shown.candidate.hit {
            FoundHit::Local { hit, .. } => Some((hit.doc_id, shown.reranked?)),
            FoundHit::Remote { .. } => None,
        });
        RerankScores::new(&rerank.reranker, of)
    }

    /// Adds the reranker's score to the JSON of another instance's hit.
    pub(super) fn with_rerank_scores(
        &self,
        json: &str,
        shown: &ShownHit,
    ) -> Result<String, ServiceError> {
        let (Some(rerank), Some(reranked)) = (&self.rerank, shown.reranked) else {
            return Ok(json.to_owned());
        };
        let mut hit: RawMembers = serde_json::from_str(json).map_err(ServiceError::internal)?;
        if let Some(place) = hit.place_of("_rankingScore") {
            let score = to_raw_value(&reranked.score).map_err(ServiceError::internal)?;
            hit.0.insert(place + 1, ("_rerankScore".to_owned(), score));
        }
        if let Some(place) = hit.place_of("_rankingScoreDetails") {
            let details = hit.0[place].1.get();
            let mut details: RawMembers =
                serde_json::from_str(details).map_err(ServiceError::internal)?;
            let detail = reranked.detail(&rerank.reranker, details.0.len());
            let detail = to_raw_value(&detail).map_err(ServiceError::internal)?;
            details.0.push(("rerank".to_owned(), detail));
            hit.0[place].1 =
                RawValue::from_string(details.to_string()).map_err(ServiceError::internal)?;
        }
        Ok(hit.to_string())
    }
}

impl FederatedPart {
    /// Returns the hits of each query with a text, with their places in the list.
    fn groups<'g>(
        &'g self,
        rerank: &RerankRequest,
        first: &'g [Candidate<FoundHit>],
    ) -> Result<Vec<ScoredGroup<'g>>, ServiceError> {
        let mut groups: BTreeMap<usize, ScoredGroup<'g>> = BTreeMap::new();
        for (place, candidate) in first.iter().enumerate() {
            let FoundHit::Local { query, hit, .. } = &candidate.hit else { continue };
            let Some(Some(searched)) = self.queries.get(*query) else { continue };
            let text = self.request.queries[*query].request.text.as_deref();
            let Some(text) = text.filter(|text| has_text(Some(text))) else { continue };
            if candidate.pin.is_some() {
                continue;
            }
            let snapshot = &*self.indexes[searched.index].snapshot;
            let reranker = reranker_of(snapshot, rerank)?;
            let group = groups.entry(*query);
            let new = || ScoredGroup { snapshot, reranker, text, hits: Vec::new() };
            group.or_insert_with(new).hits.push((place, hit));
        }
        Ok(groups.into_values().collect())
    }

    /// Returns the hits of the window in final order, and the rerank report.
    pub(super) fn shown(
        &self,
        hits: Vec<Candidate<FoundHit>>,
        remotes: &[PartialAnswer],
    ) -> (Vec<ShownHit>, Option<RerankReport>) {
        let request: &FederatedRequest = &self.request;
        let mut report = self.rerank_report(remotes);
        let is_reordered = report.as_ref().is_some_and(|report| !report.has_failed);
        let most = match request.reranking() {
            Some(rerank) if is_reordered && !request.is_proxied => rerank.limit,
            _ => 0,
        };
        let score = |place: usize, candidate: &Candidate<FoundHit>| {
            candidate.hit.rerank_score().filter(|_| place < most && candidate.pin.is_none())
        };
        if let Some(report) = report.as_mut().filter(|_| !request.is_proxied) {
            // Several instances scored their first hits; only the first of all count.
            let scored =
                hits.iter().enumerate().filter(|(place, hit)| score(*place, hit).is_some());
            report.reranked = scored.count();
        }
        let reordered = reordered(hits, most, |candidate| candidate.pin.is_some(), score);
        let shown = reordered.into_iter().map(|(place, candidate)| {
            let score = score(place, &candidate);
            let reranked = score.map(|score| RerankScore { score, rank_before: place + 1 });
            ShownHit { candidate, reranked }
        });
        let (offset, limit) = request.window.clip(usize::MAX);
        (shown.skip(offset).take(limit).collect(), report)
    }

    /// Merges the reports: if one instance failed, all hits keep the first order.
    fn rerank_report(&self, remotes: &[PartialAnswer]) -> Option<RerankReport> {
        let rerank = self.request.rerank.as_ref().filter(|_| !self.request.is_recount())?;
        let mut whole = RerankReport::of(&rerank.reranker);
        if let Some(reason) = self.request.useless_reranking(rerank) {
            return Some(RerankReport { reason: Some(reason), ..whole });
        }
        let of_remotes = remotes
            .iter()
            .filter_map(|remote| Some((remote.remote.as_deref(), remote.rerank.as_ref()?)));
        for (remote, report) in self.rerank.iter().map(|own| (None, own)).chain(of_remotes) {
            whole.reranked += report.reranked;
            let is_worse = report.has_failed && !whole.has_failed;
            if let Some(reason) =
                report.reason.as_ref().filter(|_| is_worse || whole.reason.is_none())
            {
                whole.reason = Some(match remote {
                    Some(remote) => format!("remote `{remote}`: {reason}"),
                    None => reason.clone(),
                });
            }
            whole.has_failed |= report.has_failed;
        }
        Some(whole)
    }
}
