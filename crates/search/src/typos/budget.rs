//! The number of typos that a word of a query may have.

use segment::text::LONGEST_WORD;

use crate::context::Context;

/// Returns the maximum number of typos of a query word, by its length.
pub(crate) fn typo_budget(context: &Context<'_>, word: &str) -> u8 {
    let tolerance = &context.settings.typo_tolerance;
    let length = word.chars().count();
    if !tolerance.enabled
        || word.len() > LONGEST_WORD
        || length < usize::from(tolerance.one_typo)
        || tolerance.disable_on_words.contains(word)
    {
        0
    } else if length < usize::from(tolerance.two_typos) {
        1
    } else {
        2
    }
}
