//! Changes of rerankers: what is wrong with a change by itself, what is stored after it, and what
//! is shown of it.

use model::ServiceError;
use model::url_secrets::kept_url;
use serde_json::{Map, Value};
use template::{DocumentTemplate, RerankRequest, RerankResponse};
use url::Url;

use super::fields::{
    self, Members, SourceKind, check_available, check_complete, refused, refused_member,
};
use super::types::check_types;
use crate::embedder::{self, Prompt, check_masks_of, kept_key, with_kept_headers};
use crate::refusal::Place;

const MOST_RERANKERS: usize = 32;
/// Of each document; a search sends up to 200 of them.
const MOST_TEXT_BYTES: u64 = 1 << 16;
/// A search may not run longer than a minute.
const LONGEST_TIMEOUT_MS: u64 = 30_000;

/// What can be said of a change without knowing what is stored. The request is refused.
pub(crate) fn at_once(rerankers: &Value) -> Result<(), ServiceError> {
    for (name, members) in objects(rerankers) {
        values(name, members)?;
        if let Some(source) = SourceKind::of(members) {
            check_available(name, source, members)?;
        }
    }
    Ok(())
}

/// Values that are wrong whatever the other members are.
fn values(name: &str, members: &Members) -> Result<(), ServiceError> {
    let refuse = |member: &str, reason: String| Err(refused_member(name, member, reason));
    if let Some(url) = text(members, "url")
        && let Err(error) = Url::parse(url)
    {
        return refuse("url", format!("could not parse `{url}`: {error}"));
    }
    if let Some(template) = text(members, "documentTemplate")
        && let Err(error) = DocumentTemplate::parse(template)
    {
        return refuse("documentTemplate", format!("Invalid template: {error}"));
    }
    if let Some(bytes) = number(members, "documentTemplateMaxBytes")
        && !(1..=MOST_TEXT_BYTES).contains(&bytes)
    {
        let reason = format!("expected 1 to {MOST_TEXT_BYTES}, got {bytes}");
        return refuse("documentTemplateMaxBytes", reason);
    }
    if let Some(timeout) = number(members, "timeoutMs")
        && !(1..=LONGEST_TIMEOUT_MS).contains(&timeout)
    {
        let reason = format!("expected 1 to {LONGEST_TIMEOUT_MS}, got {timeout}");
        return refuse("timeoutMs", reason);
    }
    if let Some(request) = sent(members, "request")
        && let Err(error) = RerankRequest::parse(request)
    {
        return refuse("request", error.to_string());
    }
    if let Some(response) = sent(members, "response")
        && let Err(error) = RerankResponse::parse(response)
    {
        return refuse("response", error.to_string());
    }
    Ok(())
}

/// What is stored after a change: members are laid over those of the reranker of the same name,
/// and the whole must make sense.
pub(crate) fn combine(before: Option<Value>, change: Value) -> Result<Value, ServiceError> {
    let mut rerankers = object(before);
    for (name, change) in object(Some(change)) {
        let before = rerankers.shift_remove(&name);
        let Value::Object(change) = change else { continue };
        let mut after = lay_over(object(before), change);
        let Some(source) = SourceKind::of(&after) else {
            let accepted = SourceKind::NAMES.map(|name| format!("`{name}`")).join(", ");
            return Err(refused(format!(
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
        return Err(refused(format!(
            "Too many rerankers in the configuration. Found {found}, but limited to \
             {MOST_RERANKERS}."
        )));
    }
    // Once more for the order of the members.
    check_types(Value::Object(rerankers), Place::Origin).map_err(|it| refused(it.0))
}

fn lay_over(mut before: Members, change: Members) -> Members {
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

/// What does not depend on the provider stays. A key stays too, and is refused where the new source
/// takes none, so that it is not lost unseen.
fn outlives_source(member: &str, source: SourceKind) -> bool {
    match member {
        "apiKey" => true,
        "documentTemplate" | "documentTemplateMaxBytes" | "timeoutMs" => {
            fields::is_available(member, source)
        }
        _ => false,
    }
}

/// Refuses a change in which the mask of a secret stands where no secret is stored.
pub(crate) fn check_masks(
    before: Option<&Value>,
    change: &Value,
    after: &Value,
) -> Result<(), ServiceError> {
    for (name, change) in change.as_object().into_iter().flatten() {
        let before = before.and_then(|all| all.get(name));
        let refuse = |member: &str, reason: String| refused_member(name, member, reason);
        check_masks_of(before, change, after.get(name), &refuse)?;
    }
    Ok(())
}

/// From the stored form: complete, and without secrets.
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
    // For the order of the members; a damaged store is shown as it is.
    check_types(rerankers.clone(), Place::Origin).unwrap_or(rerankers)
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
