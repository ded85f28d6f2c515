//! Buffer for the words of documents before they are written to a text file. Several buffers can be
//! filled in parallel, by a thread each, and become one file.
//!
//! A document is added leaf by leaf: the attribute, then words, skips and gaps in order. The effect
//! of separators and further leaves on positions is decided here, once.

use std::collections::HashMap;

use super::format::{
    FIRST_WORD, GAP, GAP_POSITIONS, LONGEST_WORD, MAX_FIELDS, POSITIONS, SKIP, positions_of,
};
use super::word_table::WordTable;
use crate::DocId;

/// Attribute handle of one buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferField(u16);

#[derive(Debug, Default)]
pub struct TextBuffer {
    pub(super) words: WordTable,
    /// Use of each word.
    pub(super) uses: Vec<WordUse>,
    pub(super) fields: Vec<String>,
    by_name: HashMap<String, u16>,
    /// Last document of each attribute, counted from 1.
    last_documents: Vec<u32>,
    /// Tokens of all documents; words by their number in this buffer.
    pub(super) tokens: Vec<u32>,
    pub(super) runs: Vec<FieldRun>,
    pub(super) documents: Vec<BufferedDocument>,
    open: Option<OpenDocument>,
    leaf: Leaf,
}

/// Use of a word.
#[derive(Debug, Clone, Copy)]
pub(super) struct WordUse {
    /// Number of document attributes that have it.
    pub count: u32,
    /// The last of them, counted from 1.
    last: u32,
}

/// Marks the first use of a word in an attribute of a document.
pub(super) const FIRST_USE: u32 = 1 << 31;

/// Tokens of one attribute of a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct FieldRun {
    pub field: u16,
    pub tokens: u32,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct BufferedDocument {
    pub doc_id: DocId,
    /// Index of its first run.
    pub runs: u32,
    /// Index of its first token.
    pub tokens: usize,
}

#[derive(Debug)]
struct OpenDocument {
    doc_id: DocId,
    first_run: usize,
    first_token: usize,
    /// True if an attribute has come back after another one.
    scattered: bool,
}

/// The current leaf, and the run of its attribute.
#[derive(Debug, Default)]
struct Leaf {
    /// `None` if the leaf is not indexed.
    field: Option<u16>,
    run_start: usize,
    leaf_start: usize,
    /// Position of the next word.
    position: u32,
    gap: bool,
}

impl TextBuffer {
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a document. Its DocId must be unique over all buffers.
    pub fn document(&mut self, doc_id: DocId) {
        self.end_document();
        self.open = Some(OpenDocument {
            doc_id,
            first_run: self.runs.len(),
            first_token: self.tokens.len(),
            scattered: false,
        });
    }

    /// Returns the attribute with this name; `None` if there are too many.
    pub fn field(&mut self, name: &str) -> Option<BufferField> {
        if let Some(&field) = self.by_name.get(name) {
            return Some(BufferField(field));
        }
        if self.fields.len() >= MAX_FIELDS {
            return None;
        }
        let field = self.fields.len() as u16;
        self.fields.push(name.to_owned());
        self.last_documents.push(0);
        self.by_name.insert(name.to_owned(), field);
        Some(BufferField(field))
    }

    /// Starts a leaf of the document: a value of an attribute.
    pub fn leaf(&mut self, field: BufferField) {
        self.end_leaf();
        if self.open.is_none() {
            self.leaf.field = None;
            return;
        }
        if self.leaf.field != Some(field.0) {
            self.end_run();
            self.leaf = Leaf { field: Some(field.0), ..Leaf::default() };
            self.leaf.run_start = self.tokens.len();
        }
        self.leaf.leaf_start = self.tokens.len();
        self.leaf.gap = self.leaf.leaf_start > self.leaf.run_start;
    }

    /// Adds a normalised word.
    #[inline]
    pub fn word(&mut self, word: &str) {
        let word = word.as_bytes();
        if word.is_empty() {
            return;
        }
        if word.len() > LONGEST_WORD || !self.words.has_room(word) {
            return self.skip();
        }
        if !self.take_position() {
            return;
        }
        let (number, is_new) = self.words.intern(word);
        if is_new {
            self.uses.push(WordUse { count: 0, last: 0 });
        }
        self.tokens.push(number + FIRST_WORD);
    }

    /// Adds a stop word, or anything else that takes a position without being indexed.
    #[inline]
    pub fn skip(&mut self) {
        if self.take_position() {
            self.tokens.push(SKIP);
        }
    }

    /// Adds a hard separator.
    #[inline]
    pub fn gap(&mut self) {
        if self.tokens.len() > self.leaf.leaf_start {
            self.leaf.gap = true;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.documents.is_empty() && self.open.is_none()
    }

    /// Returns the memory held, in bytes.
    pub fn memory_used(&self) -> usize {
        self.words.memory_used()
            + self.uses.capacity() * size_of::<WordUse>()
            + self.tokens.capacity() * size_of::<u32>()
            + self.runs.capacity() * size_of::<FieldRun>()
            + self.documents.capacity() * size_of::<BufferedDocument>()
    }

    /// Returns the range of the tokens of a document.
    pub(super) fn token_range(&self, document: u32) -> std::ops::Range<usize> {
        let next = self.documents.get(document as usize + 1);
        self.documents[document as usize].tokens..next.map_or(self.tokens.len(), |next| next.tokens)
    }

    /// Returns the attributes of a document, in the order of its tokens.
    pub(super) fn runs_of(&self, document: u32) -> &[FieldRun] {
        let next = self.documents.get(document as usize + 1);
        let end = next.map_or(self.runs.len(), |next| next.runs as usize);
        &self.runs[self.documents[document as usize].runs as usize..end]
    }

    /// Advances the position, after pending separators; returns false past the last one.
    #[inline]
    fn take_position(&mut self) -> bool {
        let leaf = &mut self.leaf;
        let position = leaf.position + if leaf.gap { GAP_POSITIONS } else { 0 };
        if leaf.field.is_none() || position >= POSITIONS {
            return false;
        }
        if leaf.gap {
            leaf.gap = false;
            self.tokens.push(GAP);
        }
        leaf.position = position + 1;
        true
    }

    fn end_leaf(&mut self) {
        let start = self.leaf.leaf_start;
        self.leaf.position -= trim(&mut self.tokens, start);
        self.leaf.gap = false;
    }

    fn end_run(&mut self) {
        let Some(field) = self.leaf.field.take() else {
            return;
        };
        let tokens = (self.tokens.len() - self.leaf.run_start) as u32;
        if tokens == 0 {
            return;
        }
        let serial = self.documents.len() as u32 + 1;
        let last = std::mem::replace(&mut self.last_documents[usize::from(field)], serial);
        if let Some(open) = &mut self.open {
            open.scattered |= last == serial;
        }
        self.runs.push(FieldRun { field, tokens });
    }

    /// Completes the current document.
    pub(super) fn end_document(&mut self) {
        self.end_leaf();
        self.end_run();
        let Some(open) = self.open.take() else {
            return;
        };
        if open.scattered {
            self.gather(&open);
        }
        self.documents.push(BufferedDocument {
            doc_id: open.doc_id,
            runs: open.first_run as u32,
            tokens: open.first_token,
        });
        let mut start = open.first_token;
        for (run, serial) in self.runs[open.first_run..].iter().zip(open.first_run as u32 + 1..) {
            let end = start + run.tokens as usize;
            for token in &mut self.tokens[start..end] {
                let Some(number) = token.checked_sub(FIRST_WORD) else {
                    continue;
                };
                let word = &mut self.uses[number as usize];
                if word.last != serial {
                    *word = WordUse { count: word.count + 1, last: serial };
                    *token |= FIRST_USE;
                }
            }
            start = end;
        }
        // The default start of the next leaf.
        self.leaf = Leaf::default();
        self.leaf.leaf_start = self.tokens.len();
    }

    /// Groups the runs of a document by attribute.
    #[cold]
    fn gather(&mut self, open: &OpenDocument) {
        let mut pieces = Vec::new();
        let mut start = 0;
        for run in self.runs.drain(open.first_run..) {
            let end = start + run.tokens as usize;
            pieces.push((run.field, start..end));
            start = end;
        }
        let tokens = self.tokens.split_off(open.first_token);
        pieces.sort_by_key(|(field, _)| *field);
        for same in pieces.chunk_by(|(left, _), (right, _)| left == right) {
            let run_start = self.tokens.len();
            let mut position = 0;
            for (_, piece) in same {
                let gap = (self.tokens.len() > run_start).then_some(GAP);
                for token in gap.into_iter().chain(tokens[piece.clone()].iter().copied()) {
                    if position >= POSITIONS {
                        break;
                    }
                    position += positions_of(token);
                    self.tokens.push(token);
                }
                position -= trim(&mut self.tokens, run_start);
            }
            let tokens = (self.tokens.len() - run_start) as u32;
            self.runs.push(FieldRun { field: same[0].0, tokens });
        }
    }
}

/// Removes everything after the last word; returns the number of positions removed.
#[inline]
fn trim(tokens: &mut Vec<u32>, start: usize) -> u32 {
    let mut positions = 0;
    while tokens.len() > start
        && let Some(&marker @ (GAP | SKIP)) = tokens.last()
    {
        positions += positions_of(marker);
        tokens.pop();
    }
    positions
}
