//! Counts the documents that contain a query exactly as spelled, and estimates in how many of them
//! its words are adjacent.

use roaring::RoaringBitmap;
use segment::text::{FIRST_WORD, TokenRow};

use crate::context::Context;
use crate::error::SearchError;
use crate::parse::{ParsedQuery, TermText};
use crate::term::{Term, Tolerance};

/// Number of documents read to count adjacent words.
const SAMPLED_DOCUMENTS: usize = 128;

pub(super) struct Counter<'c, 's> {
    pub context: &'c Context<'s>,
    pub universe: &'c RoaringBitmap,
}

impl Counter<'_, '_> {
    /// Returns the documents of the universe that contain every word and phrase without a typo; the
    /// last word may be a prefix. Words that occur in no document can be left out.
    pub fn count(
        &self,
        query: &ParsedQuery,
        left_out: &[&str],
    ) -> Result<RoaringBitmap, SearchError> {
        let mut found = self.universe.clone();
        for term in &query.terms {
            match &term.text {
                TermText::Phrase(phrase) => found &= &*self.context.phrase_documents(phrase)?,
                TermText::Word { word, .. } if left_out.contains(&word.as_str()) => {}
                TermText::Word { word, is_prefix } => {
                    let parts = Vec::new();
                    let never = Tolerance::Never;
                    let term = Term::word(self.context, 0, word.clone(), *is_prefix, parts, never)?;
                    found &= self.context.spelled_documents(&term)?;
                }
            }
            if found.is_empty() {
                break;
            }
        }
        Ok(found)
    }

    /// Returns the share of documents, in a small sample, in which two neighbours among these words
    /// are adjacent.
    pub fn nearness(
        &self,
        words: &[String],
        documents: &RoaringBitmap,
    ) -> Result<f64, SearchError> {
        if words.len() < 2 {
            return Ok(0.0);
        }
        let step = (documents.len() as usize).div_ceil(SAMPLED_DOCUMENTS).max(1);
        let chosen: RoaringBitmap = documents.iter().step_by(step).collect();
        let mut near = 0_u64;
        for view in &self.context.segments {
            let here = &chosen & view.text.doc_ids();
            let token = |word: &String| Some(view.text.ordinal(word.as_bytes())? + FIRST_WORD);
            let tokens: Vec<Option<u32>> = words.iter().map(token).collect();
            let rows: Vec<TokenRow> = tokens
                .windows(2)
                .filter_map(|pair| Some(TokenRow::new(vec![pair[0]?, pair[1]?])))
                .collect();
            let mut cursor = view.text.tokens();
            for doc_id in here {
                if let Some(tokens) = cursor.seek(doc_id)?
                    && rows.iter().any(|row| row.is_in(tokens))
                {
                    near += 1;
                }
            }
        }
        Ok(near as f64 / chosen.len().max(1) as f64)
    }
}
