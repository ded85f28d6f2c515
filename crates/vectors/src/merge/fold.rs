//! Writes the graph of a store anew, and the files of vectors that are worth it.

use std::sync::Arc;

use segment::FrameWriter;

use super::Site;
use crate::entry::{self, FileEntry};
use crate::error::Result;
use crate::file::format::NOBODY;
use crate::graph::{Former, Graph, GraphFile, Renumbered, format, write_folded};
use crate::placed::{Placed, PlacedFiles};
use crate::store::{State, Store};
use crate::unfinished::Unfinished;

impl Store {
    /// The store with its files from `from` on in one, and with all nodes numbered anew.
    pub(super) fn fold(&self, from: usize, site: &mut Site<'_>) -> Result<Self> {
        let state = self.state();
        let numbers = NewNumbers::new(self, from);
        let mut files = PlacedFiles::default();
        let mut first_node = 0;
        for placed in &state.files.as_slice()[..from] {
            files = files.followed_by(placed.at(first_node)?)?;
            first_node += placed.file.rows();
        }
        let mut unfinished = None;
        if from < state.files.as_slice().len() {
            let joined = state.write_joined(from, None, site)?;
            let entry = FileEntry { generation: joined.generation, first_node, sparse: false };
            files = files.followed_by(Placed::new(entry, joined.file)?)?;
            unfinished = Some(joined.unfinished);
        }
        let graph = if state.is_small() {
            Graph::new(None, None, files.end())
        } else {
            let graph = state.write_graph(&numbers, &files, site)?;
            files.iter().for_each(Placed::set_entered);
            graph.set_former(Former::new(Arc::clone(&state.graph), numbers));
            graph
        };
        unfinished.into_iter().for_each(Unfinished::keep);
        Ok(Self::from_parts(*self.options(), files, Arc::new(graph)))
    }
}

impl State {
    fn write_graph(
        &self,
        numbers: &NewNumbers,
        files: &PlacedFiles,
        site: &mut Site<'_>,
    ) -> Result<Graph> {
        let generation = (site.next_generation)();
        let unfinished = Unfinished::new(site.directory, entry::graph_name(site.name, generation));
        let name = unfinished.name();
        let frame = FrameWriter::create(&**site.directory, name, format::KIND, format::VERSION)?;
        write_folded(&self.graph, self.view(), numbers, frame, site.threads, site.should_stop)?;
        let file = Arc::new(GraphFile::open(&**site.directory, name)?);
        unfinished.keep();
        Ok(Graph::new(Some(file), Some(generation), files.end()))
    }
}

/// The numbers that nodes get: as their rows follow each other in the new files.
struct NewNumbers {
    store: Store,
    /// Files before it stay as they are, with the rows of the dead among the others.
    from: usize,
    /// The first node of each of those.
    firsts: Vec<u32>,
    /// For each file from there on, the new node of each row; [`NOBODY`] for the dead.
    moved: Vec<Vec<u32>>,
    old_nodes: Vec<Option<u32>>,
    living: u32,
}

impl NewNumbers {
    fn new(store: &Store, from: usize) -> Self {
        let mut numbers = Self {
            store: store.clone(),
            from,
            firsts: Vec::new(),
            moved: Vec::new(),
            old_nodes: Vec::new(),
            living: 0,
        };
        for (place, placed) in store.state().files.iter().enumerate() {
            numbers.living += placed.live_rows();
            if place < from {
                numbers.keep(placed);
            } else {
                numbers.copy(placed);
            }
        }
        numbers
    }

    fn keep(&mut self, placed: &Placed) {
        self.firsts.push(self.old_nodes.len() as u32);
        let rows = placed.nodes().zip(0..);
        self.old_nodes.extend(rows.map(|(node, row)| (!placed.is_dead(row)).then_some(node)));
    }

    fn copy(&mut self, placed: &Placed) {
        let mut moved = Vec::with_capacity(placed.file.rows() as usize);
        for (node, row) in placed.nodes().zip(0..) {
            if placed.is_dead(row) {
                moved.push(NOBODY);
            } else {
                moved.push(self.old_nodes.len() as u32);
                self.old_nodes.push(Some(node));
            }
        }
        self.moved.push(moved);
    }
}

impl Renumbered for NewNumbers {
    fn new_node(&self, node: u32) -> Option<u32> {
        let (place, row) = self.store.state().files.locate_place(node)?;
        let Some(moved) = place.checked_sub(self.from) else {
            let placed = &self.store.state().files.as_slice()[place];
            return (!placed.is_dead(row)).then(|| self.firsts[place] + row);
        };
        let new = *self.moved[moved].get(row as usize)?;
        (new != NOBODY).then_some(new)
    }

    fn old_nodes(&self) -> &[Option<u32>] {
        &self.old_nodes
    }

    fn living(&self) -> u32 {
        self.living
    }
}
