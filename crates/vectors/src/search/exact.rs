//! Compares with every vector that may be a result.

use roaring::RoaringBitmap;

use super::{Nearest, Search};
use crate::error::Result;
use crate::graph::Accept;
use crate::placed::Placed;
use crate::simd::prefetch;

/// Rows that are fetched ahead of the comparisons.
const AHEAD: usize = 16;
/// Documents between two looks at whether to go on.
const ROWS_PER_LOOK: u32 = 1024;

impl Search<'_> {
    pub fn scan<'f>(
        &self,
        files: impl Iterator<Item = &'f Placed>,
        nearest: &mut Nearest,
    ) -> Result<()> {
        for placed in files {
            let mut scan = Scan { search: self, placed, rows: Vec::with_capacity(AHEAD), nearest };
            match self.accepted.passing() {
                // What passes is all of this file.
                Some(passing) if placed.live().len() == self.state.documents().len() => {
                    scan.documents(passing)?;
                }
                Some(passing) => scan.documents(&(passing & placed.live()))?,
                None => scan.everything()?,
            }
            scan.compare()?;
        }
        Ok(())
    }

    /// Rows without a direction are as near as can be, and in no graph.
    pub fn take_zeros(&self, nearest: &mut Nearest) -> Result<()> {
        for placed in self.state.files.iter() {
            for &row in placed.file.zeros() {
                if self.accepted.accepts(placed, row)?
                    && let Some(owner) = placed.file.owner(row)?
                {
                    nearest.push(0.0, owner);
                }
            }
        }
        Ok(())
    }

    /// A query without a direction is as near as can be to everything.
    pub fn take_any(&self, nearest: &mut Nearest) -> Result<()> {
        for doc_id in self.accepted.passing().unwrap_or_else(|| self.state.documents()) {
            if nearest.len() == self.request.limit || self.request.is_cancelled() {
                return Ok(());
            }
            for placed in self.state.files.iter() {
                for row in placed.rows_of(doc_id)?.into_iter().flatten() {
                    if self.accepted.accepts(placed, row)? {
                        nearest.push(0.0, doc_id);
                    }
                }
            }
        }
        Ok(())
    }
}

/// A scan of one file. Rows are compared a few at a time, while the next ones are fetched.
struct Scan<'s, 'n> {
    search: &'s Search<'s>,
    placed: &'s Placed,
    rows: Vec<(u32, &'s [u8])>,
    nearest: &'n mut Nearest,
}

impl Scan<'_, '_> {
    fn documents(&mut self, documents: &RoaringBitmap) -> Result<()> {
        for (doc_id, count) in documents.iter().zip(0u32..) {
            if count.is_multiple_of(ROWS_PER_LOOK) && self.search.request.is_cancelled() {
                return Ok(());
            }
            if let Some(rows) = self.placed.file.rows_of(doc_id)? {
                for row in rows {
                    self.row(row)?;
                }
            }
        }
        Ok(())
    }

    fn everything(&mut self) -> Result<()> {
        for row in 0..self.placed.file.rows() {
            if row.is_multiple_of(ROWS_PER_LOOK) && self.search.request.is_cancelled() {
                return Ok(());
            }
            if !self.placed.is_dead(row) {
                self.row(row)?;
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn row(&mut self, row: u32) -> Result<()> {
        if self.search.accepted.has_nth() && !self.search.accepted.accepts(self.placed, row)? {
            return Ok(());
        }
        let bytes = self.placed.file.row(row)?;
        prefetch(bytes);
        self.rows.push((row, bytes));
        if self.rows.len() == AHEAD { self.compare() } else { Ok(()) }
    }

    fn compare(&mut self) -> Result<()> {
        let Search { state, query, .. } = self.search;
        for (row, bytes) in self.rows.drain(..) {
            let distance = state.space.distance(query, bytes);
            if self.nearest.wants(distance)
                && let Some(owner) = self.placed.file.owner(row)?
            {
                self.nearest.push(distance, owner);
            }
        }
        Ok(())
    }
}
