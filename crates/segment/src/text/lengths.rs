//! Number of tokens of each attribute of each document, stored apart from the streams, so that
//! `bm25` need not read these. FORMAT.md has the bytes.

use std::ops::Range;

use super::format;
use crate::directory::FileBytes;
use crate::encoding::pages::{Pages, PagesWriter};
use crate::error::Result;
use crate::frame::{Frame, FrameWriter};

/// A row of the table: kind 1 | width 1 | zero 2 | documents 4
const ROW: usize = 8;
const EVERY_DOCUMENT: u8 = 0;
const SOME_DOCUMENTS: u8 = 1;
/// All documents with the attribute have the same length, stored instead of their number.
const ONE_LENGTH: u8 = 2;
/// The streams of fewer documents are quick to read.
const FEWEST_DOCUMENTS: u32 = 64;
/// An attribute that fewer than one in this many documents have is stored for these only.
const SPARSE: usize = 5;

/// Collects the lengths of documents in DocId order.
#[derive(Debug, Default)]
pub struct LengthsWriter {
    documents: u32,
    /// Lengths by number of the attribute.
    fields: Vec<FieldLengthsBuffer>,
}

/// Documents that have an attribute, by rank in the file, and its length in them.
#[derive(Debug, Default)]
struct FieldLengthsBuffer {
    places: Vec<u32>,
    lengths: Vec<u32>,
}

impl LengthsWriter {
    /// Adds the number and token count of each attribute of the next document.
    pub fn add(&mut self, fields: &[(u16, u32)]) {
        for &(field, length) in fields {
            let field = usize::from(field);
            if self.fields.len() <= field {
                self.fields.resize_with(field + 1, FieldLengthsBuffer::default);
            }
            self.fields[field].places.push(self.documents);
            self.fields[field].lengths.push(length);
        }
        self.documents += 1;
    }

    pub fn write(&self, frame: &mut FrameWriter) -> Result<()> {
        if self.documents < FEWEST_DOCUMENTS {
            return Ok(());
        }
        let mut pages = PagesWriter::begin(frame, format::LENGTHS)?;
        let table = self.to_bytes(&mut pages.pending);
        pages.flush(frame)?;
        pages.finish(frame, format::LENGTH_PAGES)?;
        frame.section(format::LENGTH_TABLE, &table)
    }

    /// Appends the bytes of all attributes, and returns the table.
    fn to_bytes(&self, out: &mut Vec<u8>) -> Vec<u8> {
        let mut table = Vec::with_capacity(ROW * self.fields.len());
        for field in &self.fields {
            let kind = self.kind(field);
            let number = match kind {
                ONE_LENGTH => field.lengths[0],
                _ => field.places.len() as u32,
            };
            table.extend([kind, field.width() as u8, 0, 0]);
            table.extend(number.to_le_bytes());
        }
        let start = out.len();
        let of_kind = |kind| self.fields.iter().filter(move |field| self.kind(field) == kind);
        let dense = || of_kind(EVERY_DOCUMENT);
        let stride: usize = dense().map(FieldLengthsBuffer::width).sum();
        out.resize(start + stride * self.documents as usize, 0);
        let mut offset = start;
        for field in dense() {
            let width = field.width();
            for (&place, &length) in field.places.iter().zip(&field.lengths) {
                let start = offset + stride * place as usize;
                out[start..start + width].copy_from_slice(&length.to_le_bytes()[..width]);
            }
            offset += width;
        }
        for field in of_kind(SOME_DOCUMENTS) {
            let width = field.width();
            out.extend(
                field
                    .lengths
                    .iter()
                    .flat_map(|length| length.to_le_bytes().into_iter().take(width)),
            );
            out.extend(field.places.iter().flat_map(|place| place.to_le_bytes()));
        }
        table
    }

    fn kind(&self, field: &FieldLengthsBuffer) -> u8 {
        match &field.lengths[..] {
            [first, rest @ ..] if rest.iter().all(|other| other == first) => ONE_LENGTH,
            lengths if lengths.len() < self.documents as usize / SPARSE => SOME_DOCUMENTS,
            _ => EVERY_DOCUMENT,
        }
    }
}

impl FieldLengthsBuffer {
    /// Returns the width of a length in bytes.
    fn width(&self) -> usize {
        match self.lengths.iter().max() {
            None | Some(..=0xff) => 1,
            Some(..=0xffff) => 2,
            Some(_) => 4,
        }
    }
}

/// The lengths of all attributes.
pub struct Lengths {
    pages: Pages,
    table: FileBytes,
    /// Layout of each attribute.
    fields: Vec<LengthsLayout>,
    /// Range of the lengths of all attributes that are stored for every document.
    every_document: Range<usize>,
    /// Bytes per document in it.
    stride: usize,
}

/// Layout of the lengths of an attribute.
enum LengthsLayout {
    /// In the row of each document.
    EveryDocument {
        offset: usize,
        width: usize,
    },
    SomeDocuments {
        lengths: Range<usize>,
        places: Range<usize>,
        width: usize,
    },
    OneLength(u32),
}

impl Lengths {
    /// Opens the lengths; `None` if the table does not match the attributes and documents.
    pub fn new(pages: Pages, table: FileBytes, fields: usize, documents: u64) -> Option<Self> {
        let documents = usize::try_from(documents).ok()?;
        let (rows, rest) = table.as_chunks::<ROW>();
        if rows.len() != fields || !rest.is_empty() {
            return None;
        }
        let is_sound = |row: &[u8; ROW]| row[0] <= ONE_LENGTH && matches!(row[1], 1 | 2 | 4);
        if !rows.iter().all(is_sound) {
            return None;
        }
        let dense = rows.iter().filter(|row| row[0] == EVERY_DOCUMENT);
        let stride: usize = dense.map(|row| usize::from(row[1])).sum();
        let every_document = 0..stride.checked_mul(documents)?;
        let (mut offset, mut end) = (0, every_document.end);
        let mut places = Vec::with_capacity(fields);
        for &[kind, width, _, _, a, b, c, d] in rows {
            let width = usize::from(width);
            let number = u32::from_le_bytes([a, b, c, d]);
            places.push(match kind {
                ONE_LENGTH => LengthsLayout::OneLength(number),
                EVERY_DOCUMENT => {
                    offset += width;
                    LengthsLayout::EveryDocument { offset: offset - width, width }
                }
                _ => {
                    let count = number as usize;
                    let lengths = end..count.checked_mul(width)?.checked_add(end)?;
                    let places = lengths.end..count.checked_mul(4)?.checked_add(lengths.end)?;
                    end = places.end;
                    LengthsLayout::SomeDocuments { lengths, places, width }
                }
            });
        }
        (end == pages.len()).then_some(Self {
            pages,
            table,
            fields: places,
            every_document,
            stride,
        })
    }

    /// Returns the lengths of an attribute.
    pub fn of(&self, field: u16, frame: &Frame) -> Result<FieldLengths<'_>> {
        let bytes = |range: &Range<usize>| self.pages.get(range.clone(), frame);
        Ok(match self.fields.get(usize::from(field)) {
            None => FieldLengths::Same(0),
            Some(LengthsLayout::OneLength(length)) => FieldLengths::Same(*length),
            Some(&LengthsLayout::EveryDocument { offset, width }) => {
                let lengths = bytes(&self.every_document)?;
                let column = Column { lengths, width, stride: self.stride, offset };
                FieldLengths::EveryDocument(column)
            }
            Some(LengthsLayout::SomeDocuments { lengths, places, width }) => {
                let (width, lengths) = (*width, bytes(lengths)?);
                let column = Column { lengths, width, stride: width, offset: 0 };
                FieldLengths::SomeDocuments(column, bytes(places)?.as_chunks().0)
            }
        })
    }

    /// Returns whether the stored lengths are the expected ones.
    pub fn are(&self, expected: &LengthsWriter, frame: &Frame) -> Result<bool> {
        let mut bytes = Vec::new();
        let table = expected.to_bytes(&mut bytes);
        Ok(table == *self.table && self.pages.get(0..self.pages.len(), frame)? == bytes)
    }
}

/// Lengths of one attribute, by the rank of documents in the file.
#[derive(Debug, Clone, Copy)]
pub enum FieldLengths<'r> {
    Same(u32),
    EveryDocument(Column<'r>),
    /// Lengths, with the ranks of their documents.
    SomeDocuments(Column<'r>, &'r [[u8; 4]]),
}

/// Numbers at regular distances.
#[derive(Debug, Clone, Copy)]
pub struct Column<'r> {
    lengths: &'r [u8],
    /// Width of a number in bytes.
    width: usize,
    /// Bytes from one number to the next.
    stride: usize,
    /// Bytes before the first number.
    offset: usize,
}

impl FieldLengths<'_> {
    /// Returns the length in a document that has the attribute.
    #[inline]
    pub fn get(&self, place: usize) -> u32 {
        match self {
            Self::Same(length) => *length,
            Self::EveryDocument(column) => column.get(place),
            Self::SomeDocuments(column, places) => {
                let key = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes) as usize;
                places.binary_search_by_key(&place, key).map_or(0, |place| column.get(place))
            }
        }
    }
}

impl Column<'_> {
    #[inline]
    fn get(&self, place: usize) -> u32 {
        let start = place.saturating_mul(self.stride).saturating_add(self.offset);
        let Some(bytes) = self.lengths.get(start..) else {
            return 0;
        };
        match self.width {
            1 => bytes.first().map_or(0, |&byte| byte.into()),
            2 => bytes.first_chunk().map_or(0, |two| u16::from_le_bytes(*two).into()),
            _ => bytes.first_chunk().map_or(0, |four| u32::from_le_bytes(*four)),
        }
    }
}
