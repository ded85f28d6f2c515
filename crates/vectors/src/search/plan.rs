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
/// Documents that are drawn to see where a set lies, and to start from.
pub(super) const SAMPLE: u64 = 128;
/// So many are drawn where it lies apart: it may be in pieces, and each needs a start.
const SAMPLE_APART: u64 = 512;
/// Of two samples together, so many that are nearest to the query are looked at.
const NEAREST: usize = 16;
/// If fewer of these than one in so many pass the filter, what passes lies apart. One in two would
/// if it were spread like the rest, and so few one time in a hundred.
const APART: usize = 4;

/// A scan may cost so many times as much as a walk: under a filter more, since walks find less
/// there and a scan finds everything, and most where what passes the filter lies apart: there walks
/// may miss one in twenty, however far they go.
const SCAN_FOR: f64 = 1.0;
const SCAN_FILTERED_FOR: f64 = 2.0;
const SCAN_APART_FOR: f64 = 5.0;
/// Where a scan costs more than that, a walk goes so many times as far.
const FARTHER_APART: usize = 3;

// What things cost, in nanoseconds as measured on one machine; only their ratios matter.

/// A comparison of a scan, and reading a byte for it.
const SCANNED: (f64, f64) = (13.0, 0.045);
/// A comparison on the way through the graph, which waits for its vector, and a byte of it.
const WALKED: (f64, f64) = (55.0, 0.063);
/// Comparisons on the way down to the lowest layer.
const DESCENT: f64 = 400.0;
/// Finding out whether the node that a link leads to passes the filter.
const LOOK_UP: f64 = 8.0;

impl Search<'_> {
    pub fn plan(&self) -> Result<Plan> {
        let has_graph = self.state.files.iter().any(Placed::is_entered);
        if !has_graph || self.state.is_small() {
            return Ok(Plan::Scan);
        }
        let mut effort = self.effort();
        // Whoever says how much to keep in view wants to go through the graph.
        let is_given = self.request.effort.is_some();
        let times_as_much =
            if is_given { f64::INFINITY } else { self.scan_cost() / self.walk_cost(effort)? };
        let Some(passing) = self.accepted.passing() else {
            let is_cheaper = times_as_much <= SCAN_FOR;
            return Ok(if is_cheaper { Plan::Scan } else { Plan::Walk { effort, seeds: vec![] } });
        };
        if times_as_much <= SCAN_FILTERED_FOR {
            return Ok(Plan::Scan);
        }
        let mut seeds = self.sample(passing, SAMPLE)?;
        if self.is_apart(&seeds)? {
            if times_as_much <= SCAN_APART_FOR {
                return Ok(Plan::Scan);
            }
            if !is_given {
                effort.width *= FARTHER_APART;
                effort.patience *= FARTHER_APART;
            }
            seeds = self.sample(passing, SAMPLE_APART)?;
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
        let way = expansions * (look_ups * LOOK_UP + comparisons * comparison);
        Ok(DESCENT * comparison + way)
    }

    /// The share of documents that pass the filter.
    fn share(&self) -> f64 {
        let (passing, all) = (self.accepted.documents(), self.state.documents().len());
        passing.max(1) as f64 / all.max(1) as f64
    }

    /// Whether what is near the query mostly does not pass the filter, though elsewhere more does.
    /// The nearest that pass then lie around a region that does not, with no short ways between
    /// them. Only the near ones tell: on the whole, what passes may well be nearer than the rest.
    pub(super) fn is_apart(&self, seeds: &[Start]) -> Result<bool> {
        let others = self.sample(self.state.documents(), SAMPLE)?;
        let passing = seeds.iter().map(|start| (start.distance, true));
        let any = others.iter().map(|start| (start.distance, false));
        let mut both: Vec<(f32, bool)> = passing.chain(any).collect();
        both.sort_unstable_by(|left, right| left.0.total_cmp(&right.0));
        let near = &both[..NEAREST.min(both.len())];
        Ok(APART * near.iter().filter(|(_, passes)| *passes).count() < near.len())
    }

    /// Some documents of a set, equally many of each part of it, each by its first vector.
    pub(super) fn sample(&self, documents: &RoaringBitmap, most: u64) -> Result<Vec<Start>> {
        let count = documents.len().min(most);
        let mut sample = Vec::with_capacity(count as usize);
        for number in 0..count {
            let place = number * documents.len() / count;
            let Some(doc_id) = u32::try_from(place).ok().and_then(|place| documents.select(place))
            else {
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
