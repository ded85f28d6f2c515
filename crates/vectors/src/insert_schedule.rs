//! Decides when vectors are inserted into the graph: with their commit or, after a start, in the
//! background. Vectors that are not in the graph yet are found by an exact scan.

use model::Cancel;

use crate::error::Result;
use crate::graph::View;
use crate::numbered_files::NumberedFile;
use crate::store::{State, Store};

/// Stores of up to this many vectors need no graph: an exact scan is as quick.
pub const SMALL_STORE: u64 = 2_000;

impl Store {
    /// Inserts the vectors of the newest file. The commit that makes the store large enough for a
    /// graph inserts those of all other files too.
    pub(crate) fn insert_newest(&self, threads: usize, cancel: &Cancel) -> Result<()> {
        let state = self.state();
        if state.is_small() {
            return Ok(());
        }
        let has_graph = state.files.iter().any(NumberedFile::is_inserted);
        let files = state.files.as_slice();
        let newest = if has_graph { &files[files.len().saturating_sub(1)..] } else { files };
        state.insert(newest, threads, cancel)
    }

    /// Inserts every vector that is not in the graph yet.
    pub(crate) fn catch_up(&self, threads: usize, cancel: &Cancel) -> Result<()> {
        let state = self.state();
        if state.is_small() {
            return Ok(());
        }
        state.insert(state.files.as_slice(), threads, cancel)?;
        state.graph.forget_previous();
        Ok(())
    }
}

impl State {
    /// Returns whether the store is too small for a graph to pay off.
    pub fn is_small(&self) -> bool {
        self.files.live_rows() <= SMALL_STORE
    }

    /// Returns the files whose vectors are only found by an exact scan.
    pub fn not_inserted(&self) -> impl Iterator<Item = &NumberedFile> {
        self.files.iter().filter(|numbered| !numbered.is_inserted())
    }

    pub fn view(&self) -> View<'_> {
        View { files: &self.files, space: &self.space }
    }

    fn insert(&self, files: &[NumberedFile], threads: usize, cancel: &Cancel) -> Result<()> {
        for numbered in files.iter().filter(|numbered| !numbered.is_inserted()) {
            let mut zeros = numbered.file.zeros().iter().peekable();
            let nodes: Vec<u32> = numbered
                .nodes()
                .zip(0..)
                .filter(|(_, row)| zeros.next_if_eq(&row).is_none() && !numbered.is_dead(*row))
                .map(|(node, _)| node)
                .collect();
            self.graph.insert_all(self.view(), &nodes, threads, cancel)?;
            numbered.set_inserted();
        }
        Ok(())
    }
}
