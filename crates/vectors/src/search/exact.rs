//! Exact search: compares the query with every vector that may be a result.

use roaring::RoaringBitmap;

use super::{Nearest, Search};
use crate::error::Result;
use crate::numbered_files::NumberedFile;
use crate::simd::prefetch;

/// Documents that are compared with at a time.
const AT_ONCE: usize = 256;
/// Rows to prefetch.
const AHEAD: usize = 8;

impl Search<'_> {
    pub fn scan<'f>(
        &self,
        files: impl Iterator<Item = &'f NumberedFile>,
        nearest: &mut Nearest,
    ) -> Result<()> {
        for numbered in files {
            let mut scan =
                Scan { search: self, numbered, rows: Vec::with_capacity(AT_ONCE), nearest };
            match self.accepted.passing() {
                Some(passing) => {
                    scan.documents(&numbered.living_of(self.state.documents(), passing))?;
                }
                None => scan.everything()?,
            }
        }
        Ok(())
    }

    /// Adds zero vectors, which have the best similarity and are not in the graph.
    pub fn take_zeros(&self, nearest: &mut Nearest) -> Result<()> {
        for numbered in self.state.files.iter() {
            for &row in numbered.file.zeros() {
                if self.accepted.accepts_row(numbered, row)?
                    && let Some(owner) = numbered.file.owner(row)?
                {
                    nearest.push(0.0, owner);
                }
            }
        }
        Ok(())
    }

    /// Adds any documents: everything has the best similarity to a zero query.
    pub fn take_any(&self, nearest: &mut Nearest) -> Result<()> {
        for doc_id in self.accepted.passing().unwrap_or_else(|| self.state.documents()) {
            if nearest.len() == self.request.limit || self.request.is_cancelled() {
                return Ok(());
            }
            for numbered in self.state.files.iter() {
                for row in numbered.rows_of(doc_id)?.into_iter().flatten() {
                    if self.accepted.accepts_row(numbered, row)? {
                        nearest.push(0.0, doc_id);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Scan of one file. Rows are compared in batches, after all rows of a batch were prefetched.
struct Scan<'s, 'n> {
    search: &'s Search<'s>,
    numbered: &'s NumberedFile,
    rows: Vec<(u32, &'s [u8])>,
    nearest: &'n mut Nearest,
}

impl Scan<'_, '_> {
    fn documents(&mut self, documents: &RoaringBitmap) -> Result<()> {
        let mut rest = documents.iter();
        let mut some = [0; AT_ONCE];
        loop {
            let some = rest.next_many(&mut some);
            if some.is_empty() || self.search.request.is_cancelled() {
                return Ok(());
            }
            for &doc_id in &*some {
                for row in self.numbered.file.rows_of(doc_id)?.into_iter().flatten() {
                    self.add(row)?;
                }
            }
            self.compare()?;
        }
    }

    fn everything(&mut self) -> Result<()> {
        let end = self.numbered.file.rows();
        for first in (0..end).step_by(AT_ONCE) {
            if self.search.request.is_cancelled() {
                return Ok(());
            }
            for row in first..end.min(first + AT_ONCE as u32) {
                if !self.numbered.is_dead(row) {
                    self.add(row)?;
                }
            }
            self.compare()?;
        }
        Ok(())
    }

    #[inline(always)]
    fn add(&mut self, row: u32) -> Result<()> {
        if self.search.accepted.has_nth()
            && !self.search.accepted.accepts_row(self.numbered, row)?
        {
            return Ok(());
        }
        self.rows.push((row, self.numbered.file.row(row)?));
        Ok(())
    }

    fn compare(&mut self) -> Result<()> {
        let Search { state, query, .. } = self.search;
        for (place, &(row, bytes)) in self.rows.iter().enumerate() {
            if let Some((_, later)) = self.rows.get(place + AHEAD) {
                prefetch(later);
            }
            let distance = state.space.distance(query, bytes);
            if self.nearest.wants(distance)
                && let Some(owner) = self.numbered.file.owner(row)?
            {
                self.nearest.push(distance, owner);
            }
        }
        self.rows.clear();
        Ok(())
    }
}
