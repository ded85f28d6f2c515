//! Facets of a federated search: those counted here, united with those that other instances counted
//! in indexes of the same names.

use std::collections::BTreeMap;

use model::{Cancel, ServiceError};
use search::facets::{FacetDisplay, Facets};
use search::federation::merge_facets;
use settings::FacetOrder;

use super::part::{FederatedPart, SearchedIndex};
use super::request::{FederatedFacets, IndexFacets, PartialAnswer};
use crate::common::search_failure_in;
use crate::search::Searcher;

/// Default order and number of values, for an index without settings here.
const USUALLY_SHOWN: FacetDisplay = FacetDisplay { order: FacetOrder::Alpha, most: 100 };

impl Searcher {
    /// Returns the facets. `documents` is the number counted, here and elsewhere.
    pub(super) fn facets_of_all(
        &self,
        part: &FederatedPart,
        remotes: &mut [PartialAnswer],
        documents: u64,
        cancel: &Cancel,
    ) -> Result<FederatedFacets, ServiceError> {
        let request = &*part.request;
        let mut by_index: BTreeMap<String, Vec<IndexFacets>> = BTreeMap::new();
        let counted = self.helpers.run(&part.indexes, |index| {
            let patterns = request.counted_facets().get(&index.uid).and_then(Option::as_deref);
            patterns.map(|patterns| part.counted(index, patterns, cancel)).transpose()
        })?;
        for (index, facets) in part.indexes.iter().zip(counted) {
            if let Some(facets) = facets {
                by_index.entry(index.uid.clone()).or_default().push(facets);
            }
        }
        for (uid, facets) in remotes.iter_mut().flat_map(|it| std::mem::take(&mut it.facets)) {
            by_index.entry(uid).or_default().push(facets);
        }
        if by_index.is_empty() {
            return Ok(FederatedFacets::None);
        }
        let united = by_index.into_iter().map(|(uid, parts)| (uid, part.united(parts, documents)));
        Ok(match request.merge_facets {
            Some(merge) => {
                let all = united.map(|(_, index)| index.facets);
                let order = |attribute: &str| part.orders.of(attribute);
                FederatedFacets::Merged(merge_facets(all, order, merge.max_values))
            }
            None => FederatedFacets::ByIndex(united.collect()),
        })
    }
}

impl FederatedPart {
    /// Returns whether others count too, so that nothing may be cut off before the sums.
    fn is_one_of_many(&self) -> bool {
        self.request.is_proxied || self.queries.iter().any(Option::is_none)
    }

    fn counted(
        &self,
        index: &SearchedIndex,
        patterns: &[String],
        cancel: &Cancel,
    ) -> Result<IndexFacets, ServiceError> {
        let count = match self.is_one_of_many() {
            true => search::facets::complete_distribution,
            false => search::facets::distribution,
        };
        let facets = count(&index.snapshot, &index.candidates, patterns, cancel)
            .map_err(|error| search_failure_in(error, &index.uid))?;
        let shown =
            |(name, _): &(String, _)| (name.clone(), FacetDisplay::of(&index.snapshot, name));
        Ok(IndexFacets { shown: facets.distribution.iter().map(shown).collect(), facets })
    }

    /// Unites the facets of an index. Those counted here come first and decide how values are
    /// shown.
    fn united(&self, mut parts: Vec<IndexFacets>, documents: u64) -> IndexFacets {
        let is_whole = self.request.is_proxied || !self.is_one_of_many();
        if is_whole && parts.len() == 1 {
            return parts.pop().unwrap_or_default();
        }
        let mut shown: BTreeMap<String, FacetDisplay> = BTreeMap::new();
        let mut facets: Vec<Facets> = Vec::with_capacity(parts.len());
        for part in parts {
            for (attribute, how) in part.shown {
                shown.entry(attribute).or_insert(how);
            }
            facets.push(part.facets);
        }
        let shown_of = |attribute: &str| shown.get(attribute).copied().unwrap_or(USUALLY_SHOWN);
        let facets = search::facets::unite(facets, shown_of, documents);
        IndexFacets { facets, shown }
    }
}
