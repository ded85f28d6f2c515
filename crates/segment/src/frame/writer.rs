//! Writes a framed file front to back. It is invalid before `finish`, which writes the table of
//! sections and syncs the file; a file without its table does not open.

use std::io::{self, BufWriter, Write};

use xxhash_rust::xxh3::Xxh3;

use super::{ALIGNMENT, Check, END_MAGIC, ENTRY_LENGTH, HEADER_LENGTH, MAGIC, Tag, padding_after};
use crate::checksum;
use crate::directory::{Directory, FileWriter};
use crate::error::{Result, SegmentError};

/// Large enough that a manifest is one write and a segment is few.
const BUFFER_LENGTH: usize = 256 * 1024;

pub struct FrameWriter {
    out: BufWriter<Box<dyn FileWriter>>,
    name: String,
    header: [u8; HEADER_LENGTH],
    position: u64,
    table: Vec<u8>,
    tags: Vec<Tag>,
    current: Option<OpenSection>,
}

/// The section being written.
struct OpenSection {
    tag: Tag,
    check: Check,
    offset: u64,
    checksum: Box<Xxh3>,
}

impl FrameWriter {
    pub fn create(directory: &dyn Directory, name: &str, kind: Tag, version: u16) -> Result<Self> {
        let mut header = [0; HEADER_LENGTH];
        header[..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&kind.0);
        header[12..14].copy_from_slice(&version.to_le_bytes());

        let mut out = BufWriter::with_capacity(BUFFER_LENGTH, directory.create(name)?);
        out.write_all(&header).map_err(|source| SegmentError::io(name, source))?;
        Ok(Self {
            out,
            name: name.to_owned(),
            header,
            position: HEADER_LENGTH as u64,
            table: Vec::new(),
            tags: Vec::new(),
            current: None,
        })
    }

    /// Writes a whole section that is checked at open.
    pub fn section(&mut self, tag: Tag, bytes: &[u8]) -> Result<()> {
        self.begin(tag, Check::AtOpen)?;
        self.append(bytes)
    }

    /// Starts a section; everything up to the next `begin` or `finish` belongs to it.
    pub fn begin(&mut self, tag: Tag, check: Check) -> Result<()> {
        if self.tags.contains(&tag) {
            let twice = io::Error::other(format!("section {tag} is written twice"));
            return Err(self.error(twice));
        }
        self.end_section()?;
        self.tags.push(tag);
        self.current = Some(OpenSection {
            tag,
            check,
            offset: self.position,
            checksum: Box::new(Xxh3::new()),
        });
        Ok(())
    }

    /// Appends bytes to the current section.
    pub fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes).map_err(|source| self.error(source))
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the length of the current section so far.
    pub fn section_length(&self) -> u64 {
        let Some(current) = &self.current else {
            return 0;
        };
        self.position - current.offset
    }

    /// Writes the table, syncs the file and returns its length. The name is not synced: that is one
    /// call for all the files of a commit.
    pub fn finish(mut self) -> Result<u64> {
        self.end_section()?;
        let length = self.position + (self.table.len() + super::TRAILER_LENGTH) as u64;
        let count = (self.table.len() / ENTRY_LENGTH) as u32;

        let mut tail = std::mem::take(&mut self.table);
        tail.extend_from_slice(&length.to_le_bytes());
        tail.extend_from_slice(&count.to_le_bytes());
        tail.extend_from_slice(&0u32.to_le_bytes());
        let checksum = super::reader::table_checksum(&self.header, &tail);
        tail.extend_from_slice(&checksum.to_le_bytes());
        tail.extend_from_slice(&END_MAGIC);

        self.put(&tail)?;
        self.out.flush().map_err(|source| SegmentError::io(&self.name, source))?;
        self.out.get_mut().sync()?;
        Ok(length)
    }

    /// Converts an error of writing to this file.
    pub fn error(&self, source: io::Error) -> SegmentError {
        SegmentError::io(&self.name, source)
    }

    fn end_section(&mut self) -> Result<()> {
        let Some(current) = self.current.take() else {
            return Ok(());
        };
        let length = self.position - current.offset;
        self.table.extend_from_slice(&current.tag.0);
        self.table.extend_from_slice(&current.check.code().to_le_bytes());
        self.table.extend_from_slice(&current.offset.to_le_bytes());
        self.table.extend_from_slice(&length.to_le_bytes());
        self.table.extend_from_slice(&checksum::of_pieces(&current.checksum).to_le_bytes());

        let padding = padding_after(self.position);
        self.put(&[0; ALIGNMENT][..padding])
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(|source| SegmentError::io(&self.name, source))?;
        self.position += bytes.len() as u64;
        Ok(())
    }
}

/// Lets encoders that need an `io::Write` stream into a section.
impl Write for FrameWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(current) = &mut self.current else {
            return Err(io::Error::other("no section has been begun"));
        };
        let written = self.out.write(bytes)?;
        current.checksum.update(&bytes[..written]);
        self.position += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl std::fmt::Debug for FrameWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FrameWriter")
            .field("name", &self.name)
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}

/// Returns the checksum of a section: the one-shot form of what the writer computes in pieces.
pub(super) fn section_checksum(bytes: &[u8]) -> u64 {
    checksum::of(bytes)
}
