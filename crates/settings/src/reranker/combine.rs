//! Changes of rerankers: checks a change, merges it and shows the result.

use model::ServiceError;
use model::url_secrets::kept_url;
use serde_json::{Map, Value};
use template::{DocumentTemplate, RerankRequest, RerankResponse};
use url::Url;

use super::fields::{
    self, Members, SourceKind, check_available, check_complete, member_error, settings_error,
};
use super::types::RERANKERS;
use crate::embedder::{self, Prompt, check_masks_of, kept_key, with_kept_headers};
use crate::error::JsonPath;

const MOST_RERANKERS: usize = 32;
/// Limit per document; a search sends up to 200 of them.
const MOST_TEXT_BYTES: u64 = 1 << 16;
/// A search may not run longer than a minute.
const LONGEST_TIMEOUT_MS: u64 = 30_000;

/// Checks a change without knowing what is stored. An error refuses the request.
pub(crate) fn check_change(rerankers: &Value) -> Result<(), ServiceError> {
    for (name, members) in objects(rerankers) {
        values(name, members)?;
        if let Some(source) = SourceKind::of(members) {
            check_available(name, source, members)?;
        }
    }
    Ok(())
}

/// Checks for values that are always invalid.
fn values(name: &str, members: &Members) -> Result<(), ServiceError> {
    let error_at = |member: &str, reason: String| Err(member_error(name, member, reason));
    if let Some(url) = text(members, "url")
        && let Err(error) = Url::parse(url)
    {
        return error_at("url", format!("could not parse `{url}`: {error}"));
    }
    if let Some(template) = text(members, "documentTemplate")
        && let Err(error) = DocumentTemplate::parse(template)
    {
        return error_at("documentTemplate", format!("Invalid template: {error}"));
    }
    if let Some(bytes) = number(members, "documentTemplateMaxBytes")
        && !(1..=MOST_TEXT_BYTES).contains(&bytes)
    {
        let reason = format!("expected 1 to {MOST_TEXT_BYTES}, got {bytes}");
        return error_at("documentTemplateMaxBytes", reason);
    }
    if let Some(timeout) = number(members, "timeoutMs")
        && !(1..=LONGEST_TIMEOUT_MS).contains(&timeout)
    {
        let reason = format!("expected 1 to {LONGEST_TIMEOUT_MS}, got {timeout}");
        return error_at("timeoutMs", reason);
    }
    if let Some(request) = sent(members, "request")
        && let Err(error) = RerankRequest::parse(request)
    {
        return error_at("request", error.to_string());
    }
    if let Some(response) = sent(members, "response")
        && let Err(error) = RerankResponse::parse(response)
    {
        return error_at("response", error.to_string());
    }
    Ok(())
}

/// Merges a change into the stored rerankers of the same names and checks the result.
pub(crate) fn combine(before: Option<Value>, change: Value) -> Result<Value, ServiceError> {
    let mut rerankers = object(before);
    for (name, change) in object(Some(change)) {
        let before = rerankers.shift_remove(&name);
        let Value::Object(change) = change else { continue };
        let mut after = merge_members(object(before), change);
        let Some(source) = SourceKind::of(&after) else {
            let accepted = SourceKind::NAMES.map(|name| format!("`{name}`")).join(", ");
            return Err(settings_error(format!(
                "`.rerankers.{name}`: Missing field `source`: expected one of {accepted}"
            )));
        };
        check_available(&name, source, &after)?;
        check_complete(&name, source, &after)?;
        values(&name, &after)?;
        after.retain(|_, value| !value.is_null());
        rerankers.insert(name, Value::Object(after));
    }
    if rerankers.len() > MOST_RERANKERS {
        let found = rerankers.len();
        return Err(settings_error(format!(
            "Too many rerankers in the configuration. Found {found}, but limited to \
             {MOST_RERANKERS}."
        )));
    }
    // Checked again for the order of the members.
    RERANKERS.check(Value::Object(rerankers), JsonPath::Origin).map_err(|it| settings_error(it.0))
}

fn merge_members(mut before: Members, change: Members) -> Members {
    if let Some(new) = SourceKind::of(&change)
        && SourceKind::of(&before) != Some(new)
    {
        before.retain(|name, _| outlives_source(name, new));
    }
    for (name, value) in change {
        let old = before.shift_remove(&name);
        let value = match value {
            Value::String(shown) if name == "apiKey" => kept_key(old, shown),
            Value::String(url) if name == "url" => {
                Value::String(kept_url(old.as_ref().and_then(Value::as_str), url))
            }
            Value::Object(headers) if name == "headers" => {
                Value::Object(with_kept_headers(&object(old), headers))
            }
            value => value,
        };
        before.insert(name, value);
    }
    before
}

/// Returns whether a member survives a change of source: what does not depend on the provider. A
/// key survives too and is refused if the new source takes none, so that it is not lost silently.
fn outlives_source(member: &str, source: SourceKind) -> bool {
    match member {
        "apiKey" => true,
        "documentTemplate" | "documentTemplateMaxBytes" | "timeoutMs" => {
            fields::is_available(member, source)
        }
        _ => false,
    }
}

/// Refuses a change with a mask where no secret is stored.
pub(crate) fn check_masks(
    before: Option<&Value>,
    change: &Value,
    after: &Value,
) -> Result<(), ServiceError> {
    for (name, change) in change.as_object().into_iter().flatten() {
        let before = before.and_then(|all| all.get(name));
        let error_at = |member: &str, reason: String| member_error(name, member, reason);
        check_masks_of(before, change, after.get(name), &error_at)?;
    }
    Ok(())
}

/// Converts stored rerankers to the form that is shown: complete, and without secrets.
pub(crate) fn show(mut rerankers: Value) -> Value {
    for reranker in rerankers.as_object_mut().into_iter().flat_map(Map::values_mut) {
        if let Value::Object(members) = reranker {
            let default = Prompt::default();
            let fill = |members: &mut Members, name: &str, value: Value| {
                members.entry(name).or_insert(value);
            };
            fill(members, "documentTemplate", Value::from(default.template));
            fill(members, "documentTemplateMaxBytes", Value::from(default.max_bytes));
            if SourceKind::of(members) == Some(SourceKind::Rest) {
                fill(members, "headers", Value::Object(Map::new()));
            }
        }
    }
    embedder::hide_secrets(&mut rerankers);
    // Restores the order of the members; damaged settings are shown unchanged.
    RERANKERS.check(rerankers.clone(), JsonPath::Origin).unwrap_or(rerankers)
}

fn objects(rerankers: &Value) -> impl Iterator<Item = (&str, &Members)> {
    let members = rerankers.as_object().into_iter().flatten();
    members.filter_map(|(name, value)| Some((name.as_str(), value.as_object()?)))
}

fn text<'m>(members: &'m Members, name: &str) -> Option<&'m str> {
    members.get(name).and_then(Value::as_str)
}

fn number(members: &Members, name: &str) -> Option<u64> {
    members.get(name).and_then(Value::as_u64)
}

fn sent<'m>(members: &'m Members, name: &str) -> Option<&'m Value> {
    members.get(name).filter(|value| !value.is_null())
}

fn object(value: Option<Value>) -> Members {
    match value {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    }
}
