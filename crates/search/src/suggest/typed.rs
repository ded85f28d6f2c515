//! A half-typed query as a row of words, the last of which may be incomplete, and the pattern of
//! that row in the token streams of a segment.

use std::ops::Range;

use segment::text::{FIRST_WORD, SKIP};
use text::TokenKind;

use super::Words;
use crate::context::Context;
use crate::error::SearchError;
use crate::run::locales_of_attributes;
use crate::term::{Term, Tolerance};

/// Longer queries have no suggestions.
const MOST_WORDS: usize = 10;

#[derive(Debug)]
pub(super) struct TypedQuery {
    pub words: Words,
    /// True if the last word is still being typed.
    pub is_open: bool,
}

/// A query as ordinals of one segment.
pub(super) type Pattern = Vec<Slot>;

/// An element of a phrase pattern.
#[derive(Debug, Clone)]
pub(super) enum Slot {
    StopWord,
    Words {
        /// Ordinals in ascending order.
        ordinals: Vec<u32>,
        /// Words with the typed prefix.
        prefixed: Range<u32>,
    },
}

impl TypedQuery {
    /// Returns `None` if there are no words, or too many.
    pub fn of(context: &Context<'_>, attribute: Option<&str>, text: &str) -> Option<Self> {
        let attributes = attribute.map(|name| [name.to_owned()]);
        let locales = locales_of_attributes(context, attributes.as_ref().map(<[_; 1]>::as_slice));
        let tokens = context.tokenizer.tokens(text, &locales);
        let is_open = tokens.last().is_some_and(|token| !token.is_separator());
        let mut words = Words::new();
        for (place, token) in tokens.iter().enumerate() {
            let is_last = place + 1 == tokens.len();
            match token.kind {
                _ if token.lemma.is_empty() => {}
                TokenKind::Word => words.push(Some(token.lemma.as_ref().to_owned())),
                // It may be the prefix of another word.
                TokenKind::StopWord if is_last => {
                    words.push(Some(token.lemma.as_ref().to_owned()));
                }
                TokenKind::StopWord => words.push(None),
                TokenKind::SoftSeparator | TokenKind::HardSeparator => {}
            }
            if words.len() > MOST_WORDS {
                return None;
            }
        }
        words.iter().any(Option::is_some).then_some(Self { words, is_open })
    }

    /// Returns the pattern of each segment for the words exactly as typed; empty if a segment lacks
    /// all words for one place.
    pub fn patterns(&self, context: &Context<'_>) -> Vec<Pattern> {
        let of_segment = |segment: usize| {
            let text = context.segments[segment].text;
            self.pattern(|word, is_open| {
                let ordinals: Vec<u32> = text.ordinal(word.as_bytes()).into_iter().collect();
                let prefixed = if is_open { text.prefix_range(word.as_bytes()) } else { 0..0 };
                (ordinals, prefixed)
            })
        };
        (0..context.segments.len()).map(of_segment).collect()
    }

    /// Like `patterns`, with the typos that the settings allow.
    pub fn tolerant_patterns(&self, context: &Context<'_>) -> Result<Vec<Pattern>, SearchError> {
        let term = |(place, word): (usize, &Option<String>)| {
            let is_prefix = self.is_open && place + 1 == self.words.len();
            let term = |word: &String| {
                Term::word(context, 0, word.clone(), is_prefix, Vec::new(), Tolerance::Always)
            };
            word.as_ref().map(term).transpose()
        };
        let terms: Vec<Option<Term>> =
            self.words.iter().enumerate().map(term).collect::<Result<_, _>>()?;
        let of_segment = |segment: usize| {
            let mut terms = terms.iter().flatten();
            self.pattern(|_, _| {
                let sets = terms.next().and_then(|term| term.words.get(segment));
                let mut ordinals: Vec<u32> = Vec::new();
                let mut prefixed = 0..0;
                for set in sets.into_iter().flatten() {
                    ordinals.extend(&set.ordinals);
                    prefixed = set.prefixed.clone().unwrap_or(prefixed);
                }
                ordinals.sort_unstable();
                ordinals.dedup();
                (ordinals, prefixed)
            })
        };
        Ok((0..context.segments.len()).map(of_segment).collect())
    }

    fn pattern(&self, mut words_of: impl FnMut(&str, bool) -> (Vec<u32>, Range<u32>)) -> Pattern {
        let mut pattern = Pattern::with_capacity(self.words.len());
        let mut is_possible = true;
        for (place, word) in self.words.iter().enumerate() {
            let Some(word) = word else {
                pattern.push(Slot::StopWord);
                continue;
            };
            let (ordinals, prefixed) =
                words_of(word, self.is_open && place + 1 == self.words.len());
            is_possible &= !ordinals.is_empty() || !prefixed.is_empty();
            pattern.push(Slot::Words { ordinals, prefixed });
        }
        if is_possible { pattern } else { Pattern::new() }
    }
}

impl Slot {
    #[inline]
    pub fn takes(&self, token: u32) -> bool {
        match self {
            Self::StopWord => token == SKIP,
            Self::Words { ordinals, prefixed } => {
                token.checked_sub(FIRST_WORD).is_some_and(|ordinal| {
                    prefixed.contains(&ordinal) || ordinals.binary_search(&ordinal).is_ok()
                })
            }
        }
    }
}
