//! Copies the living rows of several files into one.

use std::sync::Arc;

use roaring::RoaringBitmap;
use segment::SegmentError;

use super::Site;
use crate::entry::{self, FileEntry};
use crate::error::Result;
use crate::file::format::NOBODY;
use crate::file::{VectorFile, VectorFileEnd, VectorFileWriter};
use crate::placed::Placed;
use crate::store::{State, Store};
use crate::unfinished::Unfinished;

/// Rows between two questions whether to stop.
const ROWS_PER_QUESTION: u32 = 1024;

/// A file that is there, and goes away again unless it is kept.
pub struct Joined {
    pub generation: u64,
    pub file: Arc<VectorFile>,
    pub unfinished: Unfinished,
}

impl Store {
    /// The store with its files from `from` on in one. Rows keep their nodes.
    pub(super) fn join(&self, from: usize, site: &mut Site<'_>) -> Result<Self> {
        let state = self.state();
        let inputs = &state.files.as_slice()[from..];
        let living = inputs.iter().flat_map(|placed| {
            placed.nodes().zip(0..).filter(|(_, row)| !placed.is_dead(*row)).map(|(node, _)| node)
        });
        let nodes: RoaringBitmap = living.collect();
        let first_node = nodes.min().unwrap_or_else(|| inputs[0].first_node());
        let offsets: RoaringBitmap = nodes.iter().map(|node| node - first_node).collect();
        let joined = state.write_joined(from, Some(&offsets), site)?;
        let entry = FileEntry { generation: joined.generation, first_node, sparse: true };
        let placed = Placed::new(entry, joined.file)?;
        if inputs.iter().all(Placed::is_entered) {
            placed.set_entered();
        }
        let files = state.files.first_few(from).followed_by(placed)?;
        joined.unfinished.keep();
        Ok(Self::from_parts(*self.options(), files, state.graph.clone()))
    }
}

impl State {
    /// Writes the living rows of the files from `from` on.
    pub(super) fn write_joined(
        &self,
        from: usize,
        nodes: Option<&RoaringBitmap>,
        site: &mut Site<'_>,
    ) -> Result<Joined> {
        let (older, inputs) = self.files.as_slice().split_at(from);
        let generation = (site.next_generation)();
        let name = entry::vectors_name(site.name, generation);
        let unfinished = Unfinished::new(site.directory, name);
        let mut writer =
            VectorFileWriter::create(&**site.directory, unfinished.name(), self.space)?;
        let mut owners = Vec::new();
        for placed in inputs {
            for row in 0..placed.file.rows() {
                if row.is_multiple_of(ROWS_PER_QUESTION) && (site.should_stop)() {
                    return Err(SegmentError::Stopped.into());
                }
                if !placed.is_dead(row) {
                    writer.push_row(placed.file.row(row)?)?;
                    owners.push(placed.file.owner(row)?.unwrap_or(NOBODY));
                }
            }
        }
        let gone = still_gone(older, inputs);
        writer.finish(VectorFileEnd { owners: &owners, gone: &gone, nodes })?;
        let file = Arc::new(VectorFile::open(&**site.directory, unfinished.name())?);
        Ok(Joined { generation, file, unfinished })
    }
}

/// Documents of older files that these files have replaced or removed, and do not have.
fn still_gone(older: &[Placed], inputs: &[Placed]) -> RoaringBitmap {
    let mut gone = RoaringBitmap::new();
    let mut living = RoaringBitmap::new();
    for placed in inputs {
        gone |= placed.file.gone() | placed.file.documents();
        living |= placed.live();
    }
    gone -= living;
    let known =
        older.iter().fold(RoaringBitmap::new(), |all, placed| all | placed.file.documents());
    gone & known
}
