//! Second step of a federated search: merges the hits of indexes and other instances, counts them,
//! and writes those that are shown.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use model::{Cancel, ServiceError};
use search::federation::{merge_admitted, merge_answers};
use search::{Correction, Hit};
use serde_json::value::RawValue;
use settings::Settings;

use super::member::FederationMember;
use super::part::{FederatedPart, SearchedIndex};
use super::request::{FederatedAnswer, FederatedRequest, FoundHit, PartialAnswer, QueryTarget};
use super::rerank::ShownHit;
use crate::common::failure::index_failure;
use crate::documents::foreign::{Snapshots, with_foreign_documents};
use crate::search::Searcher;
use crate::search::hits::HitWriter;

impl Searcher {
    /// Merges the local part with those of other instances. The caller adds errors of remotes.
    pub fn federated_answer(
        &self,
        mut part: FederatedPart,
        mut remotes: Vec<PartialAnswer>,
        cancel: &Cancel,
    ) -> Result<FederatedAnswer, ServiceError> {
        let request = std::sync::Arc::clone(&part.request);
        let mut stages = std::mem::take(&mut part.stages);
        let lists = part.indexes.iter_mut().map(|index| std::mem::take(&mut index.hits));
        let of_remotes = remotes.iter_mut().map(|remote| std::mem::take(&mut remote.hits));
        let lists: Vec<_> = lists.chain(of_remotes).collect();
        let merged = match request.is_recount() {
            true => merge_answers(Vec::new(), 0),
            false => {
                let mut quotas = part.quotas();
                merge_admitted(lists, request.depth(), &mut |hit| {
                    part.takes_quota(hit, &mut quotas)
                })
            }
        };

        let contenders = match &request.distinct {
            Some(attribute) => part.drop_duplicates(attribute, &merged, cancel)?,
            None => None,
        };
        let (chosen, recounts) = match request.lists_contenders() && !request.is_proxied {
            true => part.chosen(contenders.as_ref(), &remotes),
            false => (0, part.recounts(&merged, &remotes)),
        };
        let here: u64 = part.indexes.iter().map(|index| index.candidates.len()).sum();
        let elsewhere = remotes.iter().fold(0, |sum: u64, remote| sum.saturating_add(remote.total));
        let total = here.saturating_add(elsewhere).saturating_add(chosen);
        let facets = stages.time("search > facet distribution", || {
            self.facets_of_all(&part, &mut remotes, total, cancel)
        })?;
        let (shown, rerank) = part.shown(merged.hits, &remotes);
        let semantic_hits = shown.iter().filter(|shown| shown.candidate.hit.is_semantic()).count();
        let own_name = self.network.current().name.clone();
        let names_remotes = request.queries.iter().any(|query| query.remote.is_some());
        let remote = own_name.as_deref().filter(|_| names_remotes);
        let mut hits =
            stages.time("search > format", || self.write_hits(&part, &shown, remote, cancel))?;
        if let Some(personalize) = request.personalize.as_ref().filter(|_| !request.is_recount()) {
            let deadline = part.begun + part.cutoff();
            hits = stages.time("search > personalize", || {
                self.personalized(hits, personalize, deadline, cancel)
            })?;
        }
        for index in &part.indexes {
            let failed = |error| index_failure(error).in_index(&index.uid);
            index.snapshot.check_maps().map_err(failed)?;
        }
        let elapsed = part.begun.elapsed();
        stages.add("search", elapsed);
        let of_parts = remotes.iter().any(|remote| remote.is_semantic);
        let is_semantic = part.queries.iter().flatten().any(|query| query.is_semantic);
        let degraded = part.degraded || remotes.iter().any(|remote| remote.degraded);
        self.counters.count_search(degraded);
        Ok(FederatedAnswer {
            hits,
            total,
            facets,
            query_vectors: part.query_vectors(&mut remotes),
            corrections: part.corrections(&mut remotes),
            rerank,
            semantic_hits: (is_semantic || of_parts).then_some(semantic_hits),
            targets: part.targets(),
            remote_errors: names_remotes.then(BTreeMap::new),
            recounts,
            contenders,
            sides: std::mem::take(&mut part.sides),
            degraded,
            elapsed,
            stages,
        })
    }

    /// Writes the hits in order. Documents are read query by query: those of one query are shown
    /// alike and lie in one index.
    fn write_hits(
        &self,
        part: &FederatedPart,
        shown: &[ShownHit],
        remote: Option<&str>,
        cancel: &Cancel,
    ) -> Result<String, ServiceError> {
        let request = &*part.request;
        let mut written: Vec<String> = vec![String::new(); shown.len()];
        let mut by_query: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (place, hit) in shown.iter().enumerate() {
            match &hit.candidate.hit {
                FoundHit::Local { query, .. } => by_query.entry(*query).or_default().push(place),
                FoundHit::Remote { json, .. } => {
                    written[place] = request.with_rerank_scores(json, hit)?;
                }
            }
        }
        let mut snapshots = Snapshots::new(&self.indexes);
        for (query, places) in by_query {
            let Some(searched) = part.queries.get(query).and_then(Option::as_ref) else { continue };
            let SearchedIndex { uid, snapshot, .. } = &part.indexes[searched.index];
            let of_query = &request.queries[query].request;
            let rerank_scores = request.rerank_scores(places.iter().map(|&place| &shown[place]));
            let writer = HitWriter::new(snapshot, of_query, &searched.words, searched.origin)
                .with_rerank_scores(&rerank_scores);
            let hits: Vec<(&Hit, FederationMember)> = places
                .iter()
                .filter_map(|&place| {
                    let candidate = &shown[place].candidate;
                    let FoundHit::Local { hit, rerank_score, .. } = &candidate.hit else {
                        return None;
                    };
                    let said = (hit.is_semantic(), *rerank_score);
                    Some((hit, FederationMember::new(request, uid, candidate, said, remote)))
                })
                .collect();
            let mut texts = writer.write_federated(&hits)?;
            let keys = self.joined_keys(snapshot);
            if !keys.is_empty() {
                snapshots.set_caller(&of_query.foreign);
                let array = array_of(&texts);
                let length = array.len();
                let array = with_foreign_documents(array, keys, &mut snapshots, cancel)?;
                of_query.budget.spend(array.len().saturating_sub(length))?;
                texts = elements(&array)?;
            }
            for (place, text) in places.into_iter().zip(texts) {
                written[place] = text;
            }
        }
        Ok(array_of(&written))
    }
}

impl FoundHit {
    fn is_semantic(&self) -> bool {
        match self {
            FoundHit::Local { hit, .. } => hit.is_semantic(),
            FoundHit::Remote { is_semantic, .. } => *is_semantic,
        }
    }

    pub(super) fn rerank_score(&self) -> Option<f64> {
        match self {
            FoundHit::Local { rerank_score, .. } | FoundHit::Remote { rerank_score, .. } => {
                *rerank_score
            }
        }
    }
}

impl FederatedPart {
    /// Returns the longest cutoff that any index sets.
    pub(super) fn cutoff(&self) -> Duration {
        let of_index = |index: &SearchedIndex| index.snapshot.typed_settings().search_cutoff_ms;
        let longest = self.indexes.iter().map(of_index).max();
        Duration::from_millis(longest.unwrap_or_else(|| Settings::default().search_cutoff_ms))
    }

    /// Returns the maximum of hits for each index that is searched in parts: as many as its
    /// settings allow an instance that has all of it.
    fn quotas(&self) -> HashMap<String, usize> {
        let parts = self.request.queries.iter().filter(|query| query.scope.is_part());
        let in_parts: HashSet<&str> = parts.map(|query| query.index_uid.as_str()).collect();
        let indexes = self.indexes.iter().filter(|index| in_parts.contains(index.uid.as_str()));
        indexes
            .map(|index| (index.uid.clone(), index.snapshot.typed_settings().max_total_hits))
            .collect()
    }

    /// Uses up one hit of the index's maximum; false if none is left.
    fn takes_quota(&self, hit: &FoundHit, quotas: &mut HashMap<String, usize>) -> bool {
        let uid = match hit {
            FoundHit::Local { query, .. } => match self.queries.get(*query) {
                Some(Some(searched)) => self.indexes[searched.index].uid.as_str(),
                _ => return true,
            },
            FoundHit::Remote { index_uid, .. } => index_uid,
        };
        match quotas.get_mut(uid) {
            Some(0) => false,
            Some(left) => {
                *left -= 1;
                true
            }
            None => true,
        }
    }

    /// Returns the vectors of queries that show them.
    fn query_vectors(
        &mut self,
        remotes: &mut [PartialAnswer],
    ) -> Option<BTreeMap<usize, Vec<f32>>> {
        let request: &FederatedRequest = &self.request;
        let shows = |place: usize| request.queries[place].request.view.retrieve_vectors;
        if !(0..request.queries.len()).any(shows) {
            return None;
        }
        let mut vectors = BTreeMap::new();
        for (place, query) in self.queries.iter_mut().enumerate() {
            if let Some(query) = query
                && shows(place)
                && let Some(vector) = query.vector.take()
            {
                vectors.insert(request.position(place), vector);
            }
        }
        for remote in remotes {
            vectors.append(&mut remote.query_vectors);
        }
        Some(vectors)
    }

    /// Returns the corrections of queries that want one, summed up over instances.
    fn corrections(&mut self, remotes: &mut [PartialAnswer]) -> BTreeMap<usize, Correction> {
        let mut said: BTreeMap<usize, Vec<Correction>> = BTreeMap::new();
        for (place, query) in self.queries.iter_mut().enumerate() {
            if let Some(correction) = query.as_mut().and_then(|query| query.correction.take()) {
                said.entry(self.request.position(place)).or_default().push(correction);
            }
        }
        for (position, correction) in
            remotes.iter_mut().flat_map(|remote| std::mem::take(&mut remote.corrections))
        {
            said.entry(position).or_default().push(correction);
        }
        said.into_iter().map(|(position, parts)| (position, Correction::merged(parts))).collect()
    }

    fn targets(&self) -> Vec<QueryTarget> {
        let targets = self.request.queries.iter().zip(&self.queries).map(|(query, searched)| {
            let index = searched.as_ref().map(|searched| &self.indexes[searched.index]);
            let primary_key = index.and_then(|index| index.snapshot.primary_key());
            QueryTarget {
                primary_key: primary_key.map(str::to_owned),
                remote: query.remote.clone(),
            }
        });
        targets.collect()
    }
}

fn array_of(texts: &[String]) -> String {
    format!("[{}]", texts.join(","))
}

fn elements(array: &str) -> Result<Vec<String>, ServiceError> {
    let elements: Vec<&RawValue> = serde_json::from_str(array).map_err(ServiceError::internal)?;
    Ok(elements.into_iter().map(|element| element.get().to_owned()).collect())
}
