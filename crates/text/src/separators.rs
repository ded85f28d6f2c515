//! The default separators.

use std::collections::HashMap;
use std::sync::LazyLock;

use charabia::separators::{CONTEXT_SEPARATORS, DEFAULT_SEPARATORS};

use crate::token::TokenKind;

/// The default separators and their kinds.
static DEFAULT: LazyLock<HashMap<&'static str, TokenKind>> =
    LazyLock::new(|| DEFAULT_SEPARATORS.iter().map(|text| (*text, separator_kind(text))).collect());

/// Returns the default kind of a text that is cut out as a separator.
pub(crate) fn default_separator(plain: &str) -> Option<TokenKind> {
    DEFAULT.get(plain).copied()
}

pub(crate) fn separator_kind(text: &str) -> TokenKind {
    if CONTEXT_SEPARATORS.contains(&text) {
        TokenKind::HardSeparator
    } else {
        TokenKind::SoftSeparator
    }
}
