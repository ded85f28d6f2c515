//! Stored documents on their way to be indexed again: several threads take a few blocks at a time,
//! until nothing is left or as much has been found as memory may hold.

use std::sync::atomic::{AtomicUsize, Ordering};

use roaring::{MultiOps, RoaringBitmap};
use segment::DocumentsReader;

use super::build::{Buffers, Indexing, Wanted, in_threads};
use super::indexer::Indexer;
use crate::error::Result;
use crate::watcher::WatchedStep;

/// JSON that a thread takes at a time: many blocks of compressed text, as the first and the last are
/// often decompressed for others too.
const BYTES_AT_A_TIME: u64 = 256 << 10;

#[derive(Debug)]
pub(crate) struct Stored<'a> {
    documents: &'a DocumentsReader,
    pieces: Vec<RoaringBitmap>,
    /// The piece to be taken next.
    next: AtomicUsize,
    threads: usize,
}

/// Some of the documents, and what was found in them.
#[derive(Debug)]
pub(crate) struct Indexed {
    pub doc_ids: RoaringBitmap,
    pub buffers: Vec<Buffers>,
}

impl<'a> Stored<'a> {
    /// The documents of a set, in ascending order.
    pub fn new(
        documents: &'a DocumentsReader,
        doc_ids: &RoaringBitmap,
        indexing: Indexing<'_>,
    ) -> Self {
        let mean = (documents.sizes().raw_json / documents.len().max(1)).max(1);
        Self {
            documents,
            pieces: split(doc_ids, (BYTES_AT_A_TIME / mean).max(1) as usize),
            next: AtomicUsize::new(0),
            threads: indexing.threads_for((mean * doc_ids.len()) as usize),
        }
    }

    pub fn is_at_end(&self) -> bool {
        self.next.load(Ordering::Relaxed) >= self.pieces.len()
    }

    /// Indexes the documents that come next, until the buffers take so much memory together.
    pub fn index(
        &self,
        indexing: Indexing<'_>,
        wanted: Wanted<'_>,
        memory: usize,
        step: &WatchedStep<'_>,
    ) -> Result<Indexed> {
        let start = self.next.load(Ordering::Relaxed);
        let used = AtomicUsize::new(0);
        let outcomes = in_threads(self.threads, || {
            let mut indexer = Indexer::new(indexing, wanted);
            while used.load(Ordering::Relaxed) < memory
                && let Some(piece) = self.pieces.get(self.next.fetch_add(1, Ordering::Relaxed))
            {
                step.check()?;
                let before = indexer.memory_used();
                self.documents.for_each_of(piece, |doc_id, json| indexer.add(doc_id, json))?;
                step.advance(piece.len());
                used.fetch_add(indexer.memory_used().saturating_sub(before), Ordering::Relaxed);
            }
            Ok(indexer.into_buffers())
        });
        let buffers = outcomes.into_iter().collect::<Result<_>>()?;
        // A piece that was taken was indexed.
        let end = self.next.load(Ordering::Relaxed).min(self.pieces.len());
        let doc_ids = self.pieces[start.min(end)..end].iter().union();
        Ok(Indexed { doc_ids, buffers })
    }
}

/// Pieces of so many numbers.
fn split(doc_ids: &RoaringBitmap, length: usize) -> Vec<RoaringBitmap> {
    let mut rest = doc_ids.iter();
    let mut pieces = Vec::new();
    loop {
        let mut piece = RoaringBitmap::new();
        // They come in order, so each goes to the end.
        let _ = piece.append(rest.by_ref().take(length));
        if piece.is_empty() {
            return pieces;
        }
        pieces.push(piece);
    }
}
