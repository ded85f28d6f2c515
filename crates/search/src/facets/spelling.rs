//! The displayed spelling of a string: that of the document with the lowest number among those that
//! count. Segments store the spelling if their documents agree; otherwise documents are read, each
//! once.

use std::collections::BTreeMap;

use index::Snapshot;
use roaring::RoaringBitmap;
use segment::DocId;
use segment::columns::Spelling;
use serde_json::{Map, Value};
use text::value_form;

use super::merge::Group;
use super::tally::Tally;
use crate::error::SearchError;

/// The documents whose spelling is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speller {
    /// The counted documents.
    Counted,
    /// All live documents.
    Live,
}

/// Returns the displayed spelling of each string, with its count.
pub(super) fn spelled(
    snapshot: &Snapshot,
    attribute: &str,
    tallies: &[Tally<'_>],
    groups: Vec<Group>,
    speller: Speller,
) -> Result<Vec<(String, u64)>, SearchError> {
    let mut shown = Vec::with_capacity(groups.len());
    let mut unknown: BTreeMap<DocId, Vec<usize>> = BTreeMap::new();
    for (place, group) in groups.into_iter().enumerate() {
        let spelling = match spelling(tallies, &group, speller)? {
            KnownSpelling::Is(spelling) => spelling,
            KnownSpelling::By(doc_id) => {
                unknown.entry(doc_id).or_default().push(place);
                group.normal
            }
        };
        shown.push((spelling, group.count));
    }
    let doc_ids: RoaringBitmap = unknown.keys().copied().collect();
    snapshot.for_each_document(&doc_ids, |doc_id, json| {
        let document: Map<String, Value> = serde_json::from_str(json).unwrap_or_default();
        for &place in unknown.get(&doc_id).into_iter().flatten() {
            let (string, _) = &mut shown[place];
            if let Some(spelling) = spelling_in(&document, attribute, string) {
                *string = spelling;
            }
        }
        Ok::<(), SearchError>(())
    })?;
    Ok(shown)
}

enum KnownSpelling {
    Is(String),
    /// The document with the spelling.
    By(DocId),
}

fn spelling(
    tallies: &[Tally<'_>],
    group: &Group,
    speller: Speller,
) -> Result<KnownSpelling, SearchError> {
    let mut agreed: Option<String> = None;
    let mut is_agreed = true;
    for place in &group.places {
        let spelling = known(&tallies[place.tally], place.ordinal, &group.normal)?;
        is_agreed &= match (&agreed, spelling) {
            (_, None) => false,
            (None, Some(spelling)) => {
                agreed = Some(spelling);
                true
            }
            (Some(agreed), Some(spelling)) => *agreed == spelling,
        };
        if !is_agreed {
            break;
        }
    }
    if let Some(agreed) = agreed.filter(|_| is_agreed) {
        return Ok(KnownSpelling::Is(agreed));
    }

    let mut lowest: Option<(DocId, Option<String>)> = None;
    for place in &group.places {
        let tally = &tallies[place.tally];
        let documents = match speller {
            Speller::Counted => tally.documents(place.ordinal)?,
            Speller::Live => tally.live_documents(place.ordinal)?,
        };
        if let Some(doc_id) = documents.min()
            && lowest.as_ref().is_none_or(|(lowest, _)| doc_id < *lowest)
        {
            lowest = Some((doc_id, known(tally, place.ordinal, &group.normal)?));
        }
    }
    Ok(match lowest {
        Some((_, Some(spelling))) => KnownSpelling::Is(spelling),
        Some((doc_id, None)) => KnownSpelling::By(doc_id),
        None => KnownSpelling::Is(group.normal.clone()),
    })
}

/// Returns the spelling that all documents of a segment share.
fn known(tally: &Tally<'_>, ordinal: u32, normal: &str) -> Result<Option<String>, SearchError> {
    Ok(match tally.column.spelling(ordinal)? {
        Spelling::Normal => Some(normal.to_owned()),
        Spelling::Is(spelling) => Some(spelling),
        Spelling::Varies => None,
    })
}

/// Returns the first spelling of a value in an attribute of a document.
fn spelling_in(object: &Map<String, Value>, attribute: &str, normal: &str) -> Option<String> {
    object.iter().find_map(|(name, value)| {
        let rest = attribute.strip_prefix(name.as_str())?;
        if rest.is_empty() {
            leaf_in(value, normal)
        } else {
            within(value, rest.strip_prefix('.')?, normal)
        }
    })
}

fn within(value: &Value, attribute: &str, normal: &str) -> Option<String> {
    match value {
        Value::Object(object) => spelling_in(object, attribute, normal),
        Value::Array(items) => items.iter().find_map(|item| within(item, attribute, normal)),
        _ => None,
    }
}

fn leaf_in(value: &Value, normal: &str) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => {
            let mut form = String::new();
            value_form(text, &mut form);
            (form == normal).then(|| text.clone())
        }
        Value::Bool(value) => Some(value.to_string()).filter(|text| text == normal),
        Value::Array(items) => items.iter().find_map(|item| leaf_in(item, normal)),
        _ => None,
    }
}
