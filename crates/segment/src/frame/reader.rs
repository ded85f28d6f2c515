//! Reads the frame of a file and returns its sections as ranges of the same memory map. Damage is
//! refused here, so that readers of sections see only bytes as they were written.

use std::fmt::Display;

use xxhash_rust::xxh3::Xxh3;

use super::writer::section_checksum;
use super::{
    Check, END_MAGIC, ENTRY_LENGTH, HEADER_LENGTH, MAGIC, TRAILER_LENGTH, Tag, padding_after,
};
use crate::checksum;
use crate::directory::FileBytes;
use crate::error::{Problem, Result, SegmentError};

#[derive(Debug, Clone)]
pub struct Frame {
    name: String,
    bytes: FileBytes,
    kind: Tag,
    version: u16,
    sections: Vec<Section>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section {
    pub tag: Tag,
    pub check: Check,
    pub offset: u64,
    pub length: u64,
    pub checksum: u64,
}

impl Frame {
    /// Opens a file of a known kind and checks everything but the sections in pieces.
    pub fn open(name: &str, bytes: FileBytes, kind: Tag, newest_version: u16) -> Result<Self> {
        Self::open_without(name, bytes, kind, newest_version, &[])
    }

    /// Opens a file without checking some sections, which [`Frame::compared_section`] checks later.
    pub fn open_without(
        name: &str,
        bytes: FileBytes,
        kind: Tag,
        newest_version: u16,
        later: &[Tag],
    ) -> Result<Self> {
        let frame = Self::read(name, bytes)?;
        if frame.kind != kind {
            let what = format!("it is of kind {}, not {kind}", frame.kind);
            return Err(SegmentError::damaged(name, what));
        }
        if frame.version > newest_version {
            return Err(SegmentError::TooNew {
                file: name.to_owned(),
                version: frame.version,
                newest: newest_version,
            });
        }
        for section in &frame.sections {
            if section.check == Check::AtOpen && !later.contains(&section.tag) {
                frame.compare(section)?;
            }
        }
        Ok(frame)
    }

    /// Reads header and table of a file of any kind, without checking its sections.
    pub fn read(name: &str, bytes: FileBytes) -> Result<Self> {
        let layout = read_layout(&bytes).map_err(|what| SegmentError::damaged(name, what))?;
        Ok(Self {
            name: name.to_owned(),
            kind: layout.kind,
            version: layout.version,
            sections: layout.sections,
            bytes,
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn kind(&self) -> Tag {
        self.kind
    }

    pub fn version(&self) -> u16 {
        self.version
    }

    /// Length of the whole file.
    pub fn length(&self) -> u64 {
        self.bytes.len() as u64
    }

    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Returns a section that every file of this kind has.
    pub fn section(&self, tag: Tag) -> Result<FileBytes> {
        self.optional_section(tag).ok_or_else(|| self.damaged(format!("section {tag} is missing")))
    }

    pub fn optional_section(&self, tag: Tag) -> Option<FileBytes> {
        let section = self.sections.iter().find(|section| section.tag == tag)?;
        self.slice(section)
    }

    /// Returns a section that was not checked when the file was opened, checked now.
    pub fn compared_section(&self, tag: Tag) -> Result<FileBytes> {
        if let Some(section) = self.sections.iter().find(|section| section.tag == tag) {
            self.compare(section)?;
        }
        self.section(tag)
    }

    /// Parses a section that every file of this kind has; `what` names it in the error.
    pub fn parse<T>(
        &self,
        tag: Tag,
        what: &str,
        parse: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Result<T> {
        parse(&self.section(tag)?).ok_or_else(|| self.unreadable(what))
    }

    /// Creates the error for a part of this file that cannot be parsed.
    pub fn unreadable(&self, what: impl Display) -> SegmentError {
        self.damaged(format!("{what} cannot be read"))
    }

    /// Creates an error that describes damage of this file.
    pub fn damaged(&self, what: impl Into<String>) -> SegmentError {
        SegmentError::damaged(&self.name, what)
    }

    /// Verifies the checksum of every section.
    pub fn verify(&self) -> Vec<Problem> {
        self.sections
            .iter()
            .filter_map(|section| self.compare(section).err())
            .map(Problem::from)
            .collect()
    }

    fn compare(&self, section: &Section) -> Result<()> {
        let bytes = self.slice(section).unwrap_or_default();
        if section_checksum(&bytes) != section.checksum {
            return Err(self.damaged(format!("checksum of section {} does not match", section.tag)));
        }
        Ok(())
    }

    fn slice(&self, section: &Section) -> Option<FileBytes> {
        // The layout has been checked against the length of the file.
        let start = section.offset as usize;
        self.bytes.slice(start..start + section.length as usize)
    }
}

struct Layout {
    kind: Tag,
    version: u16,
    sections: Vec<Section>,
}

fn read_layout(bytes: &[u8]) -> Result<Layout, String> {
    let header = bytes.first_chunk::<HEADER_LENGTH>();
    let trailer = bytes.last_chunk::<TRAILER_LENGTH>();
    let (Some(header), Some(trailer)) = (header, trailer) else {
        return Err(format!("{} bytes are too few for a file", bytes.len()));
    };
    if header[..8] != MAGIC {
        return Err("it does not start with the magic bytes of this program".to_owned());
    }
    if trailer[24..] != END_MAGIC || bytes.len() < HEADER_LENGTH + TRAILER_LENGTH {
        return Err("its end is missing".to_owned());
    }
    let length = u64_at(trailer, 0);
    if length != bytes.len() as u64 {
        return Err(format!("it has {} bytes, not {length}", bytes.len()));
    }

    let count = u32_at(trailer, 8) as usize;
    let table_length = count * ENTRY_LENGTH;
    let table_end = bytes.len() - TRAILER_LENGTH;
    if table_length > table_end - HEADER_LENGTH {
        return Err("checksum of the section table does not match".to_owned());
    }
    let table_start = table_end - table_length;
    // From here on the table is intact, or the file is refused.
    if table_checksum(header, &bytes[table_start..table_end + 16]) != u64_at(trailer, 16) {
        return Err("checksum of the section table does not match".to_owned());
    }

    let sections = read_table(bytes, table_start, table_end)?;
    Ok(Layout {
        kind: Tag([header[8], header[9], header[10], header[11]]),
        version: u16::from_le_bytes([header[12], header[13]]),
        sections,
    })
}

/// Reads the table. Sections have no gaps except for alignment, which must be zeros.
fn read_table(bytes: &[u8], start: usize, end: usize) -> Result<Vec<Section>, String> {
    let mut sections = Vec::new();
    let mut position = HEADER_LENGTH as u64;
    for entry in bytes[start..end].chunks_exact(ENTRY_LENGTH) {
        let tag = Tag([entry[0], entry[1], entry[2], entry[3]]);
        let check = Check::from_code(u32_at(entry, 4))
            .ok_or_else(|| format!("section {tag} has an unknown way of being checked"))?;
        let section = Section {
            tag,
            check,
            offset: u64_at(entry, 8),
            length: u64_at(entry, 16),
            checksum: u64_at(entry, 24),
        };
        let section_end = section
            .offset
            .checked_add(section.length)
            .filter(|&section_end| section.offset == position && section_end <= start as u64)
            .ok_or_else(|| format!("section {tag} is not where it should be"))?;
        position = section_end + padding_after(section_end) as u64;
        let padding = bytes.get(section_end as usize..position as usize);
        if padding.is_none_or(|zeros| zeros.iter().any(|&byte| byte != 0)) {
            return Err(format!("bytes after section {tag} are not zero"));
        }
        sections.push(section);
    }
    if position != start as u64 {
        return Err("there are bytes that belong to no section".to_owned());
    }
    Ok(sections)
}

/// Returns the checksum of the header, the table and the start of the trailer.
pub(super) fn table_checksum(header: &[u8; HEADER_LENGTH], table: &[u8]) -> u64 {
    let mut checksum = Xxh3::new();
    checksum.update(header);
    checksum.update(table);
    checksum::of_pieces(&checksum)
}

fn u64_at(bytes: &[u8], position: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[position..position + 8]);
    u64::from_le_bytes(number)
}

fn u32_at(bytes: &[u8], position: usize) -> u32 {
    let mut number = [0; 4];
    number.copy_from_slice(&bytes[position..position + 4]);
    u32::from_le_bytes(number)
}
