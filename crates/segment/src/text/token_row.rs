//! Searches token streams for a sequence of words.

use memchr::memmem::Finder;

use super::tokens::{DocumentTokens, FieldTokens};

/// A sequence of tokens.
#[derive(Debug)]
pub struct TokenRow {
    tokens: Vec<u32>,
    /// The lower halves of the tokens.
    low_halves: Finder<'static>,
}

impl TokenRow {
    pub fn new(tokens: Vec<u32>) -> Self {
        let halves: Vec<[u8; 2]> =
            tokens.iter().map(|token| (*token as u16).to_le_bytes()).collect();
        Self { low_halves: Finder::new(halves.as_flattened()).into_owned(), tokens }
    }

    pub fn is_in(&self, document: DocumentTokens<'_>) -> bool {
        // All attributes at once: many documents do not have the sequence in any of them.
        if self.low_halves.find(document.low().as_flattened()).is_none() {
            return false;
        }
        document.fields().any(|field| self.is_in_field(field))
    }

    pub fn is_in_field(&self, field: FieldTokens<'_>) -> bool {
        let low = field.low().as_flattened();
        let mut start = 0;
        while let Some(found) = self.low_halves.find(&low[start..]) {
            let place = start + found;
            let is_token = |(number, token): (usize, &u32)| field.get(place / 2 + number) == *token;
            if place % 2 == 0 && self.tokens.iter().enumerate().all(is_token) {
                return true;
            }
            // A byte match across tokens may overlap with the sequence itself.
            start = place + 1;
        }
        false
    }
}
