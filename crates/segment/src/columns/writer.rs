//! Writes columns, one after the other in name order. Shared by new files and merges, so that the
//! two cannot write different files.

use roaring::RoaringBitmap;

use super::format::{self, ALIGNMENT, ColumnPart, Description, PLACES_PER_DOCUMENT};
use super::string_writer::WrittenStrings;
use crate::DocId;
use crate::directory::Directory;
use crate::documents::RunSet;
use crate::encoding::offsets::OffsetsBuilder;
use crate::encoding::pages::PagesWriter;
use crate::encoding::postings;
use crate::error::{Result, SegmentError};
use crate::frame::FrameWriter;

/// A document and the ordinal of one of its values, packed into a number for quick sorting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Occurrence(u64);

impl Occurrence {
    #[inline]
    pub fn new(doc_id: DocId, ordinal: u32) -> Self {
        Self(u64::from(doc_id) << 32 | u64::from(ordinal))
    }

    #[inline]
    fn doc_id(self) -> DocId {
        (self.0 >> 32) as DocId
    }

    #[inline]
    fn ordinal(self) -> u32 {
        self.0 as u32
    }
}

/// Contents of a column.
pub struct Content {
    pub exists: RoaringBitmap,
    pub null: RoaringBitmap,
    pub empty: RoaringBitmap,
    /// Numbers, ascending.
    pub numbers: Vec<f64>,
    pub strings: WrittenStrings,
    /// Occurrences, ascending and unique; every ordinal of a number or string occurs.
    pub occurrences: Vec<Occurrence>,
}

impl Content {
    /// Returns whether no document has the attribute.
    pub fn is_empty(&self) -> bool {
        self.exists.is_empty() && self.occurrences.is_empty()
    }
}

pub struct ColumnsWriter {
    frame: FrameWriter,
    pages: PagesWriter,
    columns: u64,
    names: Vec<u8>,
    name_offsets: OffsetsBuilder,
    descriptions: Vec<u8>,
    description_offsets: OffsetsBuilder,
}

impl ColumnsWriter {
    pub fn create(directory: &dyn Directory, name: &str) -> Result<Self> {
        let mut frame = FrameWriter::create(directory, name, format::KIND, format::VERSION)?;
        let pages = PagesWriter::begin(&mut frame, format::DATA)?;
        Ok(Self {
            frame,
            pages,
            columns: 0,
            names: Vec::new(),
            name_offsets: OffsetsBuilder::default(),
            descriptions: Vec::new(),
            description_offsets: OffsetsBuilder::default(),
        })
    }

    /// Adds the next column in name order.
    pub fn add(&mut self, name: &str, content: Content) -> Result<()> {
        let numbers = u32::try_from(content.numbers.len()).unwrap_or(u32::MAX);
        let mut description = Description {
            numbers,
            strings: content.strings.count,
            start: self.pages.length(),
            ..Description::default()
        };
        let values = description
            .values()
            .ok_or_else(|| SegmentError::Inconsistent("there are too many values".to_owned()))?;
        let mut column = ColumnWriter { file: self, description, values };
        column.write(content)?;
        description = column.description;

        self.columns += 1;
        self.name_offsets.push(self.names.len() as u64);
        self.names.extend_from_slice(name.as_bytes());
        self.description_offsets.push(self.descriptions.len() as u64);
        description.write(&mut self.descriptions);
        Ok(())
    }

    /// Finishes the file, and returns its length.
    pub fn finish(mut self) -> Result<u64> {
        let frame = &mut self.frame;
        self.pages.finish(frame, format::DATA_PAGES)?;
        self.name_offsets.push(self.names.len() as u64);
        self.description_offsets.push(self.descriptions.len() as u64);
        frame.section(format::NAMES, &self.names)?;
        frame.section(format::NAME_OFFSETS, &self.name_offsets.to_bytes())?;
        frame.section(format::DESCRIPTIONS, &self.descriptions)?;
        frame.section(format::DESCRIPTION_OFFSETS, &self.description_offsets.to_bytes())?;
        frame.section(format::META, &self.columns.to_le_bytes())?;
        self.frame.finish()
    }
}

/// Writes the parts of one column.
struct ColumnWriter<'w> {
    file: &'w mut ColumnsWriter,
    description: Description,
    values: u32,
}

impl ColumnWriter<'_> {
    fn write(&mut self, content: Content) -> Result<()> {
        let Content { mut exists, null, empty, numbers, strings, occurrences } = content;
        self.append(ColumnPart::Numbers, |out| {
            out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        })?;
        let posting_offsets = self.write_postings(&occurrences)?;
        let valued = documents_of(&occurrences);
        let value_offsets = self.write_ordinals(&occurrences, &valued)?;
        drop(occurrences);
        for implied in [&valued, &null, &empty] {
            exists |= implied;
        }
        for (part, bytes) in [
            (ColumnPart::Spellings, strings.spellings),
            (ColumnPart::Groups, strings.groups),
            (ColumnPart::PostingOffsets, posting_offsets),
            (ColumnPart::ValueOffsets, value_offsets),
            (ColumnPart::SpellingOffsets, strings.spelling_offsets),
            (ColumnPart::GroupOffsets, strings.group_offsets),
            (ColumnPart::Dictionary, strings.dictionary),
            (ColumnPart::Folded, strings.folded),
        ] {
            self.append(part, |out| out.extend_from_slice(&bytes))?;
        }
        for (part, set, is_there) in [
            (ColumnPart::Exists, &exists, true),
            (ColumnPart::Null, &null, !null.is_empty()),
            (ColumnPart::Empty, &empty, !empty.is_empty()),
            (ColumnPart::Valued, &valued, valued != exists),
        ] {
            if is_there {
                self.append(part, |out| postings::write_documents(out, set.clone()))?;
            }
        }
        Ok(())
    }

    fn append(&mut self, part: ColumnPart, write: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        let pages = &mut self.file.pages;
        let before = pages.pending.len();
        write(&mut pages.pending);
        self.description.lengths[part as usize] += (pages.pending.len() - before) as u64;
        pages.flush(&mut self.file.frame)
    }

    /// Collects the documents of each value by counting, and writes them. Returns the offsets.
    fn write_postings(&mut self, occurrences: &[Occurrence]) -> Result<Vec<u8>> {
        if self.values == 0 {
            return Ok(Vec::new());
        }
        let mut ends = vec![0_usize; self.values as usize + 1];
        for occurrence in occurrences {
            ends[occurrence.ordinal() as usize + 1] += 1;
        }
        let mut total = 0;
        for end in &mut ends {
            // At first the start of each list; filling moves it to the end.
            total += *end;
            *end = total;
        }
        let mut doc_ids = vec![0; occurrences.len()];
        for occurrence in occurrences {
            let end = &mut ends[occurrence.ordinal() as usize];
            doc_ids[*end] = occurrence.doc_id();
            *end += 1;
        }
        let mut offsets = OffsetsBuilder::default();
        let mut start = 0;
        for &end in &ends[..self.values as usize] {
            offsets.push(self.description.lengths[ColumnPart::Postings as usize]);
            let list = &mut doc_ids[start..end];
            self.append(ColumnPart::Postings, |out| postings::write_sorted(out, list))?;
            start = end;
        }
        offsets.push(self.description.lengths[ColumnPart::Postings as usize]);
        Ok(offsets.to_bytes())
    }

    /// Writes the values of each document. Returns the offsets, if there are any.
    fn write_ordinals(
        &mut self,
        occurrences: &[Occurrence],
        valued: &RoaringBitmap,
    ) -> Result<Vec<u8>> {
        let (Some(first), Some(last)) = (valued.min(), valued.max()) else {
            return Ok(Vec::new());
        };
        let first = first / ALIGNMENT * ALIGNMENT;
        let span = u64::from(last) + 1 - u64::from(first);
        let is_dense = span <= PLACES_PER_DOCUMENT * valued.len();
        let is_multi = occurrences.len() as u64 > valued.len();
        self.description.is_multi = is_multi;
        self.description.first = is_dense.then_some(first);
        self.description.places = if is_dense { span } else { valued.len() };

        let mut offsets = OffsetsBuilder::default();
        let mut ordinals = Vec::with_capacity(occurrences.len());
        let mut next = u64::from(first);
        for document in occurrences.chunk_by(|left, right| left.doc_id() == right.doc_id()) {
            let doc_id = u64::from(document[0].doc_id());
            let gap = if is_dense { doc_id - next } else { 0 };
            next = doc_id + 1;
            if is_multi {
                (0..=gap).for_each(|_| offsets.push(ordinals.len() as u64));
            } else {
                ordinals.extend((0..gap).map(|_| self.values));
            }
            ordinals.extend(document.iter().map(|occurrence| occurrence.ordinal()));
        }
        self.description.ordinals = ordinals.len() as u64;
        let width = format::ordinal_width(self.values);
        self.append(ColumnPart::Ordinals, |out| super::ordinals::write(out, &ordinals, width))?;
        if !is_multi {
            return Ok(Vec::new());
        }
        offsets.push(ordinals.len() as u64);
        Ok(offsets.to_bytes())
    }
}

fn documents_of(occurrences: &[Occurrence]) -> RoaringBitmap {
    let mut documents = RunSet::default();
    for occurrence in occurrences {
        documents.push(occurrence.doc_id());
    }
    documents.finish()
}
