//! An opened text file. Words, lists and streams are read in place; only the set of documents is
//! kept in memory.
//!
//! The dictionary and the small tables are checked when the file is opened; pages of lists, streams
//! and their offsets on first access.

use std::ops::Range;

use fst::Streamer;
use fst::raw::Fst;
use roaring::RoaringBitmap;

use super::format::{self, FieldTotals, Meta};
use super::instance_id::InstanceId;
use super::lengths::{FieldLengths, Lengths};
use super::occurrence::Occurrences;
use super::parts::{Parts, UnionPositions};
use super::prefixes::PrefixTable;
use super::tokens::{DocumentTokens, TokenCursor};
use super::word_documents::WordDocuments;
use super::word_list::WordBytes;
use crate::DocId;
use crate::directory::{Directory, FileBytes};
use crate::documents::{parse_set, section_length};
use crate::encoding::offsets::PagedOffsets;
use crate::encoding::pages::Pages;
use crate::encoding::postings;
use crate::encoding::prefix::{beginnings, prefix_range};
use crate::encoding::runs::Runs;
use crate::encoding::stored_set::StoredSet;
use crate::encoding::union::Union;
use crate::error::{Result, SegmentError};
use crate::frame::Frame;

pub struct TextReader {
    instance_id: InstanceId,
    pub(super) frame: Frame,
    pub(super) meta: Meta,
    dictionary: Fst<FileBytes>,
    postings: Pages,
    posting_offsets: PagedOffsets,
    prefix_sets: Pages,
    pub(super) prefixes: PrefixTable,
    /// `None` if no prefix has a union and no word is frequent, and in files of version 1.
    pub(super) parts: Option<Parts>,
    /// `None` in older files.
    pub(super) lengths: Option<Lengths>,
    tokens: Pages,
    token_offsets: PagedOffsets,
    high_bits: u32,
    doc_ids: RoaringBitmap,
    pub(super) runs: Runs,
    fields: Vec<String>,
    totals: Vec<FieldTotals>,
}

/// Sizes in bytes by purpose.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TextSizes {
    /// The whole file.
    pub file: u64,
    pub dictionary: u64,
    /// Documents of each word.
    pub postings: u64,
    /// Unions over prefixes.
    pub prefixes: u64,
    /// Token streams.
    pub tokens: u64,
}

impl TextReader {
    pub fn open(directory: &dyn Directory, name: &str) -> Result<Self> {
        Self::from_bytes(name, directory.open(name)?)
    }

    pub fn from_bytes(name: &str, bytes: FileBytes) -> Result<Self> {
        let frame = Frame::open(name, bytes, format::KIND, format::VERSION)?;
        let unreadable = |what: &str| frame.unreadable(what);
        let pages = |tag, sums| Pages::open(&frame, tag, sums);
        let offsets = |tag, sums, count: u64, of: &Pages| -> Result<PagedOffsets> {
            let of_section = match frame.version() {
                // The section has been checked as a whole.
                ..3 => Pages::all_compared(tag, frame.section(tag)?),
                _ => pages(tag, sums)?,
            };
            let offsets = match usize::try_from(count) {
                Ok(count) => PagedOffsets::new(of_section, count, &frame)?,
                Err(_) => None,
            };
            offsets
                .filter(|offsets| offsets.end() == of.len())
                .ok_or_else(|| frame.unreadable(format_args!("section {tag}")))
        };
        let meta = frame.parse(format::META, "the description", Meta::parse)?;
        let postings = pages(format::POSTINGS, format::POSTING_PAGES)?;
        let tokens = pages(format::TOKENS, format::TOKEN_PAGES)?;
        let prefix_sets = pages(format::PREFIX_SETS, format::PREFIX_PAGES)?;
        let prefixes = PrefixTable::new(frame.section(format::PREFIXES)?, prefix_sets.len())
            .ok_or_else(|| unreadable("the table of prefixes"))?;
        let parts = match frame.optional_section(format::PART_TABLE) {
            None => None,
            Some(table) => {
                let frequent = frame.section(format::FREQUENT_WORDS)?;
                let parts = pages(format::PARTS, format::PART_PAGES)?;
                let has_near = frame.version() >= format::FIRST_WITH_NEAR_PAIRS;
                let parts = Parts::new(parts, &table, prefixes.len(), frequent, has_near);
                Some(parts.ok_or_else(|| unreadable("the table of parts"))?)
            }
        };
        let doc_ids = frame.parse(format::DOC_IDS, "the set of documents", parse_set)?;
        let fields =
            frame.parse(format::FIELDS, "the names of attributes", format::parse_fields)?;
        let totals = frame.parse(format::FIELD_TOTALS, "the totals of attributes", |bytes| {
            format::parse_totals(bytes, fields.len())
        })?;
        let lengths = match frame.optional_section(format::LENGTH_TABLE) {
            None => None,
            Some(table) => {
                let lengths = pages(format::LENGTHS, format::LENGTH_PAGES)?;
                let lengths = Lengths::new(lengths, table, fields.len(), meta.documents);
                Some(lengths.ok_or_else(|| unreadable("the table of lengths"))?)
            }
        };
        let reader = Self {
            instance_id: InstanceId::next(),
            meta,
            dictionary: Fst::new(frame.section(format::DICTIONARY)?)
                .map_err(|_| unreadable("the dictionary"))?,
            posting_offsets: offsets(
                format::POSTING_OFFSETS,
                format::POSTING_OFFSET_PAGES,
                meta.words.into(),
                &postings,
            )?,
            token_offsets: offsets(
                format::TOKEN_OFFSETS,
                format::TOKEN_OFFSET_PAGES,
                meta.documents,
                &tokens,
            )?,
            prefixes,
            parts,
            lengths,
            postings,
            prefix_sets,
            tokens,
            high_bits: format::high_bits(meta.words),
            runs: Runs::new(&doc_ids),
            doc_ids,
            fields,
            totals,
            frame,
        };
        reader.check_counts()?;
        Ok(reader)
    }

    pub fn name(&self) -> &str {
        self.frame.name()
    }

    pub fn instance_id(&self) -> InstanceId {
        self.instance_id
    }

    pub fn file_bytes(&self) -> u64 {
        self.frame.length()
    }

    /// Returns the documents of the file, including those without words.
    pub fn doc_ids(&self) -> &RoaringBitmap {
        &self.doc_ids
    }

    /// Returns the flattened names of the attributes that have words, by their number in streams.
    pub fn fields(&self) -> &[String] {
        &self.fields
    }

    /// Returns the totals of an attribute, including deleted documents.
    pub fn field_totals(&self, field: u16) -> FieldTotals {
        self.totals.get(usize::from(field)).copied().unwrap_or_default()
    }

    pub fn word_count(&self) -> u32 {
        self.meta.words
    }

    /// Returns the number of tokens of all documents, including markers.
    pub fn token_count(&self) -> u64 {
        self.meta.tokens
    }

    /// Returns whether the lower 16 bits identify all tokens.
    pub fn has_short_tokens(&self) -> bool {
        self.high_bits == 0
    }

    /// Returns the number of prefixes whose documents are stored.
    pub fn union_count(&self) -> usize {
        self.prefixes.len()
    }

    /// Returns the dictionary of words with their ordinals, which are in byte order.
    pub fn dictionary(&self) -> &Fst<FileBytes> {
        &self.dictionary
    }

    pub fn ordinal(&self, word: &[u8]) -> Option<u32> {
        u32::try_from(self.dictionary.get(word)?.value()).ok()
    }

    /// Returns the ordinals of the words with a prefix.
    pub fn prefix_range(&self, prefix: &[u8]) -> Range<u32> {
        prefix_range(&self.dictionary, prefix)
    }

    /// Returns the words that are prefixes of a word, or itself: lengths in bytes and ordinals.
    pub fn beginnings(&self, word: &[u8]) -> Vec<(usize, u32)> {
        beginnings(&self.dictionary, word)
    }

    pub fn word(&self, ordinal: u32) -> Option<Vec<u8>> {
        let mut word = Vec::new();
        let found = ordinal < self.meta.words
            && self.dictionary.get_key_into(u64::from(ordinal), &mut word);
        found.then_some(word)
    }

    /// Visits every word, in byte order.
    pub fn for_each_word(&self, mut each: impl FnMut(&[u8], u32)) {
        let mut words = self.dictionary.stream();
        while let Some((word, ordinal)) = words.next() {
            each(word, ordinal.value() as u32);
        }
    }

    /// Returns the number of documents that have the word, including deleted ones.
    pub fn document_count(&self, ordinal: u32) -> Result<u32> {
        postings::count(self.list(ordinal)?).ok_or_else(|| self.malformed_list(ordinal))
    }

    pub fn documents_of(&self, ordinal: u32) -> Result<RoaringBitmap> {
        self.word_bytes(ordinal)?.to_set().ok_or_else(|| self.malformed_list(ordinal))
    }

    /// Returns the documents that have one of the words.
    pub fn documents_of_words(
        &self,
        ordinals: impl IntoIterator<Item = u32>,
    ) -> Result<RoaringBitmap> {
        let mut ordinals = ordinals.into_iter().peekable();
        let Some(first) = ordinals.next() else {
            return Ok(RoaringBitmap::new());
        };
        if ordinals.peek().is_none() {
            return self.documents_of(first);
        }
        let mut union = Union::default();
        for ordinal in std::iter::once(first).chain(ordinals) {
            self.add_documents(ordinal, &mut union)?;
        }
        Ok(union.finish())
    }

    /// Returns whether posting lists have occurrences; those of files of version 1 do not.
    pub fn has_occurrences(&self) -> bool {
        self.frame.version() >= 2
    }

    /// Returns the occurrences of a word, and appends its documents to a list, ascending. `None` if
    /// the file has no occurrences.
    pub fn occurrences(
        &self,
        ordinal: u32,
        doc_ids: &mut Vec<DocId>,
    ) -> Result<Option<Occurrences<'_>>> {
        let word = self.word_bytes(ordinal)?;
        let Some(bytes) = word.occurrences else {
            return Ok(None);
        };
        let malformed = || self.malformed_list(ordinal);
        word.append_to(doc_ids).ok_or_else(malformed)?;
        Occurrences::parse(bytes, word.count).ok_or_else(malformed).map(Some)
    }

    /// Returns the documents of a word and its occurrences; `None` if the file has no occurrences.
    pub fn word_occurrences(
        &self,
        ordinal: u32,
    ) -> Result<Option<(WordDocuments<'_>, Occurrences<'_>)>> {
        let word = self.word_bytes(ordinal)?;
        let Some(bytes) = word.occurrences else {
            return Ok(None);
        };
        let found = word.documents().zip(Occurrences::parse(bytes, word.count));
        found.ok_or_else(|| self.malformed_list(ordinal)).map(Some)
    }

    /// Returns the lengths of an attribute by document; `None` if the file has none.
    pub fn lengths(&self, field: u16) -> Result<Option<FieldLengths<'_>>> {
        self.lengths.as_ref().map(|lengths| lengths.of(field, &self.frame)).transpose()
    }

    /// Returns the rank of a document among those of the file. `near` caches the last result, which
    /// makes ascending lookups quick.
    #[inline]
    pub fn place(&self, doc_id: DocId, near: &mut usize) -> Option<usize> {
        self.runs.place(doc_id, near)
    }

    /// Returns the first positions of the words of a range in each of their documents; see
    /// [`LATE`](super::LATE). `None` if they are not stored.
    pub fn union_positions(&self, range: &Range<u32>) -> Result<Option<UnionPositions<'_>>> {
        let stored = self.prefixes.longest(range.start, range.end);
        let place = stored.filter(|(end, _)| *end == range.end).map(|(_, place)| place);
        let (Some(place), Some(parts)) = (place, &self.parts) else {
            return Ok(None);
        };
        let documents = StoredSet::parse(self.union_bytes(place)?);
        let documents = documents.ok_or_else(|| self.malformed_union(place))?;
        parts.union_positions(place, documents, &self.frame).map(Some)
    }

    /// Returns whether the documents of these words are stored as one set.
    pub fn has_union(&self, range: &Range<u32>) -> bool {
        let stored = self.prefixes.longest(range.start, range.end);
        stored.is_some_and(|(end, _)| end == range.end)
    }

    /// Returns the documents that have one of the words.
    pub fn documents_of_range(&self, range: Range<u32>) -> Result<RoaringBitmap> {
        let mut union = Union::default();
        let mut ordinal = range.start;
        while ordinal < range.end {
            // Stored unions cover as much of the range as possible.
            if let Some((end, place)) = self.prefixes.longest(ordinal, range.end) {
                union.add_set(self.prefix_set(place)?);
                ordinal = end;
            } else {
                self.add_documents(ordinal, &mut union)?;
                ordinal += 1;
            }
        }
        Ok(union.finish())
    }

    pub fn tokens(&self) -> TokenCursor<'_> {
        TokenCursor::new(self)
    }

    pub fn sizes(&self) -> TextSizes {
        let length = |tag| section_length(&self.frame, tag);
        TextSizes {
            file: self.frame.length(),
            dictionary: length(format::DICTIONARY),
            postings: length(format::POSTINGS) + length(format::POSTING_OFFSETS),
            prefixes: length(format::PREFIX_SETS) + length(format::PREFIXES),
            tokens: length(format::TOKENS) + length(format::TOKEN_OFFSETS),
        }
    }

    fn check_counts(&self) -> Result<()> {
        if self.doc_ids.len() != self.meta.documents {
            return Err(self.frame.damaged(format!(
                "{} documents and {} DocIds",
                self.meta.documents,
                self.doc_ids.len()
            )));
        }
        if self.dictionary.len() as u64 != u64::from(self.meta.words) {
            return Err(self.frame.damaged(format!(
                "{} words, of which {} are in the dictionary",
                self.meta.words,
                self.dictionary.len()
            )));
        }
        Ok(())
    }

    /// Returns the bytes of the documents of a word.
    pub(super) fn list(&self, ordinal: u32) -> Result<&[u8]> {
        let range = self
            .posting_offsets
            .range(ordinal as usize, &self.frame)?
            .ok_or_else(|| self.frame.damaged(format!("word {ordinal} is missing")))?;
        self.postings.get(range, &self.frame)
    }

    pub(super) fn add_documents(&self, ordinal: u32, union: &mut Union) -> Result<()> {
        self.word_bytes(ordinal)?.add_to(union).ok_or_else(|| self.malformed_list(ordinal))
    }

    pub(super) fn word_bytes(&self, ordinal: u32) -> Result<WordBytes<'_>> {
        WordBytes::parse(self.list(ordinal)?, self.frame.version())
            .ok_or_else(|| self.malformed_list(ordinal))
    }

    /// Returns a stored union, by its index in the table.
    pub(super) fn prefix_set(&self, place: usize) -> Result<RoaringBitmap> {
        parse_set(self.union_bytes(place)?).ok_or_else(|| self.malformed_union(place))
    }

    fn union_bytes(&self, place: usize) -> Result<&[u8]> {
        let range = self.prefixes.bytes(place).ok_or_else(|| self.malformed_union(place))?;
        self.prefix_sets.get(range, &self.frame)
    }

    fn malformed_union(&self, place: usize) -> SegmentError {
        self.frame.damaged(format!("union {place} is malformed"))
    }

    /// Returns the stream of a document, by its rank in the file.
    pub(super) fn document_tokens(&self, place: usize) -> Result<DocumentTokens<'_>> {
        let malformed = || self.frame.damaged(format!("token stream {place} is malformed"));
        let range = self.token_offsets.range(place, &self.frame)?.ok_or_else(malformed)?;
        let bytes = self.tokens.get(range, &self.frame)?;
        DocumentTokens::parse(bytes, self.high_bits).ok_or_else(malformed)
    }

    pub(super) fn malformed_list(&self, ordinal: u32) -> SegmentError {
        self.frame.damaged(format!("the documents of word {ordinal} are malformed"))
    }
}

impl std::fmt::Debug for TextReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextReader")
            .field("name", &self.name())
            .field("meta", &self.meta)
            .finish_non_exhaustive()
    }
}
