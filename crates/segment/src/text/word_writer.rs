//! Writes words and their documents, word by word in byte order: the lists, the dictionary, and
//! unions over prefixes. Used by a fresh file and by a merge alike, so that the two cannot write
//! different files.

use roaring::RoaringBitmap;

use super::format::{self, FIRST_WORD};
use super::prefix_unions::PrefixUnions;
use crate::DocId;
use crate::encoding::dictionary::DictionaryWriter;
use crate::encoding::offsets::OffsetsBuilder;
use crate::encoding::pages::PagesWriter;
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
    words: u32,
    list: Vec<DocId>,
}

impl<'f> WordWriter<'f> {
    /// For a file of so many documents.
    pub fn new(frame: &'f mut FrameWriter, documents: u64) -> Result<Self> {
        let pages = PagesWriter::begin(frame, format::POSTINGS)?;
        Ok(Self {
            frame,
            pages,
            offsets: OffsetsBuilder::default(),
            dictionary: DictionaryWriter::default(),
            unions: PrefixUnions::new(documents),
            words: 0,
            list: Vec::new(),
        })
    }

    /// Adds a word and its documents, in ascending order; gives its ordinal.
    pub fn add_list(&mut self, word: &[u8], doc_ids: &[DocId]) -> Result<u32> {
        if doc_ids.len() <= LONGEST_LIST {
            return self.add(word, doc_ids, None);
        }
        self.list.clear();
        self.list.extend_from_slice(doc_ids);
        let mut set = set_of(&mut self.list);
        set.optimize();
        self.add(word, &[], Some(&set))
    }

    pub fn add_set(&mut self, word: &[u8], mut set: RoaringBitmap) -> Result<u32> {
        if set.len() > LONGEST_LIST as u64 {
            set.optimize();
            return self.add(word, &[], Some(&set));
        }
        let list: Vec<DocId> = set.iter().collect();
        self.add(word, &list, None)
    }

    fn add(&mut self, word: &[u8], list: &[DocId], set: Option<&RoaringBitmap>) -> Result<u32> {
        let ordinal = self.words;
        self.words = ordinal
            .checked_add(1)
            .filter(|words| words.checked_add(FIRST_WORD).is_some())
            .ok_or_else(|| SegmentError::Inconsistent("there are too many words".to_owned()))?;
        self.dictionary.add(word)?;
        self.offsets.push(self.pages.length());
        match set {
            Some(set) => postings::write_set(&mut self.pages.pending, set),
            None => postings::write_list(&mut self.pages.pending, list),
        }
        self.pages.flush(self.frame)?;
        self.unions.add(word, list, set);
        Ok(ordinal)
    }

    /// Gives the number of words.
    pub fn finish(mut self) -> Result<u32> {
        self.offsets.push(self.pages.length());
        self.pages.finish(self.frame, format::POSTING_PAGES)?;
        self.frame.section(format::POSTING_OFFSETS, &self.offsets.to_bytes())?;
        self.frame.section(format::DICTIONARY, &self.dictionary.finish()?)?;
        let (table, sets) = self.unions.finish();
        let mut pages = PagesWriter::begin(self.frame, format::PREFIX_SETS)?;
        pages.pending = sets;
        pages.finish(self.frame, format::PREFIX_PAGES)?;
        self.frame.section(format::PREFIXES, &table)?;
        Ok(self.words)
    }
}
