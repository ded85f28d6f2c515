//! The role of each attribute in a search: its weight, whether it is searched at all, whether
//! typos count in it.

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};
use index::Snapshot;
use settings::Settings;
use settings::pattern::{covers, matches};

use crate::error::SearchError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FieldRole {
    /// Index of the first entry of `searchableAttributes` that covers it.
    pub weight: u32,
    pub is_searched: bool,
    /// Words in it match without typos only.
    pub is_exact: bool,
    /// Words in it match other words with the same stem.
    pub is_stemmed: bool,
}

impl FieldRole {
    /// The role of a field that does not exist.
    pub const NONE: Self =
        Self { weight: 0, is_searched: false, is_exact: false, is_stemmed: false };

    /// Returns whether typos or stems do not count in this attribute.
    pub fn is_strict(self) -> bool {
        self.is_exact || !self.is_stemmed
    }
}

/// Returns the patterns that a search is restricted to; `None` for no restriction. If the settings
/// list searchable attributes, each pattern must match one of them, even beside a `*`.
pub(crate) fn searched<'q>(
    snapshot: &Snapshot,
    wanted: Option<&'q [String]>,
) -> Result<Option<&'q [String]>, SearchError> {
    let Some(wanted) = wanted else {
        return Ok(None);
    };
    if let Some(entries) = &snapshot.typed_settings().searchable_attributes {
        let mut names = wanted.iter().filter(|name| *name != "*");
        if let Some(unknown) = names.find(|name| !is_searchable(snapshot, entries, name)) {
            return Err(not_searchable(snapshot, entries, unknown));
        }
    }
    Ok(if wanted.iter().any(|name| name == "*") { None } else { Some(wanted) })
}

/// Returns whether a pattern matches an entry of `searchableAttributes`, or a field inside of one.
fn is_searchable(snapshot: &Snapshot, entries: &[String], pattern: &str) -> bool {
    let is_pattern = pattern.starts_with('*') || pattern.ends_with('*');
    entries.iter().any(|entry| matches(pattern, entry))
        || match is_pattern {
            true => snapshot
                .field_names()
                .any(|field| matches(pattern, field) && is_covered(entries, field)),
            false => snapshot.knows_field(pattern) && is_covered(entries, pattern),
        }
}

fn is_covered(entries: &[String], field: &str) -> bool {
    entries.iter().any(|entry| covers(entry, field))
}

fn not_searchable(snapshot: &Snapshot, entries: &[String], name: &str) -> SearchError {
    let fields = snapshot.field_names().filter(|field| is_covered(entries, field));
    let available: BTreeSet<&str> = entries.iter().map(String::as_str).chain(fields).collect();
    let available = listed(snapshot.typed_settings(), available.into_iter());
    SearchError::NotSearchable(format!(
        "Attribute `{name}` is not searchable. Available searchable attributes are: `{available}`."
    ))
}

pub(crate) fn is_displayed(settings: &Settings, name: &str) -> bool {
    let displayed = settings.displayed_attributes.as_ref();
    displayed.is_none_or(|displayed| displayed.iter().any(|entry| covers(entry, name)))
}

/// Formats names for messages: in byte order, and with hidden names replaced by one note.
pub(crate) fn listed<'n>(settings: &Settings, names: impl Iterator<Item = &'n str>) -> String {
    let (mut shown, hidden): (Vec<&str>, Vec<&str>) =
        names.partition(|name| is_displayed(settings, name));
    shown.sort_unstable();
    if !hidden.is_empty() {
        shown.push("<..hidden-attributes>");
    }
    shown.join(", ")
}

pub(crate) fn roles(
    fields: &[String],
    settings: &Settings,
    searched: Option<&[String]>,
) -> Vec<FieldRole> {
    // Lists may be long, and there may be many fields: names are looked up, not compared.
    let weights: Option<HashMap<&str, usize>> =
        settings.searchable_attributes.as_ref().map(|entries| {
            entries.iter().enumerate().rev().map(|(n, entry)| (entry.as_str(), n)).collect()
        });
    let (patterns, names): (Vec<&String>, Vec<&String>) =
        searched.unwrap_or_default().iter().partition(|name| name.contains('*'));
    let names: HashSet<&str> = names.into_iter().map(String::as_str).collect();
    let role = |field: &String| {
        let weight = match &weights {
            None => Some(0),
            Some(weights) => {
                with_parents(field).filter_map(|name| weights.get(name)).min().copied()
            }
        };
        let is_wanted = searched.is_none()
            || names.contains(field.as_str())
            || patterns.iter().any(|pattern| matches(pattern, field));
        let exact = &settings.typo_tolerance.disable_on_attributes;
        // Without stemming, all words count alike.
        let stemming = settings.stemming.as_ref();
        FieldRole {
            weight: weight.unwrap_or(0) as u32,
            is_searched: weight.is_some() && is_wanted,
            is_exact: with_parents(field).any(|name| exact.contains(name)),
            is_stemmed: stemming.is_none_or(|stemming| stemming.covers(field)),
        }
    };
    fields.iter().map(role).collect()
}

/// Returns the name of an attribute and of everything that contains it.
pub(crate) fn with_parents(attribute: &str) -> impl Iterator<Item = &str> {
    let parents = attribute.match_indices('.').map(|(place, _)| &attribute[..place]);
    parents.chain(std::iter::once(attribute))
}
