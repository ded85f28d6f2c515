//! The synonyms of the settings, normalised once for each state of the settings.

use hashbrown::HashMap;
use settings::Settings;
use text::Tokenizer;

use crate::parse::Phrase;

/// Limits for one word of the query.
const MAX_SYNONYMS: usize = 50;
const MAX_SYNONYM_WORDS: usize = 100;

#[derive(Debug, Default)]
pub(crate) struct Synonyms {
    by_words: HashMap<Vec<String>, Vec<Vec<String>>>,
}

impl Synonyms {
    pub fn new(settings: &Settings, tokenizer: &Tokenizer) -> Self {
        let words = |text: &str| -> Vec<String> {
            let tokens = tokenizer.tokens(text, &[]);
            tokens.into_iter().filter(text::Token::is_word).map(|t| t.lemma.into_owned()).collect()
        };
        let mut by_words: HashMap<Vec<String>, Vec<Vec<String>>> = HashMap::new();
        for (key, values) in &settings.synonyms {
            let key = words(key);
            if key.is_empty() {
                continue;
            }
            let known = by_words.entry(key).or_default();
            for value in values {
                // Further ones are never used, so they need not be tokenized.
                if known.len() >= MAX_SYNONYMS {
                    break;
                }
                let value = words(value);
                if !value.is_empty() && !known.contains(&value) {
                    known.push(value);
                }
            }
        }
        Self { by_words }
    }

    /// Returns whether two settings have the same synonyms.
    pub fn are_same(before: &Settings, now: &Settings) -> bool {
        before.synonyms == now.synonyms && before.words == now.words
    }

    /// Returns the synonyms of a word, and of the words that it joins.
    pub fn of(&self, word: &str, parts: &[String]) -> Vec<Phrase> {
        if self.by_words.is_empty() {
            return Vec::new();
        }
        let of_word = self.by_words.get(std::slice::from_ref(&word.to_owned()));
        let of_parts = if parts.is_empty() { None } else { self.by_words.get(parts) };
        let mut room = MAX_SYNONYM_WORDS;
        of_word
            .into_iter()
            .chain(of_parts)
            .flatten()
            .take(MAX_SYNONYMS)
            .take_while(|words| {
                let fits = words.len() <= room;
                room = room.saturating_sub(words.len());
                fits
            })
            .map(|words| words.iter().cloned().map(Some).collect())
            .collect()
    }
}
