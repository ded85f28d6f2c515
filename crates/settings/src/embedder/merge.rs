//! Merges a change of embedders into the stored ones and checks the result.

use model::ServiceError;
use model::url_secrets::kept_url;
use serde_json::{Map, Value};

use super::check;
use super::fields::{EmbedderPath, Members, Role, SourceKind, is_available, settings_error};
use super::masks::{kept_key, with_kept_headers};
use super::types::EMBEDDERS;
use crate::error;

const MOST_EMBEDDERS: usize = 256;
const INDEXING_FRAGMENTS: &str = "indexingFragments";

pub(crate) fn combine(before: Option<Value>, change: Value) -> Result<Value, ServiceError> {
    let mut embedders = object(before);
    for (name, change) in object(Some(change)) {
        let before = embedders.shift_remove(&name);
        let Value::Object(change) = change else { continue };
        let before = before.map(|value| object(Some(value)));
        embedders.insert(name.clone(), Value::Object(combine_one(&name, before, change)?));
    }
    if embedders.len() > MOST_EMBEDDERS {
        return Err(settings_error(format!(
            "Too many embedders in the configuration. Found {}, but limited to {MOST_EMBEDDERS}.",
            embedders.len()
        )));
    }
    // Checked again for the order of the members. Fragments keep their order of creation.
    let mut checked = EMBEDDERS
        .check(Value::Object(embedders.clone()), error::JsonPath::Origin)
        .map_err(|error| settings_error(error.0))?;
    for (name, embedder) in &embedders {
        if let Some(checked) = checked.get_mut(name) {
            restore_fragment_order(embedder, checked);
        }
    }
    Ok(checked)
}

fn restore_fragment_order(ordered: &Value, sorted: &mut Value) {
    if let Some(fragments) = ordered.get(INDEXING_FRAGMENTS)
        && let Some(place) = sorted.get_mut(INDEXING_FRAGMENTS)
    {
        place.clone_from(fragments);
    }
    for (member, _) in Role::NESTED {
        if let Some(ordered) = ordered.get(member)
            && let Some(sorted) = sorted.get_mut(member)
        {
            restore_fragment_order(ordered, sorted);
        }
    }
}

fn combine_one(
    name: &str,
    before: Option<Members>,
    change: Members,
) -> Result<Members, ServiceError> {
    let path = EmbedderPath::of(name);
    let was_quantized = before.as_ref().is_some_and(is_quantized);
    let mut after = merge_members(Role::Everything, before.unwrap_or_default(), change);
    if SourceKind::of(&after).is_none() {
        after.insert("source".to_owned(), Value::from(SourceKind::OpenAi.name()));
    }
    check::check_merged(path, &after)?;
    if was_quantized && !is_quantized(&after) {
        return Err(path.error(
            "binaryQuantized",
            "Cannot disable the binary quantization.\n - Note: Binary quantization is a lossy \
             operation that cannot be reverted.\n - Hint: Add a new embedder that is \
             non-quantized and regenerate the vectors.",
        ));
    }
    remove_nulls(&mut after);
    for (member, _) in Role::NESTED {
        if let Some(Value::Object(nested)) = after.get_mut(member) {
            remove_nulls(nested);
        }
    }
    Ok(after)
}

fn is_quantized(members: &Members) -> bool {
    members.get("binaryQuantized").and_then(Value::as_bool).unwrap_or(false)
}

/// Merges members. Null stays, so that later checks see whether the source takes the member.
fn merge_members(role: Role, mut before: Members, change: Members) -> Members {
    if change.contains_key("source") {
        let (old, new) = (SourceKind::of(&before), SourceKind::of(&change));
        let new = new.unwrap_or(SourceKind::OpenAi);
        if old != Some(new) {
            before.retain(|name, _| outlives_source(name, new, role));
        }
    }
    for (name, value) in change {
        let old = before.shift_remove(&name);
        let nested = Role::NESTED.into_iter().find(|(member, _)| *member == name);
        let value = match (value, nested) {
            (Value::Object(change), Some((_, role))) => {
                Value::Object(merge_members(role, object(old), change))
            }
            (Value::Object(change), None) if is_fragments(&name) => {
                let mut fragments = object(old);
                fragments.extend(change);
                remove_nulls(&mut fragments);
                Value::Object(fragments)
            }
            (Value::Object(headers), None) if name == "headers" => {
                Value::Object(with_kept_headers(&object(old), headers))
            }
            (Value::String(shown), None) if name == "apiKey" => kept_key(old, shown),
            (Value::String(url), None) if name == "url" => {
                Value::String(kept_url(old.as_ref().and_then(Value::as_str), url))
            }
            (value, _) => value,
        };
        before.insert(name, value);
    }
    before
}

/// Returns whether this member holds fragments, which are changed one by one.
fn is_fragments(name: &str) -> bool {
    name == INDEXING_FRAGMENTS || name == "searchFragments"
}

/// Returns whether a member survives a change of source: what does not depend on the provider. A
/// key survives too and is refused if the new source takes none, so that it is not lost silently.
fn outlives_source(name: &str, source: SourceKind, role: Role) -> bool {
    match name {
        "apiKey" | "distribution" | "binaryQuantized" => true,
        "documentTemplate" | "documentTemplateMaxBytes" => is_available(name, source, role),
        _ => false,
    }
}

fn remove_nulls(members: &mut Members) {
    members.retain(|_, value| !value.is_null());
}

fn object(value: Option<Value>) -> Map<String, Value> {
    match value {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    }
}
