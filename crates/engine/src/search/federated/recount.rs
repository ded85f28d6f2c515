//! Counts distinct hits over several instances. Which documents are duplicates depends on the hits
//! of all, so the merging instance sends the merged hits to all, and each counts what is left.
//!
//! With pages each value counts once, also where no hit has it. Then every instance lists the
//! documents that may be the first of their values ([`RecountStep::List`]); the merging one decides
//! which are, and sends the decision to all that count facets.

use std::collections::{BTreeMap, HashSet};

use model::{Cancel, ServiceError};
use roaring::RoaringBitmap;
use search::federation::{
    self, Candidate, Contenders, CountedDocuments, DistinctValue, MergedHits,
};
use serde::{Deserialize, Serialize};

use super::hybrid::HybridMode;
use super::part::FederatedPart;
use super::request::{FederatedRequest, FoundHit, PartialAnswer};
use crate::common::search_failure;
use crate::search::request::Window;

/// The merged hits.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Recount {
    /// Distinct values of the hits.
    pub seen: Vec<DistinctValue>,
    /// Hits of one instance: document numbers by index.
    pub kept: BTreeMap<String, Vec<u64>>,
    /// True if all matches are counted, as for one search. Otherwise each query has removed the
    /// duplicates of its own hits before.
    pub is_whole: bool,
    #[serde(default)]
    pub step: RecountStep,
    /// Document numbers by index that are counted besides the hits; none where the instance finds
    /// them alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<BTreeMap<String, Vec<u32>>>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RecountStep {
    /// List what depends on other instances, and count the rest.
    List,
    #[default]
    Count,
}

/// Recounts by instance; none is this one.
pub type Recounts = BTreeMap<Option<String>, Recount>;

impl FederatedRequest {
    /// Returns whether only counts are requested.
    pub fn is_recount(&self) -> bool {
        self.recounts.is_some()
    }

    fn own_recount(&self) -> Option<&Recount> {
        self.recounts.as_ref()?.get(&None)
    }

    pub(crate) fn lists_contenders(&self) -> bool {
        self.own_recount().is_some_and(|recount| recount.step == RecountStep::List)
    }

    /// Returns the facets to count now: none while the documents are undecided.
    pub fn counted_facets(&self) -> &BTreeMap<String, Option<Vec<String>>> {
        static NONE: BTreeMap<String, Option<Vec<String>>> = BTreeMap::new();
        if self.lists_contenders() { &NONE } else { &self.facets_by_index }
    }

    fn is_page(&self) -> bool {
        matches!(self.window, Window::Page { .. })
    }

    /// Returns how many hits of each query decide its counts.
    pub(super) fn query_depth(&self) -> usize {
        match self.own_recount() {
            Some(Recount { is_whole: true, .. }) => 0,
            _ => self.depth(),
        }
    }

    /// Returns whether a query already counts every value once.
    pub(super) fn is_exhaustive(&self, threshold: Option<f64>) -> bool {
        let is_whole = self.own_recount().is_some_and(|recount| recount.is_whole);
        self.is_page() && (!is_whole || threshold.is_some())
    }
}

impl FederatedPart {
    /// Returns what every instance needs to count again; none where this one knows everything.
    pub(super) fn recounts(
        &self,
        merged: &MergedHits<FoundHit>,
        remotes: &[PartialAnswer],
    ) -> Option<Recounts> {
        let request = &*self.request;
        let asks_others = self.queries.iter().any(Option::is_none);
        if request.distinct.is_none() || request.is_recount() || !asks_others {
            return None;
        }
        let hits = match request.hybrid {
            HybridMode::Both => self.hits_of_sides(remotes),
            _ => self.hits_of(merged),
        };
        let empty = Recount {
            seen: hits.seen.into_iter().collect(),
            kept: BTreeMap::new(),
            is_whole: request.is_network_search || request.is_one_query(),
            step: if request.is_page() { RecountStep::List } else { RecountStep::Count },
            chosen: None,
        };
        let mut recounts = Recounts::from([(None, empty.clone())]);
        for query in request.queries.iter().filter(|query| query.remote.is_some()) {
            recounts.entry(query.remote.clone()).or_insert_with(|| empty.clone());
        }
        for (remote, uid, number) in hits.kept {
            if let Some(recount) = recounts.get_mut(&remote) {
                recount.kept.entry(uid).or_default().push(number);
            }
        }
        Some(recounts)
    }

    fn hits_of(&self, merged: &MergedHits<FoundHit>) -> Hits {
        let kept = merged.hits.iter().filter_map(|candidate| {
            let (remote, uid) = self.home(candidate)?;
            Some((remote, uid.to_owned(), candidate.number))
        });
        Hits { kept: kept.collect(), seen: merged.seen.clone() }
    }

    /// Like `hits_of`, for a hybrid search, which has one index.
    fn hits_of_sides(&self, remotes: &[PartialAnswer]) -> Hits {
        let uid = self.request.queries.first().map(|query| query.index_uid.clone());
        let uid = uid.unwrap_or_default();
        let merged = self.both_sides(remotes);
        let kept = merged.hits.into_iter().map(|candidate| {
            let (remote, number) = candidate.hit;
            (remote, uid.clone(), number)
        });
        Hits { kept: kept.collect(), seen: merged.seen }
    }

    /// Returns how many of the listed documents count and, if facets are requested, the recounts of
    /// the chosen ones to send.
    pub(super) fn chosen(
        &self,
        own: Option<&BTreeMap<String, Contenders>>,
        remotes: &[PartialAnswer],
    ) -> (u64, Option<Recounts>) {
        let own = own.into_iter().map(|lists| (None, lists));
        let elsewhere = remotes
            .iter()
            .filter_map(|remote| Some((remote.remote.clone(), remote.contenders.as_ref()?)));
        let mut homes = Vec::new();
        let mut lists = Vec::new();
        for (home, by_index) in own.chain(elsewhere) {
            for (uid, contenders) in by_index {
                homes.push((home.clone(), uid));
                lists.push((uid.as_str(), contenders));
            }
        }
        let chosen = federation::choose(&lists);
        let count = chosen.iter().map(RoaringBitmap::len).sum();
        let counts_facets = self.request.facets_by_index.values().any(Option::is_some);
        let recounts = self.request.recounts.clone().filter(|_| counts_facets);
        let recounts = recounts.map(|mut recounts| {
            for recount in recounts.values_mut() {
                recount.step = RecountStep::Count;
            }
            for ((home, uid), chosen) in homes.into_iter().zip(chosen) {
                if let Some(recount) = recounts.get_mut(&home) {
                    let of_indexes = recount.chosen.get_or_insert_default();
                    of_indexes.insert(uid.clone(), chosen.into_iter().collect());
                }
            }
            recounts
        });
        (count, recounts)
    }

    /// Returns the instance and the index of a hit.
    fn home<'p>(&'p self, candidate: &'p Candidate<FoundHit>) -> Option<(Option<String>, &'p str)> {
        match &candidate.hit {
            FoundHit::Local { query, .. } => {
                let searched = self.queries.get(*query)?.as_ref()?;
                Some((None, &self.indexes[searched.index].uid))
            }
            FoundHit::Remote { remote, index_uid, .. } => Some((Some(remote.clone()), index_uid)),
        }
    }

    /// Removes documents that share a value with a hit of any index from the counts. Returns by
    /// index those that depend on other instances, if they are to be sent.
    pub(super) fn drop_duplicates(
        &mut self,
        attribute: &str,
        merged: &MergedHits<FoundHit>,
        cancel: &Cancel,
    ) -> Result<Option<BTreeMap<String, Contenders>>, ServiceError> {
        let recount = self.request.own_recount();
        let kept = match recount {
            Some(recount) => self.kept_of(recount),
            None => self.kept_here(&merged.hits),
        };
        let seen = self.seen(&merged.seen);
        let is_listed = self.request.lists_contenders();
        let chosen = recount.and_then(|recount| recount.chosen.as_ref());
        let chosen = chosen.map(|chosen| self.chosen_here(chosen));
        let exhaustive = self.request.is_page() && !is_listed && chosen.is_none();
        let mut counted: Vec<CountedDocuments<'_>> = self
            .indexes
            .iter_mut()
            .zip(kept)
            .map(|(index, kept)| CountedDocuments {
                snapshot: &index.snapshot,
                candidates: std::mem::take(&mut index.candidates),
                kept,
            })
            .collect();
        let drop_from = |counted: &mut [CountedDocuments<'_>], exhaustive: bool| {
            federation::drop_duplicates(counted, attribute, &seen, exhaustive, cancel)
                .map_err(search_failure)
        };
        drop_from(&mut counted, exhaustive)?;
        let mut contenders = None;
        if is_listed {
            contenders = federation::list_contenders(&mut counted, attribute, cancel)
                .map_err(search_failure)?;
            // Too many to send: the instance counts alone.
            if contenders.is_none() {
                drop_from(&mut counted, true)?;
            }
        } else if let Some(chosen) = chosen {
            federation::keep_chosen(&mut counted, &chosen, attribute, cancel)
                .map_err(search_failure)?;
        }
        let counted: Vec<RoaringBitmap> =
            counted.into_iter().map(|index| index.candidates).collect();
        for (index, candidates) in self.indexes.iter_mut().zip(counted) {
            index.candidates = candidates;
        }
        let uids = self.indexes.iter().map(|index| index.uid.clone());
        Ok(contenders.map(|contenders| uids.zip(contenders).collect()))
    }

    fn seen(&self, merged: &HashSet<DistinctValue>) -> HashSet<DistinctValue> {
        match self.request.own_recount() {
            Some(recount) => recount.seen.iter().cloned().collect(),
            None => merged.clone(),
        }
    }

    fn kept_here(&self, hits: &[Candidate<FoundHit>]) -> Vec<RoaringBitmap> {
        let mut kept = vec![RoaringBitmap::new(); self.indexes.len()];
        for candidate in hits {
            if let FoundHit::Local { query, hit, .. } = &candidate.hit
                && let Some(Some(searched)) = self.queries.get(*query)
            {
                kept[searched.index].insert(hit.doc_id);
            }
        }
        kept
    }

    /// Hits that another instance names count only if they match.
    fn kept_of(&self, recount: &Recount) -> Vec<RoaringBitmap> {
        let kept = self.indexes.iter().map(|index| {
            let numbers = recount.kept.get(&index.uid).into_iter().flatten();
            let numbers = numbers.filter_map(|&number| u32::try_from(number).ok());
            numbers.collect::<RoaringBitmap>() & &index.candidates
        });
        kept.collect()
    }

    fn chosen_here(&self, chosen: &BTreeMap<String, Vec<u32>>) -> Vec<RoaringBitmap> {
        let of_index = |uid: &str| chosen.get(uid).into_iter().flatten().copied().collect();
        self.indexes.iter().map(|index| of_index(&index.uid)).collect()
    }
}

/// Counted documents and their values.
struct Hits {
    /// Instance, index and number of each.
    kept: Vec<(Option<String>, String, u64)>,
    seen: HashSet<DistinctValue>,
}
