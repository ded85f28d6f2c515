//! The query as it was perhaps meant: words replaced by others within their typos, cut in two, or
//! joined, where the documents have that in far more places than what was typed.
//!
//! Documents count that have every word and phrase as it is spelled. A search forgives typos anyway,
//! so what it finds would not tell a mistake from a rare word. Each replacement is weighed by the
//! documents that have it together with the other words of the query (`choices.rs`), the best
//! combinations of replacements are found word by word (`combine.rs`), and the few that are left are
//! read and counted like queries.

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

/// A correction must find so many times what was typed.
const CLEARLY_MORE: u64 = 10;
/// What a typo costs against documents.
const TYPO_COST: f64 = 8.0;

/// The best correction of a query, and what speaks for it. Several instances add this up before one
/// of them decides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Correction {
    /// None where nothing else is in the documents.
    pub text: Option<String>,
    /// How many documents have the words as corrected.
    pub found: u64,
    /// How many documents have the words as typed.
    pub typed: u64,
}

impl Correction {
    /// The text, if it finds clearly more than what was typed.
    pub fn meant(&self) -> Option<&str> {
        let is_better = self.found > 0 && self.found >= self.typed.saturating_mul(CLEARLY_MORE);
        self.text.as_deref().filter(|_| is_better)
    }

    /// What several instances say of the same query.
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

/// Looks for the best correction of the text of a query among the documents of its filter.
pub fn correction(snapshot: &Snapshot, query: &Query<'_>) -> Result<Correction, SearchError> {
    let text = query.text.unwrap_or_default();
    let deadline = Some(query.deadline);
    let context = Context::new(snapshot, query.attributes, deadline, query.cancelled)?;
    let slots = slots::slots(&context, &locales_of(&context, query), text);
    if slots.is_empty() {
        return Ok(Correction::default());
    }
    let parsed = parse_text(&context, query, text);
    let filtered = query
        .filter
        .map(|filter| filtering::matching(snapshot, filter, query.cancelled))
        .transpose()?;
    let universe = without_unwanted(&context, &parsed, filtered)?;
    let universe = universe.unwrap_or_else(|| context.live.clone());
    let counter = Counter { context: &context, universe: &universe };
    let typed = counter.count(&parsed, &[])?.len();
    let nothing = Correction { text: None, found: 0, typed };
    if typed.saturating_mul(CLEARLY_MORE) > universe.len() {
        return Ok(nothing);
    }
    // A word that no displayed attribute has is not told.
    let settings = snapshot.typed_settings();
    let is_shown = |field: &str| is_displayed(settings, field);
    let attributes = searched(snapshot, query.attributes)?;
    let shown = Context::of_fields(snapshot, attributes, is_shown, deadline, query.cancelled);
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
        let left_out = match query.strategy {
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
