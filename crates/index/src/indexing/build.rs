//! Cuts documents into words, on several threads where there are many of them.

use std::sync::atomic::{AtomicUsize, Ordering};

use segment::DocId;
use segment::text::TextBuffer;
use settings::Settings;
use text::{Scratch, Tokenizer, WordEvent};

use super::attributes::Attributes;
use super::leaves::{Visitor, Walk};
use super::rules::{Coverage, TextRules};

/// Text that a thread must have to itself before it is worth starting.
const BYTES_PER_THREAD: usize = 512 * 1024;
/// Documents that a thread takes at a time.
const DOCUMENTS_AT_A_TIME: usize = 256;

/// What is needed to index under one state of the settings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Indexing<'s> {
    pub settings: &'s Settings,
    pub rules: &'s TextRules,
    pub tokenizer: &'s Tokenizer,
    /// At most so many threads.
    pub threads: usize,
}

/// The words of documents, in one buffer a thread.
pub(crate) fn tokenize(documents: &[(DocId, &str)], indexing: Indexing<'_>) -> Vec<TextBuffer> {
    let bytes: usize = documents.iter().map(|(_, json)| json.len()).sum();
    let threads = indexing.threads_for(bytes);
    let next = AtomicUsize::new(0);
    in_threads(threads, || {
        let mut indexer = Indexer::new(indexing);
        loop {
            let start = next.fetch_add(DOCUMENTS_AT_A_TIME, Ordering::Relaxed);
            let Some(rest) = documents.get(start..) else {
                return indexer.into_buffer();
            };
            for (doc_id, json) in rest.iter().take(DOCUMENTS_AT_A_TIME) {
                indexer.add(*doc_id, json);
            }
        }
    })
}

/// Runs the same work on several threads, this one included, and gives all outcomes.
pub(crate) fn in_threads<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(&work)).collect();
        let mut outcomes = vec![work()];
        for other in others {
            match other.join() {
                Ok(outcome) => outcomes.push(outcome),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        outcomes
    })
}

impl Indexing<'_> {
    pub fn threads_for(self, bytes: usize) -> usize {
        (bytes / BYTES_PER_THREAD).clamp(1, self.threads.max(1))
    }
}

/// Fills one buffer.
#[derive(Debug)]
pub(crate) struct Indexer<'s> {
    walk: Walk,
    words: Words<'s>,
}

#[derive(Debug)]
struct Words<'s> {
    tokenizer: &'s Tokenizer,
    scratch: Scratch,
    attributes: Attributes<'s>,
    buffer: TextBuffer,
}

impl<'s> Indexer<'s> {
    pub fn new(indexing: Indexing<'s>) -> Self {
        let words = Words {
            tokenizer: indexing.tokenizer,
            scratch: Scratch::default(),
            attributes: Attributes::new(indexing.settings, indexing.rules),
            buffer: TextBuffer::new(),
        };
        Self { walk: Walk::default(), words }
    }

    pub fn add(&mut self, doc_id: DocId, json: &str) {
        self.words.buffer.document(doc_id);
        self.words.attributes.begin_document();
        self.walk.document(json, &mut self.words);
    }

    pub fn into_buffer(self) -> TextBuffer {
        self.words.buffer
    }
}

impl Visitor for Words<'_> {
    type Member = u32;

    #[inline]
    fn member(&mut self, name: &str) -> Option<u32> {
        let attribute = self.attributes.find(name, &mut self.buffer);
        let wanted = self.attributes.get(attribute).coverage != Coverage::Nothing;
        wanted.then_some(attribute)
    }

    fn text(&mut self, member: u32, text: &str) {
        let attribute = self.attributes.get(member);
        if let Some(field) = attribute.field {
            self.buffer.leaf(field);
            let Self { tokenizer, scratch, buffer, .. } = self;
            tokenizer.for_each_word(text, attribute.languages, scratch, |event| match event {
                WordEvent::Word(word) => buffer.word(word),
                WordEvent::Skip => buffer.skip(),
                WordEvent::Gap => buffer.gap(),
            });
        }
    }

    /// Languages are for strings.
    fn plain(&mut self, member: u32, json: &str) {
        if let Some(field) = self.attributes.get(member).field {
            self.buffer.leaf(field);
            let Self { tokenizer, scratch, buffer, .. } = self;
            tokenizer.for_each_word(json, &[], scratch, |event| match event {
                WordEvent::Word(word) => buffer.word(word),
                WordEvent::Skip => buffer.skip(),
                WordEvent::Gap => buffer.gap(),
            });
        }
    }
}
