//! An opened columns file. Opening reads two small tables, whatever the number of columns; a column
//! is read on first access.

use std::sync::{Arc, OnceLock};

use super::column::Column;
use super::format::{self, Description};
use crate::directory::{Directory, FileBytes};
use crate::documents::section_length;
use crate::encoding::offsets::Offsets;
use crate::encoding::pages::Pages;
use crate::error::{Result, SegmentError};
use crate::frame::Frame;

pub struct ColumnsReader {
    pub(super) file: Arc<ColumnsFile>,
    names: FileBytes,
    name_offsets: Offsets,
    descriptions: FileBytes,
    description_offsets: Offsets,
    /// Columns read so far, in name order.
    columns: Box<[OnceLock<Box<Column>>]>,
}

/// State shared by all columns.
pub(super) struct ColumnsFile {
    pub frame: Frame,
    pub data: Pages,
}

/// Sizes in bytes by purpose.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ColumnsSizes {
    /// The whole file.
    pub file: u64,
    /// Values, documents of values, values of documents.
    pub data: u64,
    /// Names and descriptions.
    pub tables: u64,
}

impl ColumnsReader {
    pub fn open(directory: &dyn Directory, name: &str) -> Result<Self> {
        Self::from_bytes(name, directory.open(name)?)
    }

    pub fn from_bytes(name: &str, bytes: FileBytes) -> Result<Self> {
        let frame = Frame::open(name, bytes, format::KIND, format::VERSION)?;
        let count = frame.parse(format::META, "the number of columns", |meta| {
            usize::try_from(u64::from_le_bytes(*meta.as_array()?)).ok()
        })?;
        let offsets = |tag, of: &FileBytes| -> Result<Offsets> {
            Offsets::new(frame.section(tag)?, count)
                .filter(|offsets| offsets.end() == of.len())
                .ok_or_else(|| frame.unreadable(format_args!("section {tag}")))
        };
        let names = frame.section(format::NAMES)?;
        if str::from_utf8(&names).is_err() {
            return Err(frame.unreadable("the names of columns"));
        }
        let descriptions = frame.section(format::DESCRIPTIONS)?;
        let data = Pages::open(&frame, format::DATA, format::DATA_PAGES)?;
        Ok(Self {
            name_offsets: offsets(format::NAME_OFFSETS, &names)?,
            description_offsets: offsets(format::DESCRIPTION_OFFSETS, &descriptions)?,
            names,
            descriptions,
            columns: (0..count).map(|_| OnceLock::new()).collect(),
            file: Arc::new(ColumnsFile { frame, data }),
        })
    }

    pub fn name(&self) -> &str {
        self.file.frame.name()
    }

    pub fn file_bytes(&self) -> u64 {
        self.file.frame.length()
    }

    /// Names of the columns, in byte order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.columns.len()).map(|number| self.name_of(number))
    }

    /// Returns the column with this name.
    pub fn column(&self, name: &str) -> Result<Option<&Column>> {
        let (mut start, mut end) = (0, self.columns.len());
        while start < end {
            let middle = start + (end - start) / 2;
            match self.name_of(middle).cmp(name) {
                std::cmp::Ordering::Less => start = middle + 1,
                std::cmp::Ordering::Greater => end = middle,
                std::cmp::Ordering::Equal => return self.column_at(middle).map(Some),
            }
        }
        Ok(None)
    }

    pub fn sizes(&self) -> ColumnsSizes {
        let length = |tag| section_length(&self.file.frame, tag);
        let tables = [
            format::NAMES,
            format::NAME_OFFSETS,
            format::DESCRIPTIONS,
            format::DESCRIPTION_OFFSETS,
        ];
        ColumnsSizes {
            file: self.file.frame.length(),
            data: length(format::DATA),
            tables: tables.into_iter().map(length).sum(),
        }
    }

    /// Returns the name of a column. Inconsistent offsets give an empty name.
    pub(super) fn name_of(&self, number: usize) -> &str {
        let bytes = self.name_offsets.range(number).and_then(|range| self.names.get(range));
        bytes.and_then(|bytes| str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    pub(super) fn column_at(&self, number: usize) -> Result<&Column> {
        let slot = self.columns.get(number).ok_or_else(|| self.no_column(number))?;
        if let Some(column) = slot.get() {
            return Ok(column);
        }
        // Two threads may do this at once; one of the columns is dropped.
        let column = Column::read(&self.file, self.name_of(number), &self.description(number)?)?;
        Ok(slot.get_or_init(|| Box::new(column)))
    }

    pub(super) fn description(&self, number: usize) -> Result<Description> {
        self.description_offsets
            .range(number)
            .and_then(|range| self.descriptions.get(range))
            .and_then(Description::parse)
            .ok_or_else(|| self.no_column(number))
    }

    fn no_column(&self, number: usize) -> SegmentError {
        self.file.frame.unreadable(format_args!("column {number}"))
    }
}

impl ColumnsFile {
    /// Returns a checked range of the data.
    pub fn get(&self, range: std::ops::Range<usize>) -> Result<&[u8]> {
        self.data.get(range, &self.frame)
    }

    /// Returns a checked range of the data, as bytes that keep the file open.
    pub fn get_bytes(&self, range: std::ops::Range<usize>) -> Result<FileBytes> {
        self.data.get_bytes(range, &self.frame)
    }
}

impl std::fmt::Debug for ColumnsReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ColumnsReader")
            .field("name", &self.name())
            .field("columns", &self.columns.len())
            .finish_non_exhaustive()
    }
}
