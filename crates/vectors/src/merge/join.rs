//! Copies the live rows of several files into one.

use std::sync::Arc;

use model::CancelCheck;
use roaring::RoaringBitmap;

use super::MergeOutput;
use crate::entry::{self, FileEntry};
use crate::error::Result;
use crate::file::format::NO_OWNER;
use crate::file::{VectorFile, VectorFileEnd, VectorFileWriter};
use crate::numbered_files::NumberedFile;
use crate::store::{State, Store};
use crate::unfinished_file::UnfinishedFile;

/// A written file that is deleted again unless it is kept.
pub struct JoinedFile {
    pub generation: u64,
    pub file: Arc<VectorFile>,
    pub unfinished: UnfinishedFile,
}

impl Store {
    /// Returns the store with its files from `from` on joined. Rows keep their nodes.
    pub(super) fn join(&self, from: usize, output: &mut MergeOutput<'_>) -> Result<Self> {
        let state = self.state();
        let inputs = &state.files.as_slice()[from..];
        let living = inputs.iter().flat_map(|numbered| {
            numbered
                .nodes()
                .zip(0..)
                .filter(|(_, row)| !numbered.is_dead(*row))
                .map(|(node, _)| node)
        });
        let nodes: RoaringBitmap = living.collect();
        let first_node = nodes.min().unwrap_or_else(|| inputs[0].first_node());
        let offsets: RoaringBitmap = nodes.iter().map(|node| node - first_node).collect();
        let joined = state.write_joined(from, Some(&offsets), output)?;
        let entry = FileEntry { generation: joined.generation, first_node, sparse: true };
        let numbered = NumberedFile::new(entry, joined.file)?;
        if inputs.iter().all(NumberedFile::is_inserted) {
            numbered.set_inserted();
        }
        let files = state.files.first_few(from).followed_by(numbered)?;
        joined.unfinished.keep();
        Ok(Self::from_parts(*self.options(), files, state.graph.clone()))
    }
}

impl State {
    /// Writes the live rows of the files from `from` on.
    pub(super) fn write_joined(
        &self,
        from: usize,
        nodes: Option<&RoaringBitmap>,
        output: &mut MergeOutput<'_>,
    ) -> Result<JoinedFile> {
        let (older, inputs) = self.files.as_slice().split_at(from);
        let generation = (output.next_generation)();
        let name = entry::vectors_name(output.name, generation);
        let unfinished = UnfinishedFile::new(output.directory, name);
        let mut writer =
            VectorFileWriter::create(&**output.directory, unfinished.name(), self.space)?;
        let mut owners = Vec::new();
        let mut cancel = CancelCheck::new(output.cancel);
        for numbered in inputs {
            for row in 0..numbered.file.rows() {
                cancel.step()?;
                if !numbered.is_dead(row) {
                    writer.push_row(numbered.file.row(row)?)?;
                    owners.push(numbered.file.owner(row)?.unwrap_or(NO_OWNER));
                }
            }
        }
        let gone = still_gone(older, inputs);
        writer.finish(VectorFileEnd { owners: &owners, gone: &gone, nodes })?;
        let file = Arc::new(VectorFile::open(&**output.directory, unfinished.name())?);
        Ok(JoinedFile { generation, file, unfinished })
    }
}

/// Returns the documents that these files replace or remove in older ones, and do not have.
fn still_gone(older: &[NumberedFile], inputs: &[NumberedFile]) -> RoaringBitmap {
    let mut gone = RoaringBitmap::new();
    let mut living = RoaringBitmap::new();
    for numbered in inputs {
        gone |= numbered.file.gone() | numbered.file.documents();
        living |= numbered.live();
    }
    gone -= living;
    let known =
        older.iter().fold(RoaringBitmap::new(), |all, numbered| all | numbered.file.documents());
    gone & known
}
