//! The separators that come without settings.

use std::collections::HashMap;
use std::sync::LazyLock;

use charabia::separators::{CONTEXT_SEPARATORS, DEFAULT_SEPARATORS};

use crate::token::TokenKind;

/// The separators that come without settings, and whether they are hard or soft.
static DEFAULT: LazyLock<HashMap<&'static str, TokenKind>> =
    LazyLock::new(|| DEFAULT_SEPARATORS.iter().map(|text| (*text, separator_kind(text))).collect());

/// What a text that is cut out as a separator counts as without settings.
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
