//! From texts to tokens, cut to what the model takes.

use tokenizers::{PostProcessor, Tokenizer, TruncationParams};

pub(super) struct Tokens {
    tokenizer: Box<Tokenizer>,
}

impl Tokens {
    pub(super) fn parse(tokenizer: &[u8], max_tokens: usize) -> Result<Self, String> {
        let mut tokenizer = Tokenizer::from_bytes(tokenizer).map_err(|error| error.to_string())?;
        // Begin and end are always there; the library takes for granted that they fit.
        let added = tokenizer.get_post_processor().map_or(0, |added| added.added_tokens(false));
        let truncation =
            TruncationParams { max_length: max_tokens.max(added), ..Default::default() };
        tokenizer.with_truncation(Some(truncation)).map_err(|error| error.to_string())?;
        tokenizer.with_padding(None);
        Ok(Self { tokenizer: Box::new(tokenizer) })
    }

    pub(super) fn of(&self, text: &str) -> Result<Vec<u32>, String> {
        let encoding = self.tokenizer.encode_fast(text, true).map_err(|error| error.to_string())?;
        Ok(encoding.get_ids().to_vec())
    }
}
