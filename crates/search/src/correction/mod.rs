//! Spelling correction of a query: words are replaced by others within their typos, split, or
//! joined, if that occurs in far more documents than the typed text.
//!
//! Only documents with the exact spelling of every word and phrase count. Searches tolerate typos
//! anyway, so their matches would not tell a mistake from a rare word. Each replacement is weighted
//! by the documents that contain it together with the other words of the query (`choices.rs`), the
//! best combinations are found word by word (`combine.rs`), and the few that remain are parsed and
//! counted like queries.

mod choices;
mod combine;
mod count;
mod shape;
mod slots;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use index::Snapshot;

use crate::attributes::{is_displayed, searched};
use crate::context::Context;
use crate::error::SearchError;
use crate::filtering;
use crate::query::Query;
use crate::run::{locales_of, parse_text, without_unwanted};
use crate::strategy::Strategy;

use choices::Chooser;
use count::Counter;

/// A correction must match this many times as many documents as the typed text.
const CLEARLY_MORE: u64 = 10;
/// The penalty of a typo, as a factor of documents.
const TYPO_COST: f64 = 8.0;

/// The best correction of a query, with its evidence. The corrections of several instances are
/// merged before one of them decides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Correction {
    /// `None` if no alternative occurs in the documents.
    pub text: Option<String>,
    /// Number of documents with the corrected words.
    pub found: u64,
    /// Number of documents with the words as typed.
    pub typed: u64,
}

impl Correction {
    /// Returns the text, if it matches clearly more documents than the typed text.
    pub fn meant(&self) -> Option<&str> {
        let is_better = self.found > 0 && self.found >= self.typed.saturating_mul(CLEARLY_MORE);
        self.text.as_deref().filter(|_| is_better)
    }

    /// Merges the corrections that several instances found for the same query.
    pub fn merged(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut typed: u64 = 0;
        let mut texts: BTreeMap<String, u64> = BTreeMap::new();
        for part in parts {
            typed = typed.saturating_add(part.typed);
            if let Some(text) = part.text {
                let found = texts.entry(text).or_default();
                *found = found.saturating_add(part.found);
            }
        }
        match texts.into_iter().max_by_key(|(_, found)| *found) {
            Some((text, found)) => Self { text: Some(text), found, typed },
            None => Self { text: None, found: 0, typed },
        }
    }
}

/// Searches for the best correction of a query's text among the documents of its filter.
pub fn correction(snapshot: &Snapshot, query: &Query<'_>) -> Result<Correction, SearchError> {
    let text = query.text.unwrap_or_default();
    let deadline = Some(query.deadline);
    let context = Context::new(snapshot, query.attributes(), deadline, query.cancel)?;
    let slots = slots::slots(&context, &locales_of(&context, query), text);
    if slots.is_empty() {
        return Ok(Correction::default());
    }
    let parsed = parse_text(&context, query, text);
    let filtered = query
        .filter
        .map(|filter| filtering::matching(snapshot, filter, query.cancel))
        .transpose()?;
    let universe = without_unwanted(&context, &parsed, filtered)?;
    let universe = universe.unwrap_or_else(|| context.live.clone());
    let counter = Counter { context: &context, universe: &universe };
    let typed = counter.count(&parsed, &[])?.len();
    let nothing = Correction { text: None, found: 0, typed };
    if typed.saturating_mul(CLEARLY_MORE) > universe.len() {
        return Ok(nothing);
    }
    // Words that occur in no displayed attribute are not revealed.
    let settings = snapshot.typed_settings();
    let is_shown = |field: &str| is_displayed(settings, field);
    let attributes = searched(snapshot, query.attributes())?;
    let shown = Context::of_fields(snapshot, attributes, is_shown, deadline, query.cancel);
    let chooser = Chooser { context: &context, shown: &shown, universe: &universe };
    let Some(choices) = chooser.choices(&slots)? else {
        return Ok(nothing);
    };

    let mut best: Option<(f64, String, u64)> = None;
    for combination in combine::combinations(&context, &choices, &universe)? {
        let corrected = shape::corrected(text, &slots, &combination.chosen);
        if corrected == text {
            continue;
        }
        let left_out = match query.criteria.matching_strategy {
            Strategy::All => Vec::new(),
            _ => combination.unmatched(&slots),
        };
        let documents = counter.count(&parse_text(&context, query, &corrected), &left_out)?;
        if documents.is_empty() {
            continue;
        }
        let words = combination.words(&slots);
        let nearness = counter.nearness(&words, &documents)?;
        let documents = documents.len();
        let evidence = documents as f64 * (1.0 + 4.0 * nearness);
        let score = evidence / TYPO_COST.powi(combination.typos.into());
        if best.as_ref().is_none_or(|(most, ..)| score > *most) {
            best = Some((score, corrected, documents));
        }
    }
    Ok(match best {
        Some((_, corrected, found)) => Correction { text: Some(corrected), found, typed },
        None => nothing,
    })
}
