//! Compacts the graph of a store, and the vector files that are worth it.

use std::sync::Arc;

use segment::FrameWriter;

use super::MergeOutput;
use crate::entry::{self, FileEntry};
use crate::error::Result;
use crate::file::format::NO_OWNER;
use crate::graph::{Graph, GraphFile, PreviousGraph, Renumbering, format, write_compacted};
use crate::numbered_files::{NumberedFile, NumberedFiles};
use crate::store::{State, Store};
use crate::unfinished_file::UnfinishedFile;

impl Store {
    /// Returns the store with its files from `from` on joined and all nodes renumbered.
    pub(super) fn compact(&self, from: usize, output: &mut MergeOutput<'_>) -> Result<Self> {
        let state = self.state();
        let numbers = NewNumbers::new(self, from);
        let mut files = NumberedFiles::default();
        let mut first_node = 0;
        for numbered in &state.files.as_slice()[..from] {
            files = files.followed_by(numbered.at(first_node)?)?;
            first_node += numbered.file.rows();
        }
        let mut unfinished = None;
        if from < state.files.as_slice().len() {
            let joined = state.write_joined(from, None, output)?;
            let entry = FileEntry { generation: joined.generation, first_node, sparse: false };
            files = files.followed_by(NumberedFile::new(entry, joined.file)?)?;
            unfinished = Some(joined.unfinished);
        }
        let graph = if state.is_small() {
            Graph::new(None, None, files.end())
        } else {
            let graph = state.write_graph(&numbers, &files, output)?;
            files.iter().for_each(NumberedFile::set_inserted);
            graph.set_previous(PreviousGraph::new(Arc::clone(&state.graph), numbers));
            graph
        };
        unfinished.into_iter().for_each(UnfinishedFile::keep);
        Ok(Self::from_parts(*self.options(), files, Arc::new(graph)))
    }
}

impl State {
    fn write_graph(
        &self,
        numbers: &NewNumbers,
        files: &NumberedFiles,
        output: &mut MergeOutput<'_>,
    ) -> Result<Graph> {
        let generation = (output.next_generation)();
        let unfinished =
            UnfinishedFile::new(output.directory, entry::graph_name(output.name, generation));
        let name = unfinished.name();
        let frame = FrameWriter::create(&**output.directory, name, format::KIND, format::VERSION)?;
        write_compacted(&self.graph, self.view(), numbers, frame, output.threads, output.cancel)?;
        let file = Arc::new(GraphFile::open(&**output.directory, name)?);
        unfinished.keep();
        Ok(Graph::new(Some(file), Some(generation), files.end()))
    }
}

/// New node numbers: consecutive in the row order of the new files.
struct NewNumbers {
    store: Store,
    /// Files before this one stay as they are, including the rows of deleted documents.
    from: usize,
    /// First node of each of those files.
    firsts: Vec<u32>,
    /// New node of each row of the files from there on; [`NO_OWNER`] for deleted ones.
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
        for (place, numbered) in store.state().files.iter().enumerate() {
            numbers.living += numbered.live_rows();
            if place < from {
                numbers.keep(numbered);
            } else {
                numbers.copy(numbered);
            }
        }
        numbers
    }

    fn keep(&mut self, numbered: &NumberedFile) {
        self.firsts.push(self.old_nodes.len() as u32);
        let rows = numbered.nodes().zip(0..);
        self.old_nodes.extend(rows.map(|(node, row)| (!numbered.is_dead(row)).then_some(node)));
    }

    fn copy(&mut self, numbered: &NumberedFile) {
        let mut moved = Vec::with_capacity(numbered.file.rows() as usize);
        for (node, row) in numbered.nodes().zip(0..) {
            if numbered.is_dead(row) {
                moved.push(NO_OWNER);
            } else {
                moved.push(self.old_nodes.len() as u32);
                self.old_nodes.push(Some(node));
            }
        }
        self.moved.push(moved);
    }
}

impl Renumbering for NewNumbers {
    fn new_node(&self, node: u32) -> Option<u32> {
        let (place, row) = self.store.state().files.locate_place(node)?;
        let Some(moved) = place.checked_sub(self.from) else {
            let numbered = &self.store.state().files.as_slice()[place];
            return (!numbered.is_dead(row)).then(|| self.firsts[place] + row);
        };
        let new = *self.moved[moved].get(row as usize)?;
        (new != NO_OWNER).then_some(new)
    }

    fn old_nodes(&self) -> &[Option<u32>] {
        &self.old_nodes
    }

    fn living(&self) -> u32 {
        self.living
    }
}
