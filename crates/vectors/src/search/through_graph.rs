//! Finds what is near through the graph, and decides when that pays.

use super::{Nearest, Search};
use crate::error::Result;
use crate::graph::{Accept, Effort, Everything, Start, Walk};
use crate::placed::Placed;

/// Candidates kept in view by default, in a store of a hundred thousand vectors.
const WIDTH: usize = 220;
/// Expansions in a row that may change nothing of the answer.
const PATIENCE: usize = 150;
/// From this share of nodes on that may be results, all are looked at.
const MOST: f64 = 0.15;
/// Ways that bridge what may not be a result are coarser, and take so many times the candidates.
const BRIDGED: usize = 3;
/// Documents that pass the filter and are tried as starts.
const SEEDS: u64 = 64;

// What things cost, in nanoseconds as measured on one machine; only their ratios matter.

/// A comparison, without reading the vector.
const COMPARISON: f64 = 20.0;
/// Reading a byte of a vector.
const BYTE: f64 = 1.0 / 30.0;
/// Finding out whether a node passes the filter.
const LOOK_UP: f64 = 15.0;
/// Comparisons for each candidate that a search keeps in view.
const COMPARISONS_EACH: f64 = 20.0;
/// Neighbours that an expansion looks for.
const NEIGHBOURS: f64 = 32.0;

impl Search<'_> {
    /// Whether comparing with every vector that may be a result is the quickest way.
    pub fn is_exact(&self) -> bool {
        let has_graph = self.state.files.iter().any(Placed::is_entered);
        if !has_graph || self.state.is_small() {
            return true;
        }
        // The fewer nodes may be results, the more are looked at to find one that may.
        let vectors = self.state.files.live_rows() as f64;
        let share = self.share_of_documents();
        let comparison = COMPARISON + BYTE * self.state.space.stride() as f64;
        let width = self.effort().width as f64;
        let through_graph = if share >= MOST {
            width / share * COMPARISONS_EACH * comparison
        } else {
            let looked_at = NEIGHBOURS / share.max(1e-9);
            width * BRIDGED as f64 * (COMPARISONS_EACH * comparison + looked_at * LOOK_UP)
        };
        share * vectors * comparison <= through_graph
    }

    /// By default, what finds 99 of 100.
    fn effort(&self) -> Effort {
        let limit = self.request.limit;
        if let Some(width) = self.request.effort {
            return Effort { width: width.max(limit), limit, patience: usize::MAX };
        }
        // A search goes a little farther in a larger store.
        let doublings = (self.state.files.live_rows().max(1) as f64 / 100_000.0).log2();
        let larger = 1.0 + 0.3 * doublings.max(0.0);
        let scaled = |number: usize| (number as f64 * larger) as usize;
        let width = scaled(WIDTH).max(limit + limit / 2);
        Effort { width, limit, patience: scaled(PATIENCE) + limit }
    }

    /// Where most nodes may be results, the nearest of all are looked for and the others left
    /// out; where few may, or where too few of the nearest did, only those that may.
    pub fn walk(&self, nearest: &mut Nearest) -> Result<()> {
        let mut walk = Walk::new(&self.state.graph, self.state.view(), self.query);
        let Some((top, start)) = walk.start()? else {
            return Ok(());
        };
        let mut starts = vec![walk.descend(top, start, 0)?];
        let share = self.share_of_nodes();
        if share >= MOST {
            let effort = self.effort();
            let effort = Effort {
                width: (effort.width as f64 / share) as usize,
                limit: (effort.limit as f64 / share).ceil() as usize,
                ..effort
            };
            self.walk_from(&mut walk, &starts, effort, &Everything, nearest)?;
        }
        if nearest.len() < self.request.limit && !self.accepted.everything {
            self.add_seeds(&mut starts)?;
            let effort = self.effort();
            let effort = Effort { width: BRIDGED * effort.width, ..effort };
            self.walk_from(&mut walk, &starts, effort, &self.accepted, nearest)?;
        }
        Ok(())
    }

    fn walk_from(
        &self,
        walk: &mut Walk<'_>,
        starts: &[Start],
        mut effort: Effort,
        accept: &impl Accept,
        nearest: &mut Nearest,
    ) -> Result<()> {
        loop {
            let found = walk.search(0, starts, effort, accept, Some(self.request.cancelled))?;
            for candidate in found {
                if nearest.wants(candidate.distance)
                    && let Some((placed, row)) = self.state.files.locate(candidate.index)
                    && self.accepted.accepts(placed, row)?
                    && let Some(owner) = placed.file.owner(row)?
                {
                    nearest.push(candidate.distance, owner);
                }
            }
            // Many vectors of few documents may have filled the beam.
            let is_crowded = self.state.files.has_several() && found.len() == effort.width;
            if nearest.len() >= self.request.limit || !is_crowded || self.request.is_cancelled() {
                return Ok(());
            }
            effort = Effort { width: 2 * effort.width, limit: 2 * effort.limit, ..effort };
        }
    }

    /// The share of the nodes of the graph that may be results.
    fn share_of_nodes(&self) -> f64 {
        let (live, dead) =
            (self.state.files.live_rows() as f64, self.state.files.dead_rows() as f64);
        let several = if self.accepted.has_nth() { 0.0 } else { 1.0 };
        several * self.share_of_documents() * live / (live + dead).max(1.0)
    }

    /// The share of documents that pass the filter.
    fn share_of_documents(&self) -> f64 {
        self.accepted.documents() as f64 / self.state.documents().len().max(1) as f64
    }

    /// Documents spread over those that pass the filter, as further starts: what passes may lie
    /// in a corner that no way from elsewhere leads to.
    fn add_seeds(&self, starts: &mut Vec<Start>) -> Result<()> {
        let Some(passing) = self.accepted.passing() else {
            return Ok(());
        };
        let step = (passing.len() / SEEDS).max(1);
        for place in (0..passing.len()).step_by(step as usize) {
            let Some(doc_id) = passing.select(place as u32) else {
                continue;
            };
            for placed in self.state.files.iter().filter(|placed| placed.is_entered()) {
                let Some(rows) = placed.rows_of(doc_id)? else {
                    continue;
                };
                let distance = self.state.space.distance(self.query, placed.file.row(rows.start)?);
                starts.extend(placed.node_of(rows.start).map(|index| Start { index, distance }));
            }
        }
        Ok(())
    }
}
