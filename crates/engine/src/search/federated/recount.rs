//! Counting what is distinct over several instances. Which documents are duplicates depends on the
//! hits of all of them, so whoever has put the hits together tells everybody, and each counts what
//! is then left of what it has.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::AtomicBool;

use model::ServiceError;
use roaring::RoaringBitmap;
use search::federation::{self, Candidate, Counted, DistinctValue, Merged};
use serde::{Deserialize, Serialize};

use super::part::FederatedPart;
use super::request::{FederatedRequest, FoundHit, PartialAnswer};
use crate::search::failure::search_failure;
use crate::search::request::Window;

/// The hits that were put together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Recount {
    /// Their values.
    pub seen: Vec<DistinctValue>,
    /// Those of one instance: by index the numbers of their documents.
    pub kept: BTreeMap<String, Vec<u64>>,
    /// Whether all that matches is counted, as for one search. Otherwise each query has left out
    /// the duplicates of its own hits before.
    pub is_whole: bool,
}

/// The same for each instance; none is this one.
pub type Recounts = BTreeMap<Option<String>, Recount>;

impl FederatedRequest {
    /// Whether nothing but counts is asked for.
    pub(crate) fn is_recount(&self) -> bool {
        self.recounts.is_some()
    }

    fn own_recount(&self) -> Option<&Recount> {
        self.recounts.as_ref()?.get(&None)
    }

    /// How many hits of each query decide what it counts.
    pub(super) fn depth(&self) -> usize {
        match self.own_recount() {
            Some(Recount { is_whole: true, .. }) => 0,
            _ => self.places().1,
        }
    }

    /// Whether a query counts every value once already.
    pub(super) fn is_exhaustive(&self, threshold: Option<f64>) -> bool {
        let is_whole = self.own_recount().is_some_and(|recount| recount.is_whole);
        matches!(self.window, Window::Page { .. }) && (!is_whole || threshold.is_some())
    }
}

impl FederatedPart {
    /// What every instance has to know to count again; none where this one knows everything.
    pub(super) fn recounts(&self, merged: &Merged<FoundHit>) -> Option<Recounts> {
        let request = &*self.request;
        let asks_others = self.queries.iter().any(Option::is_none);
        if request.distinct.is_none() || request.is_recount() || !asks_others {
            return None;
        }
        let empty = Recount {
            seen: merged.seen.iter().cloned().collect(),
            kept: BTreeMap::new(),
            is_whole: request.is_spread,
        };
        let mut recounts = Recounts::from([(None, empty.clone())]);
        for query in request.queries.iter().filter(|query| query.remote.is_some()) {
            recounts.entry(query.remote.clone()).or_insert_with(|| empty.clone());
        }
        for candidate in &merged.hits {
            let Some((remote, uid)) = self.home(candidate) else { continue };
            if let Some(recount) = recounts.get_mut(&remote) {
                recount.kept.entry(uid.to_owned()).or_default().push(candidate.number);
            }
        }
        Some(recounts)
    }

    /// The instance and the index of a hit.
    fn home<'p>(&'p self, candidate: &'p Candidate<FoundHit>) -> Option<(Option<String>, &'p str)> {
        match &candidate.hit {
            FoundHit::Local { query, .. } => {
                let searched = self.queries.get(*query)?.as_ref()?;
                Some((None, &self.indexes[searched.index].uid))
            }
            FoundHit::Written { remote, index_uid, .. } => Some((Some(remote.clone()), index_uid)),
        }
    }

    /// Leaves what shares its value with a hit, of whatever index, out of what is counted.
    pub(super) fn drop_duplicates(
        &mut self,
        attribute: &str,
        merged: &Merged<FoundHit>,
        cancelled: &AtomicBool,
    ) -> Result<(), ServiceError> {
        let kept = match self.request.own_recount() {
            Some(recount) => self.kept_of(recount),
            None => self.kept_here(&merged.hits),
        };
        let seen = self.seen(&merged.seen);
        let exhaustive = matches!(self.request.window, Window::Page { .. });
        let mut counted: Vec<Counted<'_>> = self
            .indexes
            .iter_mut()
            .zip(kept)
            .map(|(index, kept)| Counted {
                snapshot: &index.snapshot,
                candidates: std::mem::take(&mut index.candidates),
                kept,
            })
            .collect();
        federation::drop_duplicates(&mut counted, attribute, &seen, exhaustive, cancelled)
            .map_err(search_failure)?;
        let counted: Vec<RoaringBitmap> =
            counted.into_iter().map(|index| index.candidates).collect();
        for (index, candidates) in self.indexes.iter_mut().zip(counted) {
            index.candidates = candidates;
        }
        Ok(())
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
            if let FoundHit::Local { query, hit } = &candidate.hit
                && let Some(Some(searched)) = self.queries.get(*query)
            {
                kept[searched.index].insert(hit.doc_id);
            }
        }
        kept
    }

    /// What another instance names is kept only if it matches.
    fn kept_of(&self, recount: &Recount) -> Vec<RoaringBitmap> {
        let kept = self.indexes.iter().map(|index| {
            let numbers = recount.kept.get(&index.uid).into_iter().flatten();
            let numbers = numbers.filter_map(|&number| u32::try_from(number).ok());
            numbers.collect::<RoaringBitmap>() & &index.candidates
        });
        kept.collect()
    }

    /// The values of what is counted beside the hits, where each must be counted once over all
    /// instances.
    pub(super) fn values_left(
        &self,
        cancelled: &AtomicBool,
    ) -> Result<Option<HashSet<DistinctValue>>, ServiceError> {
        let is_page = matches!(self.request.window, Window::Page { .. });
        let (Some(attribute), true, true) =
            (&self.request.distinct, self.request.is_recount(), is_page)
        else {
            return Ok(None);
        };
        let seen = self.seen(&HashSet::new());
        let mut values = HashSet::new();
        for index in &self.indexes {
            let of_index =
                federation::values_of(&index.snapshot, attribute, &index.candidates, cancelled)
                    .map_err(search_failure)?;
            values.extend(of_index.into_iter().flatten().filter(|value| !seen.contains(value)));
        }
        Ok(Some(values))
    }
}

/// How many documents were counted although another instance has counted their value.
pub(super) fn counted_twice(
    own: Option<&HashSet<DistinctValue>>,
    remotes: &mut [PartialAnswer],
) -> u64 {
    let Some(own) = own else { return 0 };
    let mut all = own.clone();
    let of_remotes =
        remotes.iter_mut().flat_map(|remote| std::mem::take(&mut remote.distinct_values));
    of_remotes.filter(|value| !all.insert(value.clone())).count() as u64
}
