//! One column of an opened file: its values, by ordinal. Numbers have the first ordinals, by their
//! value; strings follow, in the byte order of their normal form.
//!
//! Dictionaries, offsets and sets were checked when the column was read, so they cannot fail later;
//! everything else is checked on access.

use std::ops::{Bound, Range};
use std::sync::{Arc, OnceLock};

use fst::raw::Fst;
use roaring::RoaringBitmap;

use super::folded::FoldedDictionary;
use super::format::{self, ALIGNMENT, ColumnPart, Description, FIRST_AT_ONCE};
use super::reader::ColumnsFile;
use super::spelling::Spelling;
use crate::directory::FileBytes;
use crate::encoding::offsets::Offsets;
use crate::encoding::postings;
use crate::encoding::prefix::{prefix_range, rank};
use crate::encoding::runs::Runs;
use crate::error::{Result, SegmentError};

pub struct Column {
    pub(super) file: Arc<ColumnsFile>,
    name: Box<str>,
    pub(super) description: Description,
    values: u32,
    numbers: Range<usize>,
    pub(super) postings: Range<usize>,
    pub(super) ordinals: Range<usize>,
    spellings: Range<usize>,
    pub(super) groups: Range<usize>,
    pub(super) posting_offsets: Option<Offsets>,
    pub(super) value_offsets: Option<Offsets>,
    spelling_offsets: Option<Offsets>,
    group_offsets: Option<Offsets>,
    dictionary: Option<Fst<FileBytes>>,
    folded: Option<Fst<FileBytes>>,
    exists: RoaringBitmap,
    null: RoaringBitmap,
    empty: RoaringBitmap,
    valued: Option<RoaringBitmap>,
    /// Runs of the documents that have values; built on first use.
    pub(super) runs: OnceLock<Runs>,
}

impl Column {
    pub(super) fn read(
        file: &Arc<ColumnsFile>,
        name: &str,
        description: &Description,
    ) -> Result<Self> {
        let cannot =
            |what: &str| file.frame.damaged(format!("{what} of column `{name}` cannot be read"));
        let part = |part| description.part(part).ok_or_else(|| cannot("the description"));
        // All at once, so that later reads need no checks.
        let at_once = part(FIRST_AT_ONCE)?.start..part(ColumnPart::Valued)?.end;
        file.get(at_once)?;

        let offsets =
            |of: ColumnPart, count: usize, end: Range<usize>| -> Result<Option<Offsets>> {
                let range = part(of)?;
                if range.is_empty() {
                    return Ok(None);
                }
                Offsets::new(file.get_bytes(range)?, count)
                    .filter(|offsets| offsets.end() == end.len())
                    .map(Some)
                    .ok_or_else(|| cannot("a table"))
            };
        let dictionary = |of: ColumnPart| -> Result<Option<Fst<FileBytes>>> {
            let range = part(of)?;
            if range.is_empty() {
                return Ok(None);
            }
            let bytes = file.get_bytes(range)?;
            Fst::new(bytes).map(Some).map_err(|_| cannot("a dictionary"))
        };
        let set = |of: ColumnPart| -> Result<Option<RoaringBitmap>> {
            let range = part(of)?;
            if range.is_empty() {
                return Ok(None);
            }
            postings::read_set(file.get(range)?)
                .map(Some)
                .ok_or_else(|| cannot("a set of documents"))
        };
        let values = description.values().ok_or_else(|| cannot("the description"))?;
        let postings = part(ColumnPart::Postings)?;
        let (spellings, groups) = (part(ColumnPart::Spellings)?, part(ColumnPart::Groups)?);
        let folded = dictionary(ColumnPart::Folded)?;
        let group_count = folded.as_ref().map_or(0, Fst::len);
        let all_ordinals = usize::try_from(description.ordinals).unwrap_or(usize::MAX);
        let places = usize::try_from(description.places).unwrap_or(usize::MAX);
        let column = Self {
            posting_offsets: offsets(
                ColumnPart::PostingOffsets,
                values as usize,
                postings.clone(),
            )?,
            value_offsets: offsets(ColumnPart::ValueOffsets, places, 0..all_ordinals)?,
            spelling_offsets: offsets(
                ColumnPart::SpellingOffsets,
                description.strings as usize,
                spellings.clone(),
            )?,
            group_offsets: offsets(ColumnPart::GroupOffsets, group_count, groups.clone())?,
            dictionary: dictionary(ColumnPart::Dictionary)?,
            exists: set(ColumnPart::Exists)?.unwrap_or_default(),
            null: set(ColumnPart::Null)?.unwrap_or_default(),
            empty: set(ColumnPart::Empty)?.unwrap_or_default(),
            valued: set(ColumnPart::Valued)?,
            numbers: part(ColumnPart::Numbers)?,
            ordinals: part(ColumnPart::Ordinals)?,
            postings,
            spellings,
            groups,
            folded,
            values,
            description: *description,
            name: name.into(),
            file: Arc::clone(file),
            runs: OnceLock::new(),
        };
        if !column.is_consistent() {
            return Err(cannot("the description"));
        }
        Ok(column)
    }

    /// Returns whether the redundant numbers agree.
    fn is_consistent(&self) -> bool {
        let Description { numbers, strings, is_multi, first, places, ordinals, .. } =
            self.description;
        let width = format::ordinal_width(self.values) as u64;
        let places_fit = match first {
            Some(first) => first % ALIGNMENT == 0 && places <= (1 << 32) - u64::from(first),
            None => places == self.valued().len(),
        };
        places_fit
            && self.numbers.len() as u64 == u64::from(numbers) * 8
            && ordinals.checked_mul(width) == Some(self.ordinals.len() as u64)
            && self.dictionary.as_ref().map_or(0, Fst::len) as u64 == u64::from(strings)
            && self.posting_offsets.is_some() == (self.values > 0)
            && self.value_offsets.is_some() == is_multi
            && (is_multi || ordinals == places)
            && self.folded.is_some() == self.group_offsets.is_some()
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the documents that have the attribute, like all sets here including deleted ones.
    pub fn exists(&self) -> &RoaringBitmap {
        &self.exists
    }

    /// Returns the documents where it is `null`.
    pub fn null(&self) -> &RoaringBitmap {
        &self.null
    }

    /// Returns the documents where it is empty.
    pub fn empty(&self) -> &RoaringBitmap {
        &self.empty
    }

    /// Returns the documents that have a value.
    pub fn valued(&self) -> &RoaringBitmap {
        self.valued.as_ref().unwrap_or(&self.exists)
    }

    pub fn value_count(&self) -> u32 {
        self.values
    }

    /// Returns the end of the ordinals of numbers.
    pub fn number_count(&self) -> u32 {
        self.description.numbers
    }

    pub fn number(&self, ordinal: u32) -> Result<f64> {
        if ordinal >= self.number_count() {
            return Err(self.no_value(ordinal));
        }
        let start = self.numbers.start + 8 * ordinal as usize;
        let bytes = self.file.get(start..start + 8)?;
        bytes
            .as_array()
            .map(|&bytes| f64::from_le_bytes(bytes))
            // NaN cannot be compared.
            .filter(|number| !number.is_nan())
            .ok_or_else(|| self.no_value(ordinal))
    }

    /// Returns the ordinals of the numbers within these bounds.
    pub fn numbers_between(&self, from: Bound<f64>, to: Bound<f64>) -> Result<Range<u32>> {
        let start = match from {
            Bound::Unbounded => 0,
            Bound::Included(from) => self.numbers_before(|number| number < from)?,
            Bound::Excluded(from) => self.numbers_before(|number| number <= from)?,
        };
        let end = match to {
            Bound::Unbounded => self.number_count(),
            Bound::Included(to) => self.numbers_before(|number| number <= to)?,
            Bound::Excluded(to) => self.numbers_before(|number| number < to)?,
        };
        Ok(start..end.max(start))
    }

    /// Counts the numbers before a point.
    fn numbers_before(&self, is_before: impl Fn(f64) -> bool) -> Result<u32> {
        let (mut start, mut end) = (0, self.number_count());
        while start < end {
            let middle = start + (end - start) / 2;
            if is_before(self.number(middle)?) {
                start = middle + 1;
            } else {
                end = middle;
            }
        }
        Ok(start)
    }

    /// Returns the normal form of a string.
    pub fn string(&self, ordinal: u32) -> Result<String> {
        let mut normal = Vec::new();
        let place = ordinal.checked_sub(self.number_count());
        let found = place.zip(self.dictionary()).is_some_and(|(place, dictionary)| {
            ordinal < self.values && dictionary.get_key_into(place.into(), &mut normal)
        });
        let normal = String::from_utf8(normal).ok().filter(|_| found);
        normal.ok_or_else(|| self.no_value(ordinal))
    }

    pub fn string_ordinal(&self, normal: &[u8]) -> Result<Option<u32>> {
        let Some(place) = self.dictionary().and_then(|dictionary| dictionary.get(normal)) else {
            return Ok(None);
        };
        match u32::try_from(place.value()) {
            Ok(place) if place < self.description.strings => Ok(Some(self.number_count() + place)),
            _ => Err(self.malformed("the dictionary")),
        }
    }

    /// Returns the ordinals of the strings within these bounds.
    pub fn strings_between(&self, from: Bound<&[u8]>, to: Bound<&[u8]>) -> Result<Range<u32>> {
        let start = match from {
            Bound::Unbounded => self.number_count(),
            Bound::Included(from) => self.strings_before(from, false)?,
            Bound::Excluded(from) => self.strings_before(from, true)?,
        };
        let end = match to {
            Bound::Unbounded => self.values,
            Bound::Included(to) => self.strings_before(to, true)?,
            Bound::Excluded(to) => self.strings_before(to, false)?,
        };
        Ok(start..end.max(start))
    }

    /// Returns the ordinal after the strings before a point, or up to and including it.
    fn strings_before(&self, normal: &[u8], with_itself: bool) -> Result<u32> {
        if with_itself && let Some(ordinal) = self.string_ordinal(normal)? {
            return Ok(ordinal + 1);
        }
        let before = self.dictionary().map_or(0, |dictionary| rank(dictionary, normal));
        Ok(self.number_count() + before.min(self.description.strings))
    }

    pub fn strings_starting_with(&self, prefix: &[u8]) -> Result<Range<u32>> {
        let range = self.dictionary().map_or(0..0, |dictionary| prefix_range(dictionary, prefix));
        if range.end > self.description.strings {
            return Err(self.malformed("the dictionary"));
        }
        Ok(self.number_count() + range.start..self.number_count() + range.end)
    }

    /// Returns the dictionary from normal form to position among the strings (ordinal minus
    /// `number_count`); `None` if there are no strings.
    pub fn dictionary(&self) -> Option<&Fst<FileBytes>> {
        self.dictionary.as_ref()
    }

    /// Returns the strings whose form without accents differs from their normal form, if any.
    pub fn folded(&self) -> Option<FoldedDictionary<'_>> {
        let (dictionary, offsets) = self.folded.as_ref().zip(self.group_offsets.as_ref())?;
        Some(FoldedDictionary::new(self, dictionary, offsets))
    }

    /// Returns how documents spell a value; a number is its own spelling.
    pub fn spelling(&self, ordinal: u32) -> Result<Spelling> {
        if ordinal >= self.values {
            return Err(self.no_value(ordinal));
        }
        Ok(match ordinal.checked_sub(self.number_count()) {
            None => Spelling::Normal,
            Some(place) => match self.string_spelling(place)? {
                Spelling::Normal => Spelling::Normal,
                Spelling::Varies => Spelling::Varies,
                Spelling::Is(text) => match str::from_utf8(text) {
                    Ok(text) => Spelling::Is(text.to_owned()),
                    Err(_) => return Err(self.malformed("a spelling")),
                },
            },
        })
    }

    /// Returns how documents spell a string, by its position among the strings.
    pub(super) fn string_spelling(&self, place: u32) -> Result<Spelling<&[u8]>> {
        let Some(offsets) = &self.spelling_offsets else {
            return Ok(Spelling::Normal);
        };
        let range = offsets.range(place as usize).ok_or_else(|| self.malformed("a spelling"))?;
        let start = self.spellings.start;
        let bytes = self.file.get(start + range.start..start + range.end)?;
        Ok(Spelling::from_bytes(bytes))
    }

    /// Returns the total size of its parts in bytes.
    pub fn stored_bytes(&self) -> u64 {
        self.description.lengths.iter().sum()
    }

    pub(super) fn no_value(&self, ordinal: u32) -> SegmentError {
        let what = format!("column `{}` has no value {ordinal}", self.name);
        self.file.frame.damaged(what)
    }

    pub(super) fn malformed(&self, what: &str) -> SegmentError {
        self.file.frame.damaged(format!("{what} of column `{}` is malformed", self.name))
    }
}

impl std::fmt::Debug for Column {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Column")
            .field("name", &self.name)
            .field("description", &self.description)
            .finish_non_exhaustive()
    }
}
