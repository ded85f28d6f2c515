//! Writer of a vector file. Rows go to disk as they come, so memory does not grow with the length
//! of vectors; owners are given at the end, since a document may get new vectors before that.

use roaring::RoaringBitmap;
use segment::{Directory, DocId, FrameWriter, PagesWriter, Tag};

use super::format::{self, Meta, NO_OWNER};
use crate::error::{Result, VectorsError};
use crate::space::Space;

#[derive(Debug)]
pub struct VectorFileWriter {
    frame: FrameWriter,
    rows: PagesWriter,
    space: Space,
    count: u32,
    zeros: Vec<u32>,
}

/// The metadata that is only known once all rows are written.
#[derive(Debug)]
pub struct VectorFileEnd<'e> {
    /// Document of each row, or [`NO_OWNER`]. Rows of a document are adjacent.
    pub owners: &'e [DocId],
    pub gone: &'e RoaringBitmap,
    /// Nodes of the rows, relative to the first, if they are not consecutive.
    pub nodes: Option<&'e RoaringBitmap>,
}

impl VectorFileWriter {
    pub fn create(directory: &dyn Directory, name: &str, space: Space) -> Result<Self> {
        let mut frame = FrameWriter::create(directory, name, format::KIND, format::VERSION)?;
        let rows = PagesWriter::begin(&mut frame, format::ROWS)?;
        Ok(Self { frame, rows, space, count: 0, zeros: Vec::new() })
    }

    /// Returns the number of rows written so far.
    pub fn count(&self) -> u32 {
        self.count
    }

    pub fn push_vector(&mut self, vector: &[f32]) -> Result<()> {
        self.push(|space, out| space.encode(vector, out))
    }

    pub fn push_row(&mut self, row: &[u8]) -> Result<()> {
        self.push(|_, out| out.extend_from_slice(row))
    }

    fn push(&mut self, write: impl FnOnce(&Space, &mut Vec<u8>)) -> Result<()> {
        // The last number is reserved for [`NO_OWNER`].
        if self.count >= NO_OWNER - 1 {
            return Err(VectorsError::Full);
        }
        let start = self.rows.pending.len();
        write(&self.space, &mut self.rows.pending);
        if self.space.is_zero(&self.rows.pending[start..]) {
            self.zeros.push(self.count);
        }
        self.count += 1;
        Ok(self.rows.flush(&mut self.frame)?)
    }

    /// Writes the rest and syncs the file; returns its length.
    pub fn finish(mut self, end: VectorFileEnd<'_>) -> Result<u64> {
        self.rows.finish(&mut self.frame, format::ROW_PAGES)?;
        let frame = &mut self.frame;
        let owned =
            |&row: &u32| end.owners.get(row as usize).is_some_and(|&owner| owner != NO_OWNER);
        self.zeros.retain(owned);

        let mut runs = runs(end.owners);
        let in_order = runs.is_sorted() && runs.iter().map(|run| run.1).eq(0..self.count);
        runs.sort_unstable();
        let documents: RoaringBitmap = runs.iter().map(|&(doc_id, _)| doc_id).collect();
        write_numbers(frame, format::OWNERS, format::OWNER_PAGES, end.owners.iter().copied())?;
        if !in_order {
            let places = runs.iter().map(|&(_, first)| first);
            write_numbers(frame, format::PLACES, format::PLACE_PAGES, places)?;
        }
        frame.section(format::DOC_IDS, &format::set_to_bytes(&documents))?;
        frame.section(format::GONE, &format::set_to_bytes(end.gone))?;
        frame.section(format::ZEROS, &format::numbers_to_bytes(&self.zeros))?;
        if let Some(nodes) = end.nodes {
            frame.section(format::NODES, &format::set_to_bytes(nodes))?;
        }
        let meta = Meta {
            options: *self.space.options(),
            rows: self.count,
            owned: end.owners.iter().filter(|&&owner| owner != NO_OWNER).count() as u32,
            documents: runs.len() as u32,
            most: longest_run(end.owners),
        };
        frame.section(format::META, &meta.to_bytes())?;
        Ok(self.frame.finish()?)
    }
}

/// Returns each document with its first row, in row order.
fn runs(owners: &[DocId]) -> Vec<(DocId, u32)> {
    let starts = owners.chunk_by(|left, right| left == right).scan(0, |next, run| {
        let first = *next;
        *next += run.len() as u32;
        Some((run[0], first))
    });
    starts.filter(|&(doc_id, _)| doc_id != NO_OWNER).collect()
}

fn longest_run(owners: &[DocId]) -> u32 {
    let runs = owners.chunk_by(|left, right| left == right).filter(|run| run[0] != NO_OWNER);
    runs.map(|run| run.len() as u32).max().unwrap_or(0)
}

fn write_numbers(
    frame: &mut FrameWriter,
    tag: Tag,
    sums: Tag,
    numbers: impl Iterator<Item = u32>,
) -> Result<()> {
    let mut pages = PagesWriter::begin(frame, tag)?;
    for number in numbers {
        pages.pending.extend_from_slice(&number.to_le_bytes());
        pages.flush(frame)?;
    }
    Ok(pages.finish(frame, sums)?)
}
