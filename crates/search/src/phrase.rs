//! Words in a row, looked for in the token stream of a field.

use segment::text::{FIRST_WORD, FieldTokens, GAP, TextReader};
use settings::Precision;

use crate::parse::Phrase;
use crate::query::SearchError;

/// A phrase in the numbers of one segment.
#[derive(Debug)]
pub(crate) struct PhrasePattern {
    /// Token of each word, and how far after the word before it may stand at most.
    words: Vec<(u32, u32)>,
}

/// Where a phrase stands in a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub first: u32,
    pub last: u32,
}

impl PhrasePattern {
    /// None when a word is not in this segment.
    pub fn new(text: &TextReader, phrase: &Phrase) -> Option<Self> {
        let mut words = Vec::with_capacity(phrase.len());
        let mut reach = 1;
        for word in phrase {
            match word {
                Some(word) => {
                    words.push((text.ordinal(word.as_bytes())? + FIRST_WORD, reach));
                    reach = 1;
                }
                None => reach += 1,
            }
        }
        (!words.is_empty()).then_some(Self { words })
    }

    pub fn is_one_word(&self) -> bool {
        self.words.len() == 1
    }

    /// The ordinals of two words that must stand next to each other, when that is all.
    pub fn pair(&self) -> Option<(u32, u32)> {
        match self.words[..] {
            [(left, _), (right, 1)] => Some((left - FIRST_WORD, right - FIRST_WORD)),
            _ => None,
        }
    }

    pub fn tokens(&self) -> impl Iterator<Item = u32> {
        self.words.iter().map(|(token, _)| *token)
    }

    /// Rare words first: they leave the least to look at.
    pub fn ordinals_by_rarity(&self, text: &TextReader) -> Result<Vec<u32>, SearchError> {
        let mut counted = Vec::with_capacity(self.words.len());
        for token in self.tokens() {
            let ordinal = token - FIRST_WORD;
            counted.push((text.document_count(ordinal)?, ordinal));
        }
        counted.sort_unstable();
        counted.dedup();
        Ok(counted.into_iter().map(|(_, ordinal)| ordinal).collect())
    }

    /// The places where the phrase stands, given the positions of each of its words.
    pub fn spans(&self, positions: &[&[u32]], mut each: impl FnMut(Span)) {
        let Some((first, rest)) = positions.split_first() else {
            return;
        };
        for &start in *first {
            let mut ends = vec![start];
            for (positions, (_, reach)) in rest.iter().zip(&self.words[1..]) {
                ends = positions
                    .iter()
                    .copied()
                    .filter(|&at| ends.iter().any(|&end| end < at && at - end <= *reach))
                    .collect();
                if ends.is_empty() {
                    break;
                }
            }
            for last in ends {
                each(Span { first: start, last });
            }
        }
    }
}

/// Whether a phrase stands in a field.
pub(crate) fn occurs(
    field: FieldTokens<'_>,
    pattern: &PhrasePattern,
    precision: Precision,
) -> bool {
    if precision == Precision::ByAttribute {
        return pattern.tokens().all(|wanted| field.iter().any(|token| token == wanted));
    }
    match pattern.words[..] {
        [(only, _)] => field.iter().any(|token| token == only),
        [(left, _), (right, 1)] => {
            let mut before = GAP;
            field.iter().any(|token| {
                let found = token == right && before == left;
                before = token;
                found
            })
        }
        _ => occurs_by_positions(field, pattern),
    }
}

fn occurs_by_positions(field: FieldTokens<'_>, pattern: &PhrasePattern) -> bool {
    let mut positions: Vec<Vec<u32>> = vec![Vec::new(); pattern.words.len()];
    for_each_word(field, |token, position| {
        for (place, (word, _)) in pattern.words.iter().enumerate() {
            if *word == token {
                positions[place].push(position);
            }
        }
    });
    let positions: Vec<&[u32]> = positions.iter().map(Vec::as_slice).collect();
    let mut found = false;
    pattern.spans(&positions, |_| found = true);
    found
}

/// Every word of a field with its position.
pub(crate) fn for_each_word(field: FieldTokens<'_>, mut each: impl FnMut(u32, u32)) {
    let mut position = 0;
    for token in field.iter() {
        if token == GAP {
            position += 7;
            continue;
        }
        if token >= FIRST_WORD {
            each(token, position);
        }
        position += 1;
    }
}
