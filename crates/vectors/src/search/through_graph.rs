//! Search through the graph. Only accepted nodes are compared with the query; `graph/walk.rs`
//! explains how paths lead around the rest.

use super::{Nearest, Search};
use crate::error::Result;
use crate::graph::{Accept, AcceptAll, SearchWidth, Start, Walk};

impl Search<'_> {
    /// Walks from the seeds and from where the coarse layers lead.
    pub fn walk(&self, width: SearchWidth, seeds: Vec<Start>, nearest: &mut Nearest) -> Result<()> {
        if self.accepted.everything {
            return self.walk_from(seeds, width, &AcceptAll, nearest);
        }
        match self.accepted.nodes(self.state)? {
            Some(nodes) => self.walk_from(seeds, width, &nodes, nearest),
            None => self.walk_from(seeds, width, &self.accepted, nearest),
        }
    }

    fn walk_from(
        &self,
        mut starts: Vec<Start>,
        mut width: SearchWidth,
        accept: &impl Accept,
        nearest: &mut Nearest,
    ) -> Result<()> {
        let mut walk = Walk::new(&self.state.graph, self.state.view(), self.query);
        starts.append(&mut walk.descend(0, accept)?);
        loop {
            let found = walk.search(0, &starts, width, accept, Some(self.request.cancel))?;
            for candidate in found {
                if nearest.wants(candidate.distance)
                    && let Some((numbered, row)) = self.state.files.locate(candidate.index())
                    && self.accepted.accepts_row(numbered, row)?
                    && let Some(owner) = numbered.file.owner(row)?
                {
                    nearest.push(candidate.distance, owner);
                }
            }
            // Many vectors of few documents may have filled the beam.
            let is_crowded = self.state.files.has_several() && found.len() == width.ef;
            if nearest.len() >= self.request.limit || !is_crowded || self.request.is_cancelled() {
                return Ok(());
            }
            width = SearchWidth { ef: 2 * width.ef, limit: 2 * width.limit, ..width };
        }
    }
}
