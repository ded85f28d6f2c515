//! Members of the layers above beside those that are there by lot. One in sixteen is enough to
//! lead to all the others where vectors lie close together. Of a cluster that lies apart there may
//! be none among them, and then nothing leads to it: so one of it is raised, when it is entered
//! and seen to be alone, or when the graph is written anew and those that led to it have died.

use super::Graph;
use super::format::LAYERS;
use super::layer::Member;
use super::walk::{View, Walk};
use crate::error::Result;

/// None is raised to a layer that has one in so many of the one below it. Where most vectors have
/// the same neighbour, hardly any is linked to, and layers of them all would not be coarse.
const RAISED_ONE_IN: u32 = 2;

impl Graph {
    /// Puts a member of the layer below into a layer too, and into those above that where it is
    /// just as alone.
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
            let place = self.place(&mut walk, layer, member.node, &mut Vec::new())?;
            drop(walk);
            member.below = self.layers[layer].add(member)?;
            if !self.settle(view, layer, member.below, &place)? {
                return Ok(());
            }
        }
        Ok(())
    }
}
