//! How a search goes about it: by comparing with every vector that may be a result, or through
//! the graph, and how far it goes there.

use roaring::RoaringBitmap;

use super::Search;
use crate::error::Result;
use crate::graph::{Effort, Start};
use crate::placed::Placed;

#[derive(Debug)]
pub enum Plan {
    Scan,
    Walk {
        effort: Effort,
        /// Nodes that pass the filter, to start from: they may lie in a corner that no way from
        /// elsewhere leads to.
        seeds: Vec<Start>,
    },
}

/// Candidates kept in view by default, in a store of a hundred thousand vectors.
const WIDTH: f64 = 240.0;
/// Expansions in a row that may change nothing of the answer.
const PATIENCE: f64 = 165.0;
/// Both grow by so much with each doubling of the store.
const GROWTH: f64 = 0.3;
/// Accepted neighbours that an expansion looks for where all are.
const NEIGHBOURS: f64 = 24.0;
/// Documents that are drawn to see how far away a set is.
const SAMPLE: usize = 64;

/// A scan may cost so many times as much as a walk: under a filter more, since walks find less
/// there and a scan finds everything, and most where what passes the filter lies apart.
const SCAN_FOR: f64 = 1.0;
const SCAN_FILTERED_FOR: f64 = 2.0;
const SCAN_APART_FOR: f64 = 3.0;

// What things cost, in nanoseconds as measured on one machine; only their ratios matter.

/// A comparison of a scan, and reading a byte for it.
const SCANNED: (f64, f64) = (13.0, 0.045);
/// A comparison on the way through the graph, which waits for its vector, and a byte of it.
const WALKED: (f64, f64) = (55.0, 0.063);
/// Finding out whether the node that a link leads to passes the filter.
const LOOK_UP: f64 = 8.0;

impl Search<'_> {
    pub fn plan(&self) -> Result<Plan> {
        let has_graph = self.state.files.iter().any(Placed::is_entered);
        if !has_graph || self.state.is_small() {
            return Ok(Plan::Scan);
        }
        let mut effort = self.effort();
        let times_as_much = self.scan_cost() / self.walk_cost(effort)?;
        let Some(passing) = self.accepted.passing() else {
            let is_cheaper = times_as_much <= SCAN_FOR;
            return Ok(if is_cheaper { Plan::Scan } else { Plan::Walk { effort, seeds: vec![] } });
        };
        if times_as_much <= SCAN_FILTERED_FOR {
            return Ok(Plan::Scan);
        }
        let seeds = self.sample(passing)?;
        if self.is_apart(&seeds)? {
            if times_as_much <= SCAN_APART_FOR {
                return Ok(Plan::Scan);
            }
            effort.width *= 2;
            effort.patience = effort.patience.saturating_mul(2);
        }
        Ok(Plan::Walk { effort, seeds })
    }

    /// By default, what finds 99 of 100.
    fn effort(&self) -> Effort {
        let limit = self.request.limit;
        let neighbours = (NEIGHBOURS / self.share().sqrt()) as usize;
        if let Some(width) = self.request.effort {
            return Effort { width: width.max(limit), limit, patience: usize::MAX, neighbours };
        }
        // A search goes a little farther in a larger store.
        let doublings = (self.state.files.live_rows().max(1) as f64 / 100_000.0).log2();
        let larger = 1.0 + GROWTH * doublings.max(0.0);
        // Bridges make ways coarser, so that more has to be kept in view; on the other hand each
        // expansion meets more.
        let (wider, shorter) = if self.accepted.everything { (1.0, 1.0) } else { (1.5, 0.8) };
        let width = ((WIDTH * larger * wider) as usize).max(limit + limit / 2);
        let patience = (shorter * (PATIENCE * larger + limit as f64)) as usize;
        Effort { width, limit, patience, neighbours }
    }

    fn scan_cost(&self) -> f64 {
        let vectors = self.state.files.live_rows() as f64;
        self.share() * vectors * (SCANNED.0 + SCANNED.1 * self.state.space.stride() as f64)
    }

    fn walk_cost(&self, effort: Effort) -> Result<f64> {
        let degree = self.state.graph.degree()?;
        // Of each node that is expanded the links are looked at, and then those of bridges; many
        // of these have been bridges before.
        let bridges = (effort.neighbours as f64 / (degree * self.share())).min(degree);
        let look_ups = (1.0 + 0.7 * bridges) * degree;
        // Few links are the sign of neighbourhoods that overlap: little of them is new.
        let comparisons = degree * degree / 40.0;
        let comparison = WALKED.0 + WALKED.1 * self.state.space.stride() as f64;
        let expansions = 1.15 * effort.patience.min(effort.width) as f64;
        Ok(expansions * (look_ups * LOOK_UP + comparisons * comparison))
    }

    /// The share of documents that pass the filter.
    fn share(&self) -> f64 {
        let (passing, all) = (self.accepted.documents(), self.state.documents().len());
        passing.max(1) as f64 / all.max(1) as f64
    }

    /// Whether what passes the filter is farther from the query than other documents are. Its
    /// nearest then lie around a region that does not pass, with no short ways between them.
    fn is_apart(&self, seeds: &[Start]) -> Result<bool> {
        let others = self.sample(self.state.documents())?;
        let (near, _) = mean_and_deviation(&others);
        let (far, deviation) = mean_and_deviation(seeds);
        Ok(far > near + deviation / 4.0)
    }

    /// Some documents of a set, spread over their numbers, each by its first vector.
    fn sample(&self, documents: &RoaringBitmap) -> Result<Vec<Start>> {
        let mut sample = Vec::with_capacity(SAMPLE);
        let (Some(first), Some(last)) = (documents.min(), documents.max()) else {
            return Ok(sample);
        };
        let mut rest = documents.iter();
        for number in (first..=last).step_by((last - first) as usize / SAMPLE + 1) {
            rest.advance_to(number);
            let Some(doc_id) = rest.next() else {
                break;
            };
            for placed in self.state.files.iter().filter(|placed| placed.is_entered()) {
                let Some(rows) = placed.rows_of(doc_id)? else {
                    continue;
                };
                let distance = self.state.space.distance(self.query, placed.file.row(rows.start)?);
                sample.extend(placed.node_of(rows.start).map(|index| Start { index, distance }));
            }
        }
        Ok(sample)
    }
}

fn mean_and_deviation(starts: &[Start]) -> (f64, f64) {
    let count = starts.len().max(1) as f64;
    let distances = || starts.iter().map(|start| f64::from(start.distance));
    let mean = distances().sum::<f64>() / count;
    let variance = distances().map(|distance| (distance - mean).powi(2)).sum::<f64>() / count;
    (mean, variance.sqrt())
}
