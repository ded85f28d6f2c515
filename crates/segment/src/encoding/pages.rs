//! Large sections are checked in pages, each on first access, so that opening a file does not read
//! all of it and yet nothing unchecked is returned.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::checksum;
use crate::directory::FileBytes;
use crate::error::Result;
use crate::frame::{Check, Frame, FrameWriter, Tag};

/// As short as memory pages: accesses are scattered, and each reads a whole page.
pub const PAGE_LENGTH: usize = 1 << PAGE_BITS;
const PAGE_BITS: u32 = 12;
/// Page length of earlier releases.
const LONG_PAGE_BITS: u32 = 16;
/// Bytes written at a time.
const WRITE_LENGTH: usize = 16 * PAGE_LENGTH;

/// A section with its checksums.
#[derive(Debug)]
pub struct Pages {
    tag: Tag,
    bytes: FileBytes,
    /// Lower halves of the XXH3 of the pages, 4 bytes each.
    sums: FileBytes,
    /// Log2 of the page length.
    page_bits: u32,
    /// One bit per page: whether it has been checked.
    compared: Box<[AtomicU64]>,
}

impl Pages {
    /// Opens a section with the section of its checksums.
    pub fn open(frame: &Frame, tag: Tag, sums: Tag) -> Result<Self> {
        Self::new(frame, tag, frame.section(tag)?, frame.section(sums)?)
    }

    /// Opens a section like `open`; a missing one is empty.
    pub fn open_optional(frame: &Frame, tag: Tag, sums: Tag) -> Result<Self> {
        let section = |tag| frame.optional_section(tag).unwrap_or_default();
        Self::new(frame, tag, section(tag), section(sums))
    }

    /// Derives the length of a page from the number of checksums.
    fn new(frame: &Frame, tag: Tag, bytes: FileBytes, sums: FileBytes) -> Result<Self> {
        let pages = |bits: u32| bytes.len().div_ceil(1 << bits);
        let mut lengths = [PAGE_BITS, LONG_PAGE_BITS].into_iter();
        let page_bits = lengths
            .find(|&bits| sums.len() == 4 * pages(bits))
            .ok_or_else(|| frame.unreadable(format_args!("the checksums of section {tag}")))?;
        let compared = (0..pages(page_bits).div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Self { tag, bytes, sums, page_bits, compared })
    }

    /// Wraps a section that was checked as a whole, as in files of earlier releases.
    pub fn all_compared(tag: Tag, bytes: FileBytes) -> Self {
        let pages = bytes.len().div_ceil(PAGE_LENGTH);
        let compared = (0..pages.div_ceil(64)).map(|_| AtomicU64::new(u64::MAX)).collect();
        Self { tag, bytes, sums: FileBytes::default(), page_bits: PAGE_BITS, compared }
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the bytes of the section, most of them unchecked.
    pub fn unchecked(&self) -> &FileBytes {
        &self.bytes
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns a range of the section, checked.
    #[inline]
    pub fn get(&self, range: Range<usize>, frame: &Frame) -> Result<&[u8]> {
        let first = range.start >> self.page_bits;
        let last = range.end.saturating_sub(1) >> self.page_bits;
        if self.is_compared(first)
            && (first == last || (first + 1 == last && self.is_compared(last)))
            && let Some(part) = self.bytes.get(range.clone())
        {
            return Ok(part);
        }
        self.get_compared(range, frame)
    }

    /// Returns a range after checking each page; the slow path of first reads.
    #[cold]
    fn get_compared(&self, range: Range<usize>, frame: &Frame) -> Result<&[u8]> {
        let Some(part) = self.bytes.get(range.clone()) else {
            return Err(frame.damaged(format!("section {} is too short", self.tag)));
        };
        let last = range.end.saturating_sub(1).max(range.start);
        for page in range.start >> self.page_bits..=last >> self.page_bits {
            self.check(page, frame)?;
        }
        Ok(part)
    }

    /// Returns a checked range as bytes that keep the file open.
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
        // An empty range after the last page has none.
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
        let start = page << self.page_bits;
        let end = (start + (1 << self.page_bits)).min(self.bytes.len());
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

/// Writes a section with page checksums.
#[derive(Debug)]
pub struct PagesWriter {
    /// Bytes that are not in the file yet.
    pub pending: Vec<u8>,
    written: u64,
    sums: Vec<u8>,
}

impl PagesWriter {
    pub fn begin(frame: &mut FrameWriter, tag: Tag) -> Result<Self> {
        frame.begin(tag, Check::InPieces)?;
        Ok(Self { pending: Vec::with_capacity(2 * WRITE_LENGTH), written: 0, sums: Vec::new() })
    }

    /// Returns the length of the section so far.
    pub fn length(&self) -> u64 {
        self.written + self.pending.len() as u64
    }

    /// Writes the full pages, if they are many.
    pub fn flush(&mut self, frame: &mut FrameWriter) -> Result<()> {
        if self.pending.len() < WRITE_LENGTH {
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
        for page in self.pending.chunks(PAGE_LENGTH) {
            self.sums.extend_from_slice(&page_sum(page));
        }
        frame.append(&self.pending)?;
        frame.section(sums, &self.sums)
    }
}

/// Writes a section that is complete in memory.
pub fn write(frame: &mut FrameWriter, tag: Tag, sums: Tag, bytes: Vec<u8>) -> Result<()> {
    frame.begin(tag, Check::InPieces)?;
    PagesWriter { pending: bytes, written: 0, sums: Vec::new() }.finish(frame, sums)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directory::{Directory, MemoryDirectory};

    const KIND: Tag = Tag(*b"TEST");
    const BYTES: Tag = Tag(*b"BYTS");
    const SUMS: Tag = Tag(*b"SUMS");

    fn sample() -> Vec<u8> {
        (0..200_000_u32).map(|number| (number * 31 / 8) as u8).collect()
    }

    /// A file with pages of this length.
    fn file(bytes: &[u8], page_length: usize) -> Frame {
        let directory = MemoryDirectory::new();
        let mut frame = FrameWriter::create(&directory, "f", KIND, 1).unwrap();
        frame.begin(BYTES, Check::InPieces).unwrap();
        frame.append(bytes).unwrap();
        let sums: Vec<u8> = bytes.chunks(page_length).flat_map(page_sum).collect();
        frame.section(SUMS, &sums).unwrap();
        frame.finish().unwrap();
        Frame::open("f", directory.open("f").unwrap(), KIND, 1).unwrap()
    }

    fn pages(frame: &Frame, bytes: Vec<u8>) -> Result<Pages> {
        Pages::new(frame, BYTES, FileBytes::from(bytes), frame.section(SUMS).unwrap())
    }

    #[test]
    fn damage_is_noticed_in_its_page_for_both_page_lengths() {
        let bytes = sample();
        for page_length in [PAGE_LENGTH, 1 << LONG_PAGE_BITS] {
            let frame = file(&bytes, page_length);
            let intact = pages(&frame, bytes.clone()).unwrap();
            for range in [0..1, 4000..9000, 0..bytes.len(), bytes.len()..bytes.len()] {
                assert_eq!(intact.get(range.clone(), &frame).unwrap(), &bytes[range]);
            }
            assert!(intact.get(0..bytes.len() + 1, &frame).is_err());
            let mut damaged = bytes.clone();
            damaged[page_length + 5] ^= 1;
            let damaged = pages(&frame, damaged).unwrap();
            assert!(damaged.get(0..page_length, &frame).is_ok());
            assert!(damaged.get(page_length..page_length + 1, &frame).is_err());
            assert!(damaged.get(0..3 * page_length, &frame).is_err());
            assert!(damaged.get(2 * page_length..3 * page_length, &frame).is_ok());
        }
        let other_length = file(&bytes, 3 * PAGE_LENGTH);
        assert!(pages(&other_length, bytes).is_err());
    }

    #[test]
    fn a_section_is_the_same_however_it_was_written() {
        let bytes = sample();
        let write_in = |step: usize| {
            let directory = MemoryDirectory::new();
            let mut frame = FrameWriter::create(&directory, "f", KIND, 1).unwrap();
            let mut pages = PagesWriter::begin(&mut frame, BYTES).unwrap();
            for piece in bytes.chunks(step) {
                pages.pending.extend_from_slice(piece);
                pages.flush(&mut frame).unwrap();
            }
            pages.finish(&mut frame, SUMS).unwrap();
            frame.finish().unwrap();
            directory.open("f").unwrap().to_vec()
        };
        let directory = MemoryDirectory::new();
        let mut frame = FrameWriter::create(&directory, "f", KIND, 1).unwrap();
        write(&mut frame, BYTES, SUMS, bytes.clone()).unwrap();
        frame.finish().unwrap();
        let whole = directory.open("f").unwrap().to_vec();
        for step in [1, 999, PAGE_LENGTH, 100_000] {
            assert!(write_in(step) == whole, "{step}");
        }
    }
}
