//! A small index for unit tests: documents as lists of (attribute, text), spread over segments.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use roaring::RoaringBitmap;
use segment::MemoryDirectory;
use segment::text::{TextBuffer, TextReader, finish};
use settings::Settings;
use text::{TokenKind, Tokenizer};

use crate::context::Source;
use crate::query::{Found, Query, Strategy};
use crate::synonyms::Synonyms;

pub(crate) struct TestIndex {
    readers: Vec<TextReader>,
    deleted: RoaringBitmap,
    live: RoaringBitmap,
    settings: Settings,
    tokenizer: Tokenizer,
}

impl TestIndex {
    /// Documents of one attribute `t`, numbered from 1, over two segments.
    pub fn of_texts(settings: Settings, texts: &[&str]) -> Self {
        let documents: Vec<Vec<(&str, &str)>> =
            texts.iter().map(|text| vec![("t", *text)]).collect();
        Self::new(settings, &documents)
    }

    pub fn new(settings: Settings, documents: &[Vec<(&str, &str)>]) -> Self {
        let tokenizer = Tokenizer::new(settings.words.clone());
        let directory = MemoryDirectory::new();
        let mut readers = Vec::new();
        let half = documents.len().div_ceil(2);
        let mut live = RoaringBitmap::new();
        for (number, part) in documents.chunks(half.max(1)).enumerate() {
            let mut buffer = TextBuffer::new();
            for (place, document) in part.iter().enumerate() {
                let doc_id = (number * half + place + 1) as u32;
                live.insert(doc_id);
                buffer.document(doc_id);
                for (attribute, text) in document {
                    let Some(field) = buffer.field(attribute) else { continue };
                    buffer.leaf(field);
                    for token in tokenizer.tokens(text, &[]) {
                        match token.kind {
                            TokenKind::Word => buffer.word(&token.lemma),
                            TokenKind::StopWord => buffer.skip(),
                            TokenKind::HardSeparator => buffer.gap(),
                            TokenKind::SoftSeparator => {}
                        }
                    }
                }
            }
            let name = format!("{number}.text.1");
            finish(vec![buffer], &directory, &name).expect("a text file");
            readers.push(TextReader::open(&directory, &name).expect("a readable file"));
        }
        Self { readers, deleted: RoaringBitmap::new(), live, settings, tokenizer }
    }

    pub fn find(&self, text: &str, strategy: Strategy) -> Found {
        let synonyms = Synonyms::new(&self.settings, &self.tokenizer);
        let source = Source {
            segments: self.readers.iter().map(|reader| (reader, &self.deleted)).collect(),
            live: &self.live,
            settings: &self.settings,
            tokenizer: &self.tokenizer,
            synonyms: &synonyms,
        };
        let cancelled = AtomicBool::new(false);
        let query = Query {
            text: Some(text),
            strategy,
            attributes: None,
            locales: None,
            offset: 0,
            limit: 20,
            exhaustive: false,
            threshold: None,
            with_scores: true,
            with_words: false,
            deadline: Instant::now() + Duration::from_secs(60),
            cancelled: &cancelled,
        };
        crate::run::run_on(&source, &query).expect("an answer")
    }

    /// Document numbers and scores to four places.
    pub fn ranked(&self, text: &str) -> Vec<(u32, f64)> {
        let found = self.find(text, Strategy::Last);
        found.hits.iter().map(|hit| (hit.doc_id, (hit.score * 1e4).round() / 1e4)).collect()
    }
}

/// Settings with one searchable attribute `t`.
pub(crate) fn one_attribute() -> Settings {
    Settings { searchable_attributes: Some(vec!["t".to_owned()]), ..Settings::default() }
}
