//! Counts the phrases that continue the query in documents of one segment.

use std::cmp::Reverse;

use hashbrown::HashMap;
use segment::DocId;
use segment::text::{DocumentTokens, FIRST_WORD, GAP, SKIP};

use super::typed::{Pattern, Slot};

/// Maximum number of words that follow those of the query.
const FURTHER_WORDS: usize = 2;
/// Maximum number of stop words before such a word.
const MOST_STOP_WORDS: usize = 3;
/// Number of documents stored per phrase, to look up its spelling.
const EXAMPLES: usize = 3;
/// Maximum number of places counted in one document.
const MOST_PLACES: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Tally {
    phrases: HashMap<Vec<u32>, PhraseDocuments>,
    documents: u64,
    /// Reused buffers: the tokens of a field, and the rows of a document.
    tokens: Vec<u32>,
    rows: Vec<u32>,
    ends: Vec<(usize, usize)>,
}

/// The documents of a phrase.
#[derive(Debug, Default)]
pub(super) struct PhraseDocuments {
    pub documents: u32,
    examples: [DocId; EXAMPLES],
}

impl PhraseDocuments {
    pub fn examples(&self) -> &[DocId] {
        &self.examples[..(self.documents as usize).min(EXAMPLES)]
    }
}

impl Tally {
    /// Returns how many documents had a phrase.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    pub fn get(&self, row: &[u32]) -> Option<&PhraseDocuments> {
        self.phrases.get(row)
    }

    /// Returns the rows of the most documents.
    pub fn most_frequent(&self, most: usize) -> Vec<&[u32]> {
        let mut rows: Vec<(&[u32], u32)> =
            self.phrases.iter().map(|(row, found)| (row.as_slice(), found.documents)).collect();
        let key = |&(row, documents): &(&[u32], u32)| (Reverse(documents), row.len());
        if rows.len() > most {
            rows.select_nth_unstable_by(most, |one, other| {
                key(one).cmp(&key(other)).then_with(|| one.0.cmp(other.0))
            });
            rows.truncate(most);
        }
        rows.into_iter().map(|(row, _)| row).collect()
    }

    /// Adds the phrases of a document.
    pub fn add(
        &mut self,
        doc_id: DocId,
        tokens: DocumentTokens<'_>,
        pattern: &Pattern,
        is_read: impl Fn(u16) -> bool,
    ) {
        self.rows.clear();
        self.ends.clear();
        let mut field_tokens = std::mem::take(&mut self.tokens);
        for field in tokens.fields().filter(|field| is_read(field.field())) {
            field_tokens.clear();
            field.decode_into(&mut field_tokens);
            self.add_field(&field_tokens, pattern);
        }
        self.tokens = field_tokens;
        if self.ends.is_empty() {
            return;
        }
        self.documents += 1;
        let rows = &self.rows;
        // A document counts once per phrase.
        self.ends.sort_unstable_by(|one, other| rows[one.0..one.1].cmp(&rows[other.0..other.1]));
        self.ends.dedup_by(|one, other| rows[one.0..one.1] == rows[other.0..other.1]);
        for &(start, end) in &self.ends {
            let found = self.phrases.entry_ref(&rows[start..end]).or_default();
            if let Some(example) = found.examples.get_mut(found.documents as usize) {
                *example = doc_id;
            }
            found.documents += 1;
        }
    }

    fn add_field(&mut self, tokens: &[u32], pattern: &[Slot]) {
        let mut places = 0;
        for (start, row) in tokens.windows(pattern.len()).enumerate() {
            if !row.iter().zip(pattern).all(|(&token, slot)| slot.takes(token)) {
                continue;
            }
            places += 1;
            if places > MOST_PLACES {
                return;
            }
            let mut end = start + pattern.len();
            self.add_row(&tokens[start..end]);
            for _ in 0..FURTHER_WORDS {
                let Some(next) = next_word(&tokens[end..]) else { break };
                end += next;
                self.add_row(&tokens[start..end]);
            }
        }
    }

    fn add_row(&mut self, row: &[u32]) {
        let start = self.rows.len();
        self.rows.extend_from_slice(row);
        self.ends.push((start, self.rows.len()));
    }
}

/// Returns the number of tokens to the end of the next word of the same sentence.
fn next_word(tokens: &[u32]) -> Option<usize> {
    let is_stop_word = |token: &&u32| **token == SKIP;
    let skipped = tokens.iter().take_while(is_stop_word).take(MOST_STOP_WORDS + 1).count();
    let next = *tokens.get(skipped)?;
    (skipped <= MOST_STOP_WORDS && next != GAP && next >= FIRST_WORD).then_some(skipped + 1)
}
