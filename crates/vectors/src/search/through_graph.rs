//! Finds what is near through the graph. Only what may be a result is compared with the query;
//! how ways lead around the rest is told in `graph/walk.rs`.

use super::{Nearest, Search};
use crate::error::Result;
use crate::graph::{Accept, Effort, Everything, Start, Walk};

impl Search<'_> {
    /// Goes from the seeds and from where the coarse layers lead.
    pub fn walk(&self, effort: Effort, seeds: Vec<Start>, nearest: &mut Nearest) -> Result<()> {
        if self.accepted.everything {
            return self.walk_from(seeds, effort, &Everything, nearest);
        }
        match self.accepted.nodes(self.state)? {
            Some(nodes) => self.walk_from(seeds, effort, &nodes, nearest),
            None => self.walk_from(seeds, effort, &self.accepted, nearest),
        }
    }

    fn walk_from(
        &self,
        mut starts: Vec<Start>,
        mut effort: Effort,
        accept: &impl Accept,
        nearest: &mut Nearest,
    ) -> Result<()> {
        let mut walk = Walk::new(&self.state.graph, self.state.view(), self.query);
        starts.append(&mut walk.descend(0, accept)?);
        loop {
            let found = walk.search(0, &starts, effort, accept, Some(self.request.cancelled))?;
            for candidate in found {
                if nearest.wants(candidate.distance)
                    && let Some((placed, row)) = self.state.files.locate(candidate.index())
                    && self.accepted.accepts_row(placed, row)?
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
}
