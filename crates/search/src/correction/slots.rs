//! The words of a query text that may be replaced, with their places in it. Excluded words are left
//! alone.

use std::ops::Range;

use settings::PrefixSearch;
use text::{Language, TokenKind};

use crate::context::Context;
use crate::parse::MAX_TERMS;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slot {
    /// Normalised.
    pub word: String,
    /// Byte range in the text.
    pub bytes: Range<usize>,
    /// True if it may be the beginning of a word.
    pub is_open: bool,
    /// True if only white space is between it and the word before.
    pub is_next: bool,
}

/// Returns the first words of a text, as many as a search uses.
pub(super) fn slots(context: &Context<'_>, locales: &[Language], text: &str) -> Vec<Slot> {
    let prefix_search = context.settings.prefix_search != PrefixSearch::Disabled;
    let tokens = context.tokenizer.tokens(text, locales);
    let mut slots = Vec::new();
    // Parsed as queries are.
    let (mut is_quoted, mut is_unwanted, mut negated, mut after_space) =
        (false, false, false, true);
    let mut is_next = false;
    for (place, token) in tokens.iter().enumerate() {
        if slots.len() == MAX_TERMS {
            break;
        }
        if token.is_separator() {
            let piece = &text[token.byte_start..token.byte_end];
            is_next &= piece.chars().all(char::is_whitespace);
            for _ in 0..token.lemma.matches('"').count() {
                is_unwanted = !is_quoted && negated;
                is_quoted = !is_quoted;
            }
            negated = !is_quoted && token.lemma == "-" && after_space;
        } else if !token.lemma.is_empty() {
            let is_left_alone = if is_quoted { is_unwanted } else { std::mem::take(&mut negated) };
            if token.kind == TokenKind::Word && !is_left_alone {
                let is_last = place + 1 == tokens.len();
                slots.push(Slot {
                    word: token.lemma.as_ref().to_owned(),
                    bytes: token.byte_start..token.byte_end,
                    is_open: is_last && prefix_search && !is_quoted,
                    is_next,
                });
                is_next = true;
            } else {
                is_next = false;
            }
        }
        after_space = token.lemma.ends_with(char::is_whitespace);
    }
    slots
}
