//! Words with the same stem, looked up at query time: texts are indexed without stems, so that a
//! change of the setting rebuilds nothing. For each text file and language there is a table of
//! stems, built in the background or by the first search that needs it.

mod documents;
mod table;

use std::sync::Arc;

use index::{Segment, Snapshot};
use settings::{Settings, Stemming};
use text::StemLanguage;

use crate::context::{Context, SegmentView};
use crate::word_set::WordSet;
use table::StemTable;

/// The languages whose stems count in a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Languages {
    named: Vec<StemLanguage>,
    /// True if the segment also uses the languages detected in its documents.
    of_documents: bool,
}

/// Returns, by segment, the other words of the index with the same stem.
pub(crate) fn of(context: &Context<'_>, word: &str) -> Vec<WordSet> {
    let Some(stemming) = &context.settings.stemming else {
        return Vec::new();
    };
    let languages = languages(context.settings, stemming);
    let exceptions = &stemming.exceptions;
    // The word of an exception may be in another segment.
    let mut exceptional = Vec::new();
    if !exceptions.is_empty() {
        for view in &context.segments {
            let table = table(view.segment, &languages);
            exceptional.extend(table.exceptional(view.text, word, exceptions));
        }
        exceptional.sort_unstable();
        exceptional.dedup();
    }
    let words = |view: &SegmentView<'_>| {
        let table = table(view.segment, &languages);
        let ordinals = table.words_like(view.text, word, exceptions, &exceptional);
        WordSet { ordinals, prefixed: None }
    };
    context.segments.iter().map(words).collect()
}

/// Builds the missing tables of an index, so that no search has to.
pub fn prepare_stems(snapshot: &Snapshot) {
    let settings = snapshot.typed_settings();
    if let Some(stemming) = &settings.stemming {
        let languages = languages(settings, stemming);
        for segment in snapshot.segments() {
            table(segment, &languages);
        }
    }
}

fn table(segment: &Segment, languages: &Languages) -> Arc<StemTable> {
    segment.attached(
        |table: &StemTable| table.is_for(languages),
        || StemTable::new(segment, languages.clone()),
    )
}

fn languages(settings: &Settings, stemming: &Stemming) -> Languages {
    let mut named = stemming.languages.clone();
    let mut of_documents = stemming.is_auto;
    if stemming.is_auto {
        // If the settings name languages, none are detected.
        let rules = &settings.localized_attributes;
        let said = rules.iter().flat_map(|rule| &rule.locales);
        let before = named.len();
        named.extend(said.filter_map(|language| StemLanguage::of(*language)));
        of_documents = named.len() == before;
    }
    named.sort_unstable();
    named.dedup();
    Languages { named, of_documents }
}

#[cfg(test)]
mod tests;
