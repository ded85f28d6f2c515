//! Compares with every vector that may be a result.

use roaring::RoaringBitmap;

use super::{Nearest, Search};
use crate::error::Result;
use crate::placed::Placed;
use crate::simd::prefetch;

/// Documents that are compared with at a time.
const AT_ONCE: usize = 256;
/// Rows that are asked for before they are needed.
const AHEAD: usize = 8;

impl Search<'_> {
    pub fn scan<'f>(
        &self,
        files: impl Iterator<Item = &'f Placed>,
        nearest: &mut Nearest,
    ) -> Result<()> {
        for placed in files {
            let mut scan =
                Scan { search: self, placed, rows: Vec::with_capacity(AT_ONCE), nearest };
            match self.accepted.passing() {
                Some(passing) => {
                    scan.documents(&placed.living_of(self.state.documents(), passing))?;
                }
                None => scan.everything()?,
            }
        }
        Ok(())
    }

    /// Rows without a direction are as near as can be, and in no graph.
    pub fn take_zeros(&self, nearest: &mut Nearest) -> Result<()> {
        for placed in self.state.files.iter() {
            for &row in placed.file.zeros() {
                if self.accepted.accepts_row(placed, row)?
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
                    if self.accepted.accepts_row(placed, row)? {
                        nearest.push(0.0, doc_id);
                    }
                }
            }
        }
        Ok(())
    }
}

/// A scan of one file. Rows are compared some at a time, after all of them have been asked for.
struct Scan<'s, 'n> {
    search: &'s Search<'s>,
    placed: &'s Placed,
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
                for row in self.placed.file.rows_of(doc_id)?.into_iter().flatten() {
                    self.add(row)?;
                }
            }
            self.compare()?;
        }
    }

    fn everything(&mut self) -> Result<()> {
        let end = self.placed.file.rows();
        for first in (0..end).step_by(AT_ONCE) {
            if self.search.request.is_cancelled() {
                return Ok(());
            }
            for row in first..end.min(first + AT_ONCE as u32) {
                if !self.placed.is_dead(row) {
                    self.add(row)?;
                }
            }
            self.compare()?;
        }
        Ok(())
    }

    #[inline(always)]
    fn add(&mut self, row: u32) -> Result<()> {
        if self.search.accepted.has_nth() && !self.search.accepted.accepts_row(self.placed, row)? {
            return Ok(());
        }
        self.rows.push((row, self.placed.file.row(row)?));
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
                && let Some(owner) = self.placed.file.owner(row)?
            {
                self.nearest.push(distance, owner);
            }
        }
        self.rows.clear();
        Ok(())
    }
}
