//! When vectors get into the graph: with the commit that brings them, or, after a start, in the
//! background. Vectors that are not in the graph are found all the same, by comparing with each.

use crate::error::Result;
use crate::graph::View;
use crate::placed::Placed;
use crate::store::{State, Store};

/// Up to so many vectors no graph is needed: comparing with all of them is as quick.
pub const SMALL_STORE: u64 = 2_000;

impl Store {
    /// Enters the vectors of the newest file. With the one that makes the store large enough for
    /// a graph, all others come along.
    pub(crate) fn enter_newest(
        &self,
        threads: usize,
        should_stop: &dyn Fn() -> bool,
    ) -> Result<()> {
        let state = self.state();
        if state.is_small() {
            return Ok(());
        }
        let has_graph = state.files.iter().any(Placed::is_entered);
        let files = state.files.as_slice();
        let newest = if has_graph { &files[files.len().saturating_sub(1)..] } else { files };
        state.enter(newest, threads, should_stop)
    }

    /// Enters every vector that is not in the graph yet.
    pub(crate) fn catch_up(&self, threads: usize, should_stop: &dyn Fn() -> bool) -> Result<()> {
        let state = self.state();
        if state.is_small() {
            return Ok(());
        }
        state.enter(state.files.as_slice(), threads, should_stop)?;
        state.graph.forget_former();
        Ok(())
    }
}

impl State {
    /// Whether a graph would not pay.
    pub fn is_small(&self) -> bool {
        self.files.live_rows() <= SMALL_STORE
    }

    /// Files whose vectors are found by comparing with each.
    pub fn not_entered(&self) -> impl Iterator<Item = &Placed> {
        self.files.iter().filter(|placed| !placed.is_entered())
    }

    pub fn view(&self) -> View<'_> {
        View { files: &self.files, space: &self.space }
    }

    fn enter(
        &self,
        files: &[Placed],
        threads: usize,
        should_stop: &dyn Fn() -> bool,
    ) -> Result<()> {
        for placed in files.iter().filter(|placed| !placed.is_entered()) {
            let mut zeros = placed.file.zeros().iter().peekable();
            let nodes: Vec<u32> = placed
                .nodes()
                .zip(0..)
                .filter(|(_, row)| zeros.next_if_eq(&row).is_none() && !placed.is_dead(*row))
                .map(|(node, _)| node)
                .collect();
            self.graph.enter_all(self.view(), &nodes, threads, should_stop)?;
            placed.set_entered();
        }
        Ok(())
    }
}
