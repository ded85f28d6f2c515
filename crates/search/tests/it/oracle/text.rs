//! Splits text into words, for ASCII and a few accented letters.

use std::collections::BTreeSet;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Word,
    StopWord,
    Soft,
    Hard,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    /// Normalised, if it is a word.
    pub text: String,
}

/// How far after the one before a word stands that follows a hard separator.
pub const HARD_DISTANCE: u32 = 8;

const HARD: [&str; 5] = [". ", ", ", "!", ";", "?"];
const SOFT: &str = " \n\t-_'\".,:/@#&*()[]{}\\%+";

/// Stop words are recognised as they are written, before they are normalised.
pub fn tokenize(text: &str, stop_words: &BTreeSet<String>) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut word_start = 0;
    let mut at = 0;
    let end_word = |tokens: &mut Vec<Token>, start: usize, end: usize| {
        let word = &text[start..end];
        if !word.is_empty() {
            let kind = if stop_words.contains(word) { Kind::StopWord } else { Kind::Word };
            tokens.push(Token { kind, text: normalize(word) });
        }
    };
    while let Some(character) = text[at..].chars().next() {
        let hard = HARD.iter().find(|separator| text[at..].starts_with(**separator));
        let (kind, length) = match hard {
            Some(separator) => (Kind::Hard, separator.len()),
            None if SOFT.contains(character) => (Kind::Soft, character.len_utf8()),
            None => {
                at += character.len_utf8();
                continue;
            }
        };
        end_word(&mut tokens, word_start, at);
        tokens.push(Token { kind, text: text[at..at + length].to_owned() });
        at += length;
        word_start = at;
    }
    end_word(&mut tokens, word_start, text.len());
    tokens
}

/// The words of a text that are no stop words.
pub fn words(text: &str, stop_words: &BTreeSet<String>) -> Vec<String> {
    let tokens = tokenize(text, stop_words).into_iter();
    tokens.filter(|token| token.kind == Kind::Word).map(|token| token.text).collect()
}

/// The words of one value with their positions, of which the first possible one is `start`.
pub fn positions(text: &str, start: u32, stop_words: &BTreeSet<String>) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    let mut next = start;
    let mut is_leading = true;
    let mut hard = false;
    for token in tokenize(text, stop_words) {
        match token.kind {
            Kind::Soft => {}
            Kind::Hard => hard = true,
            Kind::Word | Kind::StopWord => {
                if hard && !is_leading {
                    next += HARD_DISTANCE - 1;
                }
                if token.kind == Kind::Word {
                    found.push((next, token.text));
                }
                next += 1;
                (hard, is_leading) = (false, false);
            }
        }
    }
    found
}

pub fn normalize(word: &str) -> String {
    word.chars().map(without_accent).flat_map(char::to_lowercase).collect()
}

fn without_accent(character: char) -> char {
    match character {
        'à' | 'á' | 'â' | 'ä' => 'a',
        'è' | 'é' | 'ê' | 'ë' => 'e',
        'î' | 'ï' => 'i',
        'ô' | 'ö' => 'o',
        'ù' | 'û' | 'ü' => 'u',
        'ç' => 'c',
        'ñ' => 'n',
        'É' => 'E',
        'Ö' => 'O',
        other => other,
    }
}
