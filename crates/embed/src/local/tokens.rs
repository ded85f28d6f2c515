//! Tokenises texts, cut to the model's length.

use tokenizers::{PostProcessor, Tokenizer, TruncationParams};

pub(super) struct Tokens {
    tokenizer: Box<Tokenizer>,
}

impl Tokens {
    /// Parses a tokeniser for single texts.
    pub(super) fn parse(tokenizer: &[u8], max_tokens: usize) -> Result<Self, String> {
        Self::parse_for(tokenizer, max_tokens, false)
    }

    /// Parses a tokeniser for pairs of texts. Excess tokens are taken off the longer text, which is
    /// the document unless the query fills half of the model.
    pub(super) fn parse_for_pairs(tokenizer: &[u8], max_tokens: usize) -> Result<Self, String> {
        Self::parse_for(tokenizer, max_tokens, true)
    }

    fn parse_for(tokenizer: &[u8], max_tokens: usize, pairs: bool) -> Result<Self, String> {
        let mut tokenizer = Tokenizer::from_bytes(tokenizer).map_err(|error| error.to_string())?;
        // Begin and end tokens are always there; the library assumes that they fit.
        let added = tokenizer.get_post_processor().map_or(0, |added| added.added_tokens(pairs));
        let truncation =
            TruncationParams { max_length: max_tokens.max(added), ..Default::default() };
        tokenizer.with_truncation(Some(truncation)).map_err(|error| error.to_string())?;
        tokenizer.with_padding(None);
        Ok(Self { tokenizer: Box::new(tokenizer) })
    }

    /// Returns the tokens of two texts, and which text each of them belongs to.
    pub(super) fn of_pair(&self, a: &str, b: &str) -> Result<(Vec<u32>, Vec<u32>), String> {
        let encoding =
            self.tokenizer.encode_fast((a, b), true).map_err(|error| error.to_string())?;
        Ok((encoding.get_ids().to_vec(), encoding.get_type_ids().to_vec()))
    }

    pub(super) fn of(&self, text: &str) -> Result<Vec<u32>, String> {
        let encoding = self.tokenizer.encode_fast(text, true).map_err(|error| error.to_string())?;
        Ok(encoding.get_ids().to_vec())
    }
}
