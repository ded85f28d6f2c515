//! Words as rules compare them: whole and normalized, without the settings of any index, because a
//! rule may apply to all.

use std::sync::LazyLock;

use text::{Scratch, Tokenizer, WordEvent, WordLists};

static TOKENIZER: LazyLock<Tokenizer> = LazyLock::new(|| Tokenizer::new(WordLists::default()));

/// Calls `each` for every word, in order.
pub(super) fn for_each(text: &str, mut each: impl FnMut(&str)) {
    TOKENIZER.for_each_word(text, &[], &mut Scratch::default(), |event| {
        if let WordEvent::Word(word) = event {
            each(word);
        }
    });
}

/// Returns each word once.
pub(super) fn unique(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for_each(text, |word| {
        if !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    });
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_accents_and_separators_do_not_count() {
        assert_eq!(unique("  Été, RAIN-boots rain "), ["ete", "rain", "boots"]);
        assert!(unique("!? ").is_empty());
    }
}
