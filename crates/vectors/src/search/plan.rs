//! Search plan: an exact scan of the accepted vectors, or a walk through the graph, and how wide.

use roaring::RoaringBitmap;

use super::Search;
use crate::error::Result;
use crate::graph::{SearchWidth, Start};
use crate::numbered_files::NumberedFile;

#[derive(Debug)]
pub enum Plan {
    Scan,
    Walk {
        width: SearchWidth,
        /// Accepted nodes to start from, since no path from elsewhere may lead to their region.
        seeds: Vec<Start>,
    },
}

/// Default beam width (`ef`) in a store of a hundred thousand vectors.
const WIDTH: f64 = 240.0;
/// Expansions in a row that may leave the answer unchanged.
const PATIENCE: f64 = 165.0;
/// Growth of both with each doubling of the store.
const GROWTH: f64 = 0.3;
/// Accepted neighbours that an expansion looks for if all nodes are accepted.
const NEIGHBOURS: f64 = 24.0;
/// Documents sampled to see where a set lies, and to start from.
pub(super) const SAMPLE: u64 = 128;
/// Sample size where the set lies apart: it may be in pieces, and each needs a start.
const SAMPLE_APART: u64 = 512;
/// Nearest members of two samples together that are examined.
const NEAREST: usize = 16;
/// If fewer than one in this many of these pass the filter, the passing set lies apart. One in two
/// would pass if the set were spread like the rest, and so few one time in a hundred.
const APART: usize = 4;

/// How many times the cost of a walk a scan may cost: more under a filter, where walks find less
/// and a scan finds everything, and most where the passing set lies apart: there walks may miss one
/// in twenty, however wide they are.
const SCAN_FOR: f64 = 1.0;
const SCAN_FILTERED_FOR: f64 = 2.0;
const SCAN_APART_FOR: f64 = 5.0;
/// Where a scan costs more than that, a walk is this many times as wide.
const FARTHER_APART: usize = 3;

// Costs in nanoseconds, measured on one machine; only their ratios matter.

/// A comparison of a scan, and reading a byte for it.
const SCANNED: (f64, f64) = (13.0, 0.045);
/// A comparison of a walk, which waits for its vector, and reading a byte for it.
const WALKED: (f64, f64) = (55.0, 0.063);
/// Comparisons of a descent to the lowest layer.
const DESCENT: f64 = 400.0;
/// Checking whether the node of a link passes the filter.
const LOOK_UP: f64 = 8.0;

impl Search<'_> {
    pub fn plan(&self) -> Result<Plan> {
        let has_graph = self.state.files.iter().any(NumberedFile::is_inserted);
        if !has_graph || self.state.is_small() {
            return Ok(Plan::Scan);
        }
        let mut width = self.search_width();
        // A request that sets `ef` wants to go through the graph.
        let is_given = self.request.ef.is_some();
        let times_as_much =
            if is_given { f64::INFINITY } else { self.scan_cost() / self.walk_cost(width)? };
        let Some(passing) = self.accepted.passing() else {
            let is_cheaper = times_as_much <= SCAN_FOR;
            return Ok(if is_cheaper { Plan::Scan } else { Plan::Walk { width, seeds: vec![] } });
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
                width.ef *= FARTHER_APART;
                width.patience *= FARTHER_APART;
            }
            seeds = self.sample(passing, SAMPLE_APART)?;
        }
        Ok(Plan::Walk { width, seeds })
    }

    /// Returns the width of the walk; by default enough to find 99 of 100.
    fn search_width(&self) -> SearchWidth {
        let limit = self.request.limit;
        let neighbours = (NEIGHBOURS / self.share().sqrt()) as usize;
        if let Some(ef) = self.request.ef {
            return SearchWidth { ef: ef.max(limit), limit, patience: usize::MAX, neighbours };
        }
        // A search in a larger store is a little wider.
        let doublings = (self.state.files.live_rows().max(1) as f64 / 100_000.0).log2();
        let larger = 1.0 + GROWTH * doublings.max(0.0);
        // Bridges make paths coarser, so the beam is wider, but each expansion meets more nodes.
        let (wider, shorter) = if self.accepted.everything { (1.0, 1.0) } else { (1.5, 0.8) };
        let ef = ((WIDTH * larger * wider) as usize).max(limit + limit / 2);
        let patience = (shorter * (PATIENCE * larger + limit as f64)) as usize;
        SearchWidth { ef, limit, patience, neighbours }
    }

    fn scan_cost(&self) -> f64 {
        let vectors = self.state.files.live_rows() as f64;
        self.share() * vectors * (SCANNED.0 + SCANNED.1 * self.state.space.stride() as f64)
    }

    fn walk_cost(&self, width: SearchWidth) -> Result<f64> {
        let degree = self.state.graph.degree()?;
        // Each expansion checks its own links, then those of bridges, many of them again.
        let bridges = (width.neighbours as f64 / (degree * self.share())).min(degree);
        let look_ups = (1.0 + 0.7 * bridges) * degree;
        // Few links indicate overlapping neighbourhoods: few of the neighbours are new.
        let comparisons = degree * degree / 40.0;
        let comparison = WALKED.0 + WALKED.1 * self.state.space.stride() as f64;
        let expansions = 1.15 * width.patience.min(width.ef) as f64;
        let way = expansions * (look_ups * LOOK_UP + comparisons * comparison);
        Ok(DESCENT * comparison + way)
    }

    /// Returns the share of documents that pass the filter.
    fn share(&self) -> f64 {
        let (passing, all) = (self.accepted.documents(), self.state.documents().len());
        passing.max(1) as f64 / all.max(1) as f64
    }

    /// Returns whether vectors near the query mostly fail the filter, though others pass. The
    /// nearest passing ones then surround a failing region, with no short paths between them. Only
    /// near vectors tell: overall, the passing ones may well be nearer than the rest.
    pub(super) fn is_apart(&self, seeds: &[Start]) -> Result<bool> {
        let others = self.sample(self.state.documents(), SAMPLE)?;
        let passing = seeds.iter().map(|start| (start.distance, true));
        let any = others.iter().map(|start| (start.distance, false));
        let mut both: Vec<(f32, bool)> = passing.chain(any).collect();
        both.sort_unstable_by(|left, right| left.0.total_cmp(&right.0));
        let near = &both[..NEAREST.min(both.len())];
        Ok(APART * near.iter().filter(|(_, passes)| *passes).count() < near.len())
    }

    /// Samples documents of a set, evenly from all of its parts, each by its first vector.
    pub(super) fn sample(&self, documents: &RoaringBitmap, most: u64) -> Result<Vec<Start>> {
        let count = documents.len().min(most);
        let mut sample = Vec::with_capacity(count as usize);
        for number in 0..count {
            let place = number * documents.len() / count;
            let Some(doc_id) = u32::try_from(place).ok().and_then(|place| documents.select(place))
            else {
                break;
            };
            for numbered in self.state.files.iter().filter(|numbered| numbered.is_inserted()) {
                let Some(rows) = numbered.rows_of(doc_id)? else {
                    continue;
                };
                let distance =
                    self.state.space.distance(self.query, numbered.file.row(rows.start)?);
                sample.extend(numbered.node_of(rows.start).map(|index| Start { index, distance }));
            }
        }
        Ok(sample)
    }
}
