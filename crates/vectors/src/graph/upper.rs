//! Members of upper layers beyond those drawn by lot. One in sixteen is enough to lead to all
//! others where vectors lie close together, but a distant cluster may have none, and then nothing
//! leads to it. So one of its members is raised, when it is inserted and found to be alone, or when
//! the graph is compacted and the nodes that led to it have been deleted.

use super::Graph;
use super::format::LAYERS;
use super::layer::Member;
use super::walk::{View, Walk};
use crate::error::Result;

/// No member is raised to a layer that has one in this many of the layer below: where most vectors
/// have the same neighbour, few have incoming links, and layers of them would not be coarse.
const RAISED_ONE_IN: u32 = 2;

impl Graph {
    /// Adds a member of the layer below to a layer, and to higher ones where it is just as alone.
    pub(super) fn raise(&self, view: View<'_>, mut member: Member, from: usize) -> Result<()> {
        let Some(query) = view.row(member.node)? else {
            return Ok(());
        };
        for layer in from..LAYERS {
            let below = self.layers[layer - 1].length();
            if self.layers[layer].length() > below / RAISED_ONE_IN {
                return Ok(());
            }
            let mut walk = Walk::new(self, view, query);
            let position = self.find_position(&mut walk, layer, member.node, &mut Vec::new())?;
            drop(walk);
            member.below = self.layers[layer].add(member)?;
            if !self.link_member(view, layer, member.below, &position)? {
                return Ok(());
            }
        }
        Ok(())
    }
}
