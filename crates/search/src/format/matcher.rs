//! Matches words of a text with terms of the query.
//!
//! Words of the text are looked up in a table instead of being compared with each word of the
//! query: a term can have hundreds of variants, a hit thousands of words.

use std::cmp::Reverse;
use std::ops::Range;

use hashbrown::HashMap;
use text::Token;

use crate::{MatchingTerm, MatchingWords};

/// An attribute is indexed up to position 65,535, and each word takes at least one position.
pub const WORDS_THAT_CAN_MATCH: usize = 1 << 16;

/// A word or a phrase of the text that matches the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The highlighted bytes of the text.
    pub bytes: Range<usize>,
    /// First and last token, including separators.
    pub first_token: usize,
    pub last_token: usize,
    /// First and last word, without separators.
    pub first_word: usize,
    pub last_word: usize,
    pub terms: Terms,
}

/// The words of the query that a match covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    pub first: u16,
    pub last: u16,
}

#[derive(Debug, Default)]
pub struct Matcher<'a> {
    words: HashMap<&'a str, WordEntry>,
    /// Byte lengths of the prefixes, ascending.
    prefix_lengths: Vec<usize>,
    /// Phrases by first word, the longest first.
    phrases: HashMap<&'a str, Vec<Phrase<'a>>>,
}

#[derive(Debug, Default)]
struct WordEntry {
    whole: Option<Terms>,
    prefix: Option<Prefix>,
}

#[derive(Debug, Clone, Copy)]
struct Prefix {
    /// The lowest rank wins.
    rank: usize,
    /// Number of highlighted bytes of the word.
    length: usize,
    terms: Terms,
}

#[derive(Debug)]
struct Phrase<'a> {
    words: Vec<&'a str>,
    terms: Terms,
}

impl<'a> Matcher<'a> {
    pub fn new(words: &'a MatchingWords) -> Self {
        let mut terms: Vec<&MatchingTerm> = words.terms.iter().collect();
        terms.sort_by_key(|term| (term.is_prefix, Reverse(term.original.chars().count())));
        let mut matcher = Self::default();
        let mut rank = 0;
        for term in terms {
            matcher.add_words(term, &mut rank);
            matcher.add_phrases(term);
        }
        for phrases in matcher.phrases.values_mut() {
            phrases.sort_by_key(|phrase| Reverse(phrase.words.len()));
        }
        matcher.prefix_lengths.sort_unstable();
        matcher.prefix_lengths.dedup();
        matcher
    }

    fn add_words(&mut self, term: &'a MatchingTerm, rank: &mut usize) {
        let terms = Terms { first: term.first, last: term.last };
        let characters = term.original.chars().count();
        for word in &term.words {
            let word = word.text.as_str();
            if word.is_empty() {
                continue;
            }
            let entry = self.words.entry(word).or_default();
            if term.is_prefix {
                *rank += 1;
                let length = word.char_indices().nth(characters).map_or(word.len(), |(at, _)| at);
                let length = if length == 0 { word.len() } else { length };
                entry.prefix.get_or_insert(Prefix { rank: *rank, length, terms });
                self.prefix_lengths.push(word.len());
            } else {
                entry.whole.get_or_insert(terms);
            }
        }
    }

    fn add_phrases(&mut self, term: &'a MatchingTerm) {
        let terms = Terms { first: term.first, last: term.last };
        for phrase in &term.phrases {
            // A phrase with a stop word matches nothing.
            let words: Option<Vec<&str>> = phrase.iter().map(|word| word.as_deref()).collect();
            let Some(words) = words else { continue };
            if let Some(first) = words.first() {
                self.phrases.entry(first).or_default().push(Phrase { words, terms });
            }
        }
    }

    /// Returns whether nothing can match.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.phrases.is_empty()
    }

    /// Returns the matches of a text in order, without overlaps. Phrases take precedence over
    /// words.
    pub fn matches(&self, text: &str, tokens: &[Token<'_>]) -> Vec<Match> {
        let mut matches = Vec::new();
        if self.is_empty() {
            return matches;
        }
        let words: Vec<usize> = (0..tokens.len())
            .filter(|&at| !tokens[at].is_separator())
            .take(WORDS_THAT_CAN_MATCH)
            .collect();
        let mut word = 0;
        while let Some(&at) = words.get(word) {
            if let Some(phrase) = self.phrase(tokens, &words[word..]) {
                let last_word = word + phrase.words.len() - 1;
                let last_token = words[last_word];
                matches.push(Match {
                    bytes: tokens[at].byte_start..tokens[last_token].byte_end,
                    first_token: at,
                    last_token,
                    first_word: word,
                    last_word,
                    terms: phrase.terms,
                });
                word = last_word + 1;
                continue;
            }
            if let Some((bytes, terms)) = self.word(text, &tokens[at]) {
                matches.push(Match {
                    bytes,
                    first_token: at,
                    last_token: at,
                    first_word: word,
                    last_word: word,
                    terms,
                });
            }
            word += 1;
        }
        matches
    }

    /// Returns the phrase that begins with the first of these words. Any separators may be between
    /// its words.
    fn phrase(&self, tokens: &[Token<'_>], words: &[usize]) -> Option<&Phrase<'a>> {
        if self.phrases.is_empty() {
            return None;
        }
        let first = &tokens[*words.first()?];
        self.phrases.get(first.lemma.as_ref())?.iter().find(|phrase| {
            phrase.words.len() <= words.len()
                && phrase.words.iter().zip(words).all(|(word, &at)| *word == tokens[at].lemma)
        })
    }

    /// Returns the highlighted bytes of a word, and its term.
    fn word(&self, text: &str, token: &Token<'_>) -> Option<(Range<usize>, Terms)> {
        let lemma = token.lemma.as_ref();
        if let Some(terms) = self.words.get(lemma).and_then(|entry| entry.whole) {
            return Some((token.byte_start..token.byte_end, terms));
        }
        let mut best: Option<Prefix> = None;
        for &length in &self.prefix_lengths {
            if length > lemma.len() {
                break;
            }
            let entry = lemma.get(..length).and_then(|start| self.words.get(start));
            let Some(prefix) = entry.and_then(|entry| entry.prefix) else { continue };
            if best.is_none_or(|best| prefix.rank < best.rank) {
                best = Some(prefix);
            }
        }
        let prefix = best?;
        let end = token.byte_start + original_length(text, token, prefix.length);
        Some((token.byte_start..end, prefix.terms))
    }
}

/// Returns how many bytes of the text became the first `normalised` bytes of the token's normal
/// form. A character that became several counts if one of them does; a following character that
/// became nothing (a combining mark) does not.
fn original_length(text: &str, token: &Token<'_>, normalised: usize) -> usize {
    let whole = token.byte_end - token.byte_start;
    let length = match &token.char_map {
        Some(char_map) => {
            let (mut original, mut covered) = (0, 0);
            for &(from, to) in char_map {
                if covered >= normalised {
                    break;
                }
                original += usize::from(from);
                covered += usize::from(to);
            }
            original
        }
        None if token.lemma.len() == whole => normalised,
        None => {
            let characters = token.lemma.get(..normalised).map_or(0, |start| start.chars().count());
            let original = text.get(token.byte_start..token.byte_end).unwrap_or_default();
            original.char_indices().nth(characters).map_or(whole, |(at, _)| at)
        }
    };
    let mut length = length.min(whole);
    while length < whole && !text.is_char_boundary(token.byte_start + length) {
        length += 1;
    }
    length
}
