//! Suggestions: phrases of the documents that complete a half-typed query, by how many documents
//! have them.
//!
//! A query is short while it is typed, so very many documents may go on in its way. Of few of them,
//! all are read; of many, a sample is, which shows the frequent phrases whatever the prefix is. A
//! phrase is then counted, and written as the documents write it.

mod count;
mod merge;
mod sample;
mod source_attributes;
mod spelling;
mod tally;
#[cfg(test)]
mod tests;
mod typed;

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use filter::Filter;
use index::Snapshot;
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
    /// Where phrases are taken from: an attribute or `*`; none: the first searchable attribute.
    pub attribute: Option<&'q str>,
    /// Only documents that satisfy it count.
    pub filter: Option<&'q Filter>,
    pub limit: usize,
    pub deadline: Instant,
    /// Set when nobody waits for the answer any more.
    pub cancelled: &'q AtomicBool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The phrase as a document writes it.
    pub text: String,
    /// Its words in their normalised form, by which equal phrases of several instances are found.
    pub words: String,
    /// How many documents have it; an estimate where very many would have to be read.
    pub count: u64,
}

/// A phrase of the documents; None stands for a stop word.
type Words = Vec<Option<String>>;

/// A phrase that goes on as the query does.
#[derive(Debug)]
struct Phrase {
    words: Words,
    /// How many of the words stand for the query; the others follow.
    typed: usize,
    /// How many of the documents that were read have it.
    seen: u64,
    /// Some documents that have it.
    examples: Vec<DocId>,
}

/// The phrases that complete a query, those in the most documents first.
pub fn suggest(
    snapshot: &Snapshot,
    query: &SuggestQuery<'_>,
) -> Result<Vec<Suggestion>, SearchError> {
    let attributes = SourceAttributes::of(snapshot, query.attribute)?;
    let deadline = Some(query.deadline);
    let is_read = |field: &str| attributes.has(field);
    let context = Context::of_fields(snapshot, None, is_read, deadline, query.cancelled);
    let filtered = query
        .filter
        .map(|filter| filtering::matching(snapshot, filter, query.cancelled))
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
    /// How many words follow those of the query.
    fn further(&self) -> usize {
        self.words[self.typed..].iter().flatten().count()
    }

    /// The words, with a space between two; a stop word is left empty.
    fn key(&self) -> String {
        let words: Vec<&str> =
            self.words.iter().map(|word| word.as_deref().unwrap_or_default()).collect();
        words.join(" ")
    }
}
