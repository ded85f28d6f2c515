//! Large sections are checked in pages, each the first time that something in it is read, so that
//! opening a file does not read all of it and yet nothing unchecked is handed out.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::checksum;
use crate::directory::FileBytes;
use crate::error::Result;
use crate::frame::{Check, Frame, FrameWriter, Tag};

pub const PAGE_LENGTH: usize = 64 * 1024;

/// A section with its checksums.
#[derive(Debug)]
pub struct Pages {
    tag: Tag,
    bytes: FileBytes,
    /// Lower halves of the XXH3 of the pages, 4 bytes each.
    sums: FileBytes,
    /// One bit a page: whether it has been compared.
    compared: Box<[AtomicU64]>,
}

impl Pages {
    /// Nothing when there are not as many checksums as pages.
    pub fn new(tag: Tag, bytes: FileBytes, sums: FileBytes) -> Option<Self> {
        let pages = bytes.len().div_ceil(PAGE_LENGTH);
        if sums.len() != pages.checked_mul(4)? {
            return None;
        }
        let compared = (0..pages.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Some(Self { tag, bytes, sums, compared })
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// A part of the section, checked.
    #[inline]
    pub fn get(&self, range: Range<usize>, frame: &Frame) -> Result<&[u8]> {
        let first = range.start / PAGE_LENGTH;
        let last = range.end.saturating_sub(1) / PAGE_LENGTH;
        if self.is_compared(first)
            && (first == last || (first + 1 == last && self.is_compared(last)))
            && let Some(part) = self.bytes.get(range.clone())
        {
            return Ok(part);
        }
        self.get_compared(range, frame)
    }

    /// The same with a look at each page; it is what first reads are for.
    #[cold]
    fn get_compared(&self, range: Range<usize>, frame: &Frame) -> Result<&[u8]> {
        let Some(part) = self.bytes.get(range.clone()) else {
            return Err(frame.damaged(format!("section {} is too short", self.tag)));
        };
        let last = range.end.saturating_sub(1).max(range.start);
        for page in range.start / PAGE_LENGTH..=last / PAGE_LENGTH {
            self.check(page, frame)?;
        }
        Ok(part)
    }

    /// The same, as bytes that keep the file open.
    pub fn get_bytes(&self, range: Range<usize>, frame: &Frame) -> Result<FileBytes> {
        self.get(range.clone(), frame)?;
        Ok(self.bytes.slice(range).unwrap_or_default())
    }

    #[inline]
    fn is_compared(&self, page: usize) -> bool {
        let word = self.compared.get(page / 64);
        word.is_some_and(|word| word.load(Ordering::Relaxed) >> (page % 64) & 1 == 1)
    }

    fn check(&self, page: usize, frame: &Frame) -> Result<()> {
        // There is none for an empty part behind the last page.
        if let Some(compared) = self.compared.get(page / 64)
            && !self.is_compared(page)
        {
            self.compare(page, frame)?;
            compared.fetch_or(1 << (page % 64), Ordering::Relaxed);
        }
        Ok(())
    }

    fn compare(&self, page: usize, frame: &Frame) -> Result<()> {
        let (sums, _) = self.sums.as_chunks::<4>();
        let Some(sum) = sums.get(page) else {
            return Ok(());
        };
        let start = page * PAGE_LENGTH;
        let end = (start + PAGE_LENGTH).min(self.bytes.len());
        if page_sum(&self.bytes[start..end]) != *sum {
            let what = format!("checksum of page {page} of section {} does not match", self.tag);
            return Err(frame.damaged(what));
        }
        Ok(())
    }
}

fn page_sum(page: &[u8]) -> [u8; 4] {
    (checksum::of(page) as u32).to_le_bytes()
}

/// Writes such a section.
#[derive(Debug)]
pub struct PagesWriter {
    /// What has not been written yet; less than a page once `flush` has been called.
    pub pending: Vec<u8>,
    written: u64,
    sums: Vec<u8>,
}

impl PagesWriter {
    pub fn begin(frame: &mut FrameWriter, tag: Tag) -> Result<Self> {
        frame.begin(tag, Check::InPieces)?;
        Ok(Self { pending: Vec::with_capacity(2 * PAGE_LENGTH), written: 0, sums: Vec::new() })
    }

    /// Bytes of the section so far.
    pub fn length(&self) -> u64 {
        self.written + self.pending.len() as u64
    }

    /// Writes the pages that are full.
    pub fn flush(&mut self, frame: &mut FrameWriter) -> Result<()> {
        if self.pending.len() < PAGE_LENGTH {
            return Ok(());
        }
        let full = self.pending.len() / PAGE_LENGTH * PAGE_LENGTH;
        for page in self.pending[..full].chunks(PAGE_LENGTH) {
            self.sums.extend_from_slice(&page_sum(page));
        }
        frame.append(&self.pending[..full])?;
        self.pending.drain(..full);
        self.written += full as u64;
        Ok(())
    }

    /// Writes the rest, and the checksums as a section of their own.
    pub fn finish(mut self, frame: &mut FrameWriter, sums: Tag) -> Result<()> {
        self.flush(frame)?;
        if !self.pending.is_empty() {
            self.sums.extend_from_slice(&page_sum(&self.pending));
            frame.append(&self.pending)?;
        }
        frame.section(sums, &self.sums)
    }
}
