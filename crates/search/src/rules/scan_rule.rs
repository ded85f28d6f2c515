//! The rules that read documents: `proximity`, `attributeRank`, `wordPosition`, and the exact words
//! of `exactness`. The cost of a document is the minimum over the live interpretations of a sum
//! over their nodes, so each document is measured by itself.

use std::collections::BTreeMap;
use std::rc::Rc;

use hashbrown::{HashMap, HashSet};
use roaring::RoaringBitmap;
use segment::DocId;

use super::measure::{Measure, Meter};
use super::{Bucket, Rule};
use crate::context::Context;
use crate::error::SearchError;
use crate::graph::{Node, Path};
use crate::node_key::Breadth;
use crate::node_positions::NodeSlots;
use crate::scan::scan;
use crate::score::{Rank, Score};
use crate::term_dropping::NodeId;

pub(crate) struct ScanRule {
    measure: Measure,
    paths: Rc<Vec<Path>>,
    /// `None` before the first bucket is requested.
    buckets: Option<std::vec::IntoIter<(u32, CostBucket)>>,
    universe: RoaringBitmap,
    max: u32,
}

/// A bucket that is being filled.
#[derive(Default)]
struct CostBucket {
    documents: Vec<DocId>,
    /// Paths and node costs by which documents came here.
    claims: HashSet<(usize, Vec<u32>)>,
}

impl ScanRule {
    pub fn new(
        context: &Context<'_>,
        measure: Measure,
        paths: Rc<Vec<Path>>,
        universe: RoaringBitmap,
    ) -> Self {
        let max = 1 + paths.iter().map(|path| measure.most(context, path)).max().unwrap_or(0);
        Self { measure, paths, buckets: None, universe, max }
    }

    fn fill(&mut self, context: &Context<'_>) -> Result<Vec<(u32, CostBucket)>, SearchError> {
        let slots = NodeSlots::new(context, &self.paths);
        let orders = orders(&self.paths);
        let meters: Vec<Meter<'_, '_>> = self
            .paths
            .iter()
            .map(|path| Meter::new(context, &slots, path, &[self.measure]))
            .collect::<Result<_, _>>()?;
        let mut buckets: BTreeMap<u32, CostBucket> = BTreeMap::new();
        let only_path = if self.paths.len() == 1 { Some(0) } else { None };
        let mut costs = Vec::new();
        let mut best_costs = Vec::new();
        let complete = scan(
            context,
            &self.universe,
            &slots.tables,
            slots.slots,
            |segment, doc_id, occurrences| {
                let mut best: Option<(u32, usize)> = None;
                best_costs.clear();
                for (number, meter) in meters.iter().enumerate() {
                    costs.clear();
                    let total = meter.total(self.measure, segment, doc_id, occurrences, |cost| {
                        costs.push(cost);
                    });
                    let Some(total) = total else {
                        continue;
                    };
                    let is_better = match best {
                        None => true,
                        Some((least, of)) => {
                            total < least
                                || total == least
                                    && precedes(&orders[number], &costs, &orders[of], &best_costs)
                        }
                    };
                    if is_better {
                        best = Some((total, number));
                        std::mem::swap(&mut costs, &mut best_costs);
                    }
                }
                // Every document of the universe matches an interpretation; if its stream
                // disagrees, it goes last.
                let (total, number) = best.unwrap_or((self.max - 1, 0));
                let bucket = buckets.entry(total).or_default();
                bucket.documents.push(doc_id);
                if only_path.is_none() || self.measure == Measure::ExactWords {
                    let claim = (number, best_costs.clone());
                    if !bucket.claims.contains(&claim) {
                        bucket.claims.insert(claim);
                    }
                }
                Ok(())
            },
        )?;
        if !complete {
            return Ok(Vec::new());
        }
        Ok(buckets.into_iter().collect())
    }

    /// Returns the interpretations that are alive in a bucket.
    fn live_paths(&self, bucket: &CostBucket) -> Rc<Vec<Path>> {
        if self.paths.len() == 1 && self.measure != Measure::ExactWords {
            return Rc::clone(&self.paths);
        }
        let orders = orders(&self.paths);
        let mut claims: Vec<&(usize, Vec<u32>)> = bucket.claims.iter().collect();
        claims.sort_by(|a, b| {
            let key = |claim: &(usize, Vec<u32>)| -> Vec<(usize, u32)> {
                orders[claim.0].iter().copied().zip(claim.1.iter().copied()).collect()
            };
            key(a).cmp(&key(b))
        });
        let mut narrowed: HashMap<(usize, usize), Rc<Node>> = HashMap::new();
        let mut seen = HashSet::new();
        let mut live = Vec::new();
        for (number, costs) in claims {
            let path: Path = self.paths[*number]
                .iter()
                .enumerate()
                .map(|(place, node)| match costs.get(place) {
                    Some(0) if self.measure == Measure::ExactWords => Rc::clone(
                        narrowed
                            .entry((*number, place))
                            .or_insert_with(|| Rc::new(narrow_to_exact(node))),
                    ),
                    _ => Rc::clone(node),
                })
                .collect();
            if seen.insert(path.iter().map(|node| node.key()).collect::<Vec<_>>()) {
                live.push(path);
            }
        }
        Rc::new(live)
    }

    fn score(&self, cost: u32) -> Score {
        self.measure.score(Rank { rank: self.max - cost, max: self.max })
    }
}

impl Rule for ScanRule {
    fn next_bucket(&mut self, context: &Context<'_>) -> Result<Option<Bucket>, SearchError> {
        if self.max == 1 && self.paths.len() == 1 {
            // All costs are zero: all documents tie.
            let documents = std::mem::take(&mut self.universe);
            let paths = Rc::clone(&self.paths);
            let bucket = Bucket { documents, paths, score: self.score(0) };
            return Ok((!bucket.documents.is_empty()).then_some(bucket));
        }
        if self.buckets.is_none() {
            self.buckets = Some(self.fill(context)?.into_iter());
        }
        let Some((cost, mut bucket)) = self.buckets.as_mut().and_then(Iterator::next) else {
            return Ok(None);
        };
        let paths = self.live_paths(&bucket);
        bucket.documents.sort_unstable();
        let documents = bucket.documents.into_iter().collect();
        Ok(Some(Bucket { documents, paths, score: self.score(cost) }))
    }
}

fn narrow_to_exact(node: &Node) -> Node {
    if node.is_phrase() {
        node.clone()
    } else {
        Node { levels: node.levels & 1, breadth: Breadth::Exact, ..node.clone() }
    }
}

/// Returns, for each path, the number of each of its nodes in the order of first occurrence.
fn orders(paths: &[Path]) -> Vec<Vec<usize>> {
    let mut numbers: HashMap<NodeId, usize> = HashMap::new();
    paths
        .iter()
        .map(|path| {
            path.iter()
                .map(|node| {
                    let next = numbers.len();
                    *numbers.entry(NodeId::of(node)).or_insert(next)
                })
                .collect()
        })
        .collect()
}

/// Returns whether one way of matching precedes another with the same cost.
fn precedes(order: &[usize], costs: &[u32], other: &[usize], other_costs: &[u32]) -> bool {
    order.iter().zip(costs).lt(other.iter().zip(other_costs))
}
