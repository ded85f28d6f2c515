//! Reads stored documents to index them again: several threads take a few blocks at a time, until
//! all documents are read or the buffers are full.

use std::sync::atomic::{AtomicUsize, Ordering};

use roaring::{MultiOps, RoaringBitmap};
use segment::DocumentsReader;

use super::build::{Buffers, IndexTargets, Indexing, in_threads};
use super::indexer::Indexer;
use crate::error::Result;
use crate::rebuild_observer::StepObserver;

/// JSON that a thread takes at a time: many compressed blocks, as the first and the last are often
/// decompressed by other threads too.
const BYTES_AT_A_TIME: u64 = 256 << 10;

#[derive(Debug)]
pub(crate) struct StoredDocuments<'a> {
    documents: &'a DocumentsReader,
    pieces: Vec<RoaringBitmap>,
    /// The next piece to take.
    next: AtomicUsize,
    threads: usize,
}

/// Some of the documents, with their buffers.
#[derive(Debug)]
pub(crate) struct IndexedBatch {
    pub doc_ids: RoaringBitmap,
    pub buffers: Vec<Buffers>,
}

impl<'a> StoredDocuments<'a> {
    /// Reads the documents of a set in ascending order.
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

    /// Indexes the next documents, until the buffers together take this much memory.
    pub fn index(
        &self,
        indexing: Indexing<'_>,
        targets: IndexTargets<'_>,
        memory: usize,
        step: &StepObserver<'_>,
    ) -> Result<IndexedBatch> {
        let start = self.next.load(Ordering::Relaxed);
        let used = AtomicUsize::new(0);
        let outcomes = in_threads(self.threads, || {
            let mut indexer = Indexer::new(indexing, targets);
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
        // Every piece that was taken was indexed.
        let end = self.next.load(Ordering::Relaxed).min(self.pieces.len());
        let doc_ids = self.pieces[start.min(end)..end].iter().union();
        Ok(IndexedBatch { doc_ids, buffers })
    }
}

/// Splits a set into pieces of this many numbers.
fn split(doc_ids: &RoaringBitmap, length: usize) -> Vec<RoaringBitmap> {
    let mut rest = doc_ids.iter();
    let mut pieces = Vec::new();
    loop {
        let mut piece = RoaringBitmap::new();
        // The numbers are ascending, so appending cannot fail.
        let _ = piece.append(rest.by_ref().take(length));
        if piece.is_empty() {
            return pieces;
        }
        pieces.push(piece);
    }
}
