//! Writes words with their documents and occurrences, word by word in byte order, and the
//! dictionary. Shared by new files and merges, so that the two cannot write different files.

use super::format::{self, FIRST_WORD};
use super::occurrence::{Occurrence, OccurrenceWriter};
use super::parts;
use super::prefix_unions::{PrefixUnions, Unions};
use super::word_list;
use crate::DocId;
use crate::encoding::dictionary::DictionaryWriter;
use crate::encoding::offsets::OffsetsBuilder;
use crate::encoding::pages::{self, PagesWriter};
use crate::encoding::postings::{self, LONGEST_LIST};
use crate::encoding::union::set_of;
use crate::error::{Result, SegmentError};
use crate::frame::FrameWriter;

pub struct WordWriter<'f> {
    frame: &'f mut FrameWriter,
    pages: PagesWriter,
    offsets: OffsetsBuilder,
    dictionary: DictionaryWriter,
    unions: PrefixUnions,
    occurrences: OccurrenceWriter,
    words: u32,
    /// Words with this many documents are frequent.
    least_frequent: usize,
    frequent: Vec<u32>,
    /// Words with this many documents have pairs with words between them.
    least_near: usize,
    is_near: Vec<bool>,
    doc_ids: Vec<DocId>,
}

/// Metadata known once all words are written.
pub struct WrittenWords {
    pub count: u32,
    pub unions: Unions,
    /// Ordinals of the words that many documents have.
    pub frequent: Vec<u32>,
    /// For each of these: whether its pairs are stored with words between them, too.
    pub is_near: Vec<bool>,
}

impl WrittenWords {
    /// Returns whether there is anything to store in parts.
    pub fn need_parts(&self) -> bool {
        !self.unions.is_empty() || !self.frequent.is_empty()
    }
}

impl<'f> WordWriter<'f> {
    /// Starts the words of a file of this many documents.
    pub fn new(frame: &'f mut FrameWriter, documents: u64) -> Result<Self> {
        let pages = PagesWriter::begin(frame, format::POSTINGS)?;
        Ok(Self {
            frame,
            pages,
            offsets: OffsetsBuilder::default(),
            dictionary: DictionaryWriter::default(),
            unions: PrefixUnions::new(documents),
            occurrences: OccurrenceWriter::default(),
            words: 0,
            least_frequent: parts::least_frequent(documents) as usize,
            frequent: Vec::new(),
            least_near: parts::least_near(documents) as usize,
            is_near: Vec::new(),
            doc_ids: Vec::new(),
        })
    }

    /// Adds a word with its occurrences in order; returns its ordinal.
    pub fn add(&mut self, word: &[u8], occurrences: &[Occurrence]) -> Result<u32> {
        let ordinal = self.words;
        self.words = ordinal
            .checked_add(1)
            .filter(|words| words.checked_add(FIRST_WORD).is_some())
            .ok_or_else(|| SegmentError::Inconsistent("there are too many words".to_owned()))?;
        self.dictionary.add(word)?;
        self.offsets.push(self.pages.length());
        self.doc_ids.clear();
        self.doc_ids.extend(occurrences.iter().map(|occurrence| occurrence.doc_id()));
        self.doc_ids.dedup();
        let documents = self.doc_ids.len();
        if documents >= self.least_frequent && self.frequent.len() < parts::MOST_WORDS {
            self.frequent.push(ordinal);
            self.is_near.push(documents >= self.least_near);
        }
        let out = &mut self.pages.pending;
        if documents <= LONGEST_LIST {
            postings::write_list(out, &self.doc_ids);
            self.unions.add(word, &self.doc_ids, None);
        } else {
            let mut set = set_of(&mut self.doc_ids);
            set.optimize();
            word_list::write_set(out, &set);
            self.unions.add(word, &[], Some(&set));
        }
        self.occurrences.write(out, occurrences, documents);
        self.pages.flush(self.frame)?;
        Ok(ordinal)
    }

    pub fn finish(mut self) -> Result<WrittenWords> {
        self.offsets.push(self.pages.length());
        self.pages.finish(self.frame, format::POSTING_PAGES)?;
        let offsets = self.offsets.to_bytes();
        pages::write(self.frame, format::POSTING_OFFSETS, format::POSTING_OFFSET_PAGES, offsets)?;
        self.frame.section(format::DICTIONARY, &self.dictionary.finish()?)?;
        let unions = self.unions.finish();
        let Self { words: count, frequent, is_near, .. } = self;
        Ok(WrittenWords { count, unions, frequent, is_near })
    }
}
