//! The frame around every file: a header with the kind of file, sections, and at the end a table of
//! the sections with their checksums. FORMAT.md has the byte diagrams.
//!
//! The table is at the end because sections are streamed and their lengths are known last. Every
//! byte of a file is covered by a checksum, so a flipped bit or a missing end is detected at the
//! latest when that part is read. The frame does not know what sections mean.

mod reader;
mod writer;

#[cfg(test)]
mod tests;

use std::fmt;

pub use reader::{Frame, Section};
pub use writer::FrameWriter;

/// First bytes of every file. The first one is not text and the line end detects transfers that
/// rewrite line ends.
const MAGIC: [u8; 8] = *b"\x89SONDE\r\n";
/// Last bytes of every file, to distinguish a missing end from damage.
const END_MAGIC: [u8; 8] = *b"SONDEEND";

/// magic 8 | kind 4 | version 2 | zero 2
const HEADER_LENGTH: usize = 16;
/// tag 4 | check 4 | offset 8 | length 8 | checksum 8
const ENTRY_LENGTH: usize = 32;
/// file length 8 | section count 4 | zero 4 | checksum 8 | end magic 8
const TRAILER_LENGTH: usize = 32;
/// Sections start at multiples of this, so that numbers can be read in place.
const ALIGNMENT: usize = 8;

/// Returns whether a file begins with our magic, whatever the rest.
#[must_use]
pub fn is_framed(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Four letters that name a kind of file or a section.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tag(pub [u8; 4]);

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// When the checksum of a section is verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Whenever the file is opened.
    AtOpen,
    /// The section consists of pieces with checksums of their own, which their reader verifies; the
    /// whole is only checked by a verification.
    InPieces,
}

impl Check {
    fn code(self) -> u32 {
        match self {
            Self::AtOpen => 0,
            Self::InPieces => 1,
        }
    }

    fn from_code(code: u32) -> Option<Self> {
        match code {
            0 => Some(Self::AtOpen),
            1 => Some(Self::InPieces),
            _ => None,
        }
    }
}

/// Returns the number of zeros up to the next section start.
fn padding_after(position: u64) -> usize {
    (position.wrapping_neg() % ALIGNMENT as u64) as usize
}
