//! Searches adjacent words in the token stream of a field.

use segment::text::{FIRST_WORD, FieldTokens, GAP, GAP_POSITIONS, TextReader, TokenRow};
use settings::Precision;

use crate::error::SearchError;
use crate::parse::Phrase;

/// A phrase as ordinals of one segment.
#[derive(Debug)]
pub(crate) struct PhrasePattern {
    /// The token of each word, and its maximum distance from the word before it.
    words: Vec<(u32, u32)>,
    /// The words, if they must be adjacent.
    row: Option<TokenRow>,
}

impl PhrasePattern {
    /// Returns `None` if a word is not in this segment.
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
        (!words.is_empty()).then(|| Self::of_words(words))
    }

    fn of_words(words: Vec<(u32, u32)>) -> Self {
        let is_row = words[1..].iter().all(|(_, reach)| *reach == 1);
        let row = is_row.then(|| TokenRow::new(words.iter().map(|(token, _)| *token).collect()));
        Self { words, row }
    }

    /// Returns the ordinal of the word of a phrase with a single word.
    pub fn only_word(&self) -> Option<u32> {
        match self.words[..] {
            [(only, _)] => Some(only - FIRST_WORD),
            _ => None,
        }
    }

    /// Returns the ordinals of the two words of a phrase that consists of just two adjacent words.
    pub fn pair(&self) -> Option<(u32, u32)> {
        match self.words[..] {
            [(left, _), (right, 1)] => Some((left - FIRST_WORD, right - FIRST_WORD)),
            _ => None,
        }
    }

    /// Returns the ordinals of each two words that must be adjacent.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        let pairs = self.words.windows(2).filter(|pair| pair[1].1 == 1);
        pairs.map(|pair| (pair[0].0 - FIRST_WORD, pair[1].0 - FIRST_WORD))
    }

    pub fn tokens(&self) -> impl Iterator<Item = u32> {
        self.words.iter().map(|(token, _)| *token)
    }

    /// Returns the ordinals, rare words first, which leave the fewest documents to read.
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

    /// Returns the positions at which phrases can end, given the sorted positions of each word. It
    /// walks each list once, however often the words occur in the field.
    pub fn ends(&self, positions: &[&[u32]]) -> Vec<u32> {
        let Some((first, rest)) = positions.split_first() else {
            return Vec::new();
        };
        let mut ends = first.to_vec();
        for (next, (_, reach)) in rest.iter().zip(&self.words[1..]) {
            let mut behind = ends.iter().copied().peekable();
            let follows = |&at: &u32| {
                while behind.peek().is_some_and(|&end| end < at && at - end > *reach) {
                    behind.next();
                }
                behind.peek().is_some_and(|&end| end < at)
            };
            ends = next.iter().copied().filter(follows).collect();
        }
        ends
    }

    /// Returns the positions at which phrases can start, by walking backwards.
    pub fn starts(&self, positions: &[&[u32]]) -> Vec<u32> {
        let Some((last, rest)) = positions.split_last() else {
            return Vec::new();
        };
        let mut starts: Vec<u32> = last.iter().rev().copied().collect();
        for (before, (_, reach)) in rest.iter().rev().zip(self.words[1..].iter().rev()) {
            let mut ahead = starts.iter().copied().peekable();
            let precedes = |&at: &u32| {
                while ahead.peek().is_some_and(|&start| start > at && start - at > *reach) {
                    ahead.next();
                }
                ahead.peek().is_some_and(|&start| start > at)
            };
            starts = before.iter().rev().copied().filter(precedes).collect();
        }
        starts.reverse();
        starts
    }
}

/// Returns whether a phrase occurs in a field.
pub(crate) fn occurs(
    field: FieldTokens<'_>,
    pattern: &PhrasePattern,
    precision: Precision,
) -> bool {
    if precision == Precision::ByAttribute {
        return pattern.tokens().all(|wanted| field.iter().any(|token| token == wanted));
    }
    match &pattern.row {
        Some(row) => row.is_in_field(field),
        None => occurs_by_positions(field, pattern),
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
    !pattern.ends(&positions).is_empty()
}

/// Visits every word of a field with its position.
pub(crate) fn for_each_word(field: FieldTokens<'_>, mut each: impl FnMut(u32, u32)) {
    let mut position = 0;
    for token in field.iter() {
        if token == GAP {
            position += GAP_POSITIONS;
            continue;
        }
        if token >= FIRST_WORD {
            each(token, position);
        }
        position += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_start_and_end_where_their_words_are_in_reach() {
        // Three words, a stop word before the last.
        let pattern = PhrasePattern::of_words(vec![(2, 1), (3, 1), (4, 2)]);
        let positions: [&[u32]; 3] = [&[0, 5, 20], &[1, 7, 21], &[3, 8, 22]];
        assert_eq!(pattern.ends(&positions), [3, 22]);
        assert_eq!(pattern.starts(&positions), [0, 20]);
        let positions: [&[u32]; 3] = [&[4], &[4, 5], &[5, 6]];
        assert_eq!(pattern.ends(&positions), [6]);
        assert_eq!(pattern.starts(&positions), [4]);
    }

    #[test]
    fn a_word_repeated_very_often_takes_no_long_time() {
        let pattern = PhrasePattern::of_words(vec![(2, 1); 8]);
        let many: Vec<u32> = (0..60_000).collect();
        let positions = [many.as_slice(); 8];
        assert_eq!(pattern.ends(&positions).len(), 60_000 - 7);
        assert_eq!(pattern.starts(&positions).len(), 60_000 - 7);
    }
}
