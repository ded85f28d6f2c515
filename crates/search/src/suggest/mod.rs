//! Suggestions: phrases of the documents that complete a half-typed query, by document count.
//!
//! A half-typed query is short, so very many documents may match. If there are few, all are read;
//! if there are many, a sample is read, which contains the frequent phrases whatever the prefix is.
//! Phrases are then counted, and displayed in the spelling of the documents.

mod count;
mod document_sets;
mod merge;
mod sample;
mod source_attributes;
mod spelling;
mod tally;
#[cfg(test)]
mod tests;
mod typed;

use std::time::Instant;

use filter::Filter;
use index::Snapshot;
use model::Cancel;
use segment::DocId;

use crate::context::Context;
use crate::error::SearchError;
use crate::filtering;

use sample::Sample;
use source_attributes::SourceAttributes;
use typed::TypedQuery;

pub use merge::merge_suggestions;

#[derive(Debug, Clone)]
pub struct SuggestQuery<'q> {
    pub text: &'q str,
    /// The source of phrases: an attribute or `*`; `None`: the first searchable attribute.
    pub attribute: Option<&'q str>,
    /// The filter that documents must satisfy.
    pub filter: Option<&'q Filter>,
    pub limit: usize,
    pub deadline: Instant,
    /// Cancelled when the client has gone away.
    pub cancel: &'q Cancel,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The phrase in the spelling of a document.
    pub text: String,
    /// Its normalised words, by which equal phrases of several instances are merged.
    pub words: String,
    /// Number of documents with it; an estimate if very many would have to be read.
    pub count: u64,
}

/// A phrase of the documents; `None` is a stop word.
type Words = Vec<Option<String>>;

/// A phrase that continues the query.
#[derive(Debug)]
struct Phrase {
    words: Words,
    /// The number of words that match the query; the others follow.
    typed: usize,
    /// Number of the documents read that have it.
    seen: u64,
    /// Some documents that have it.
    examples: Vec<DocId>,
}

/// Returns the phrases that complete a query, the most frequent first.
pub fn suggest(
    snapshot: &Snapshot,
    query: &SuggestQuery<'_>,
) -> Result<Vec<Suggestion>, SearchError> {
    let attributes = SourceAttributes::of(snapshot, query.attribute)?;
    let deadline = Some(query.deadline);
    let is_read = |field: &str| attributes.has(field);
    let context = Context::of_fields(snapshot, None, is_read, deadline, query.cancel);
    let filtered = query
        .filter
        .map(|filter| filtering::matching(snapshot, filter, query.cancel))
        .transpose()?;
    let Some(typed) = TypedQuery::of(&context, attributes.name(), query.text) else {
        return Ok(Vec::new());
    };
    if query.limit == 0 {
        return Ok(Vec::new());
    }
    let universe = filtered.as_ref();
    let mut sample = Sample::take(&context, &typed.patterns(&context), universe)?;
    if sample.is_empty() {
        let tolerant = typed.tolerant_patterns(&context)?;
        sample = Sample::take(&context, &tolerant, universe)?;
    }
    let phrases = sample.most_frequent(&context, &typed, query.limit);
    let mut counted = count::counted(&context, phrases, &sample, universe)?;
    count::drop_repeated(&mut counted);
    let mut speller = spelling::Speller::new(&context, snapshot, &attributes);
    let mut suggestions: Vec<Suggestion> = Vec::with_capacity(query.limit.min(counted.len()));
    for (phrase, count) in counted {
        if suggestions.len() == query.limit {
            break;
        }
        let text = speller.spelled(&phrase)?;
        if suggestions.iter().all(|other| other.text != text) {
            suggestions.push(Suggestion { text, words: phrase.key(), count });
        }
    }
    Ok(suggestions)
}

impl Phrase {
    /// Returns how many words follow those of the query.
    fn further(&self) -> usize {
        self.words[self.typed..].iter().flatten().count()
    }

    /// Returns the words separated by spaces; a stop word is left empty.
    fn key(&self) -> String {
        let words: Vec<&str> =
            self.words.iter().map(|word| word.as_deref().unwrap_or_default()).collect();
        words.join(" ")
    }
}
