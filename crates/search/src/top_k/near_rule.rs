//! `proximity` before rules that do not depend on words, such as `sort`. Buckets are computed on
//! demand: documents whose words cannot be as near as those of the next bucket are not read.

use std::collections::BTreeMap;
use std::rc::Rc;

use roaring::RoaringBitmap;
use segment::DocId;
use settings::Precision;

use super::bounds::Nearness;
use super::pass::TopKPass;
use crate::context::Context;
use crate::error::SearchError;
use crate::graph::Path;
use crate::node_positions::NodeSlots;
use crate::rules::{Bucket, Measure, Rule};
use crate::score::Rank;
use crate::steps::Step;

pub(crate) struct NearRule {
    /// A single interpretation.
    paths: Rc<Vec<Path>>,
    /// Documents in which a phrase matches a node.
    with_phrases: RoaringBitmap,
    /// Documents that were not read, by the excess of their lower bound over the minimum; the
    /// nearest last.
    groups: Vec<RoaringBitmap>,
    /// The least cost of the documents in the last group.
    next_cost: u32,
    measured: BTreeMap<u32, Vec<DocId>>,
    max: u32,
}

impl NearRule {
    /// Returns `None` if there are several interpretations, or if distances do not count.
    pub fn new(
        context: &Context<'_>,
        paths: &Rc<Vec<Path>>,
        universe: &RoaringBitmap,
    ) -> Result<Option<Self>, SearchError> {
        let by_word = context.settings.proximity_precision == Precision::ByWord;
        let [path] = &paths[..] else {
            return Ok(None);
        };
        let max = 1 + Measure::Proximity.most(context, path);
        if !by_word || max == 1 || path.iter().any(|node| node.is_optional) {
            return Ok(None);
        }
        let mut with_phrases = RoaringBitmap::new();
        for node in path {
            with_phrases |= node.phrase_documents(context)?;
        }
        let nearness = Nearness::new(context, path, universe, usize::MAX)?;
        let certain = nearness.certain(path, &(universe - &with_phrases));
        let mut groups = nearness.groups(context, universe, &with_phrases);
        groups[0] -= &certain;
        groups.reverse();
        let next_cost = Measure::Proximity.least(path);
        let mut measured = BTreeMap::new();
        if !certain.is_empty() {
            measured.insert(next_cost, certain.iter().collect());
        }
        Ok(Some(Self { paths: Rc::clone(paths), with_phrases, groups, next_cost, measured, max }))
    }

    /// Measures the documents of the next group; false if the time is over.
    fn measure(
        &mut self,
        context: &Context<'_>,
        group: &RoaringBitmap,
    ) -> Result<bool, SearchError> {
        let path = &self.paths[0];
        let steps = [Step::Measure(Measure::Proximity)];
        let slots = NodeSlots::new(context, &self.paths);
        let with_phrases = &self.with_phrases & group;
        let mut pass =
            TopKPass::new(context, &steps, path, &slots, None, with_phrases, usize::MAX)?;
        for doc_id in group {
            if pass.is_late()? {
                return Ok(false);
            }
            // A document whose stream disagrees goes last.
            let cost = pass.cost_of(doc_id, u32::MAX)?.unwrap_or(self.max - 1).min(self.max - 1);
            self.measured.entry(cost).or_default().push(doc_id);
        }
        Ok(true)
    }
}

impl Rule for NearRule {
    fn next_bucket(&mut self, context: &Context<'_>) -> Result<Option<Bucket>, SearchError> {
        while let Some(group) = self.groups.last() {
            if self.measured.first_key_value().is_some_and(|(cost, _)| *cost < self.next_cost) {
                break;
            }
            let group = group.clone();
            if !group.is_empty() && !self.measure(context, &group)? {
                return Ok(None);
            }
            self.groups.pop();
            self.next_cost += 1;
        }
        let Some((cost, mut documents)) = self.measured.pop_first() else {
            return Ok(None);
        };
        documents.sort_unstable();
        let rank = Rank { rank: self.max - cost, max: self.max };
        Ok(Some(Bucket {
            documents: documents.into_iter().collect(),
            paths: Rc::clone(&self.paths),
            score: Measure::Proximity.score(rank),
        }))
    }
}
