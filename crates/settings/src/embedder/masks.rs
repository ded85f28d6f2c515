//! Masked secrets that clients send back. A mask stands for the stored secret; without one it is
//! refused, or the provider would be called with the mask.

use model::url_secrets::has_mask;
use model::{ServiceError, is_redacted, redacted};
use serde_json::Value;

use super::fields::{EmbedderPath, Members, Role};
use super::show::{is_mask_of_header, shown_header};

/// Returns the stored key if `sent` is its mask, else the sent one.
pub(crate) fn kept_key(stored: Option<Value>, sent: String) -> Value {
    match stored {
        Some(Value::String(key)) if redacted(&key) == sent => Value::String(key),
        _ => Value::String(sent),
    }
}

/// Replaces masks among the sent headers by the stored secrets.
pub(crate) fn with_kept_headers(stored: &Members, mut sent: Members) -> Members {
    for (name, value) in &mut sent {
        if let Some(Value::String(secret)) = stored.get(name)
            && value.as_str().is_some_and(|sent| shown_header(name, secret) == sent)
        {
            *value = Value::String(secret.clone());
        }
    }
    sent
}

/// Checks that every mask in a change of embedders became a secret in `after`, unless it was
/// already stored `before`.
pub(crate) fn check_masks(
    before: Option<&Value>,
    change: &Value,
    after: &Value,
) -> Result<(), ServiceError> {
    for (name, change) in change.as_object().into_iter().flatten() {
        let path = EmbedderPath::of(name);
        let (before, after) = (before.and_then(|all| all.get(name)), after.get(name));
        let error_at = |member: &str, reason: String| path.error(member, reason);
        check_masks_of(before, change, after, &error_at)?;
        for (member, role) in Role::NESTED {
            if let Some(change) = change.get(member) {
                let before = before.and_then(|whole| whole.get(member));
                let after = after.and_then(|whole| whole.get(member));
                let path = path.nested(role);
                let error_at = |member: &str, reason: String| path.error(member, reason);
                check_masks_of(before, change, after, &error_at)?;
            }
        }
    }
    Ok(())
}

/// Like [`check_masks`], for one embedder or reranker. `error_at` creates the error about a member.
pub(crate) fn check_masks_of(
    before: Option<&Value>,
    change: &Value,
    after: Option<&Value>,
    error_at: &dyn Fn(&str, String) -> ServiceError,
) -> Result<(), ServiceError> {
    let mask_error = |path: &[&str], sent: &str| {
        let is_new = text_in(before, path) != Some(sent) && text_in(after, path) == Some(sent);
        is_new.then(|| error_at(&path.join("."), unknown(sent)))
    };
    if let Some(sent) = text_in(Some(change), &["apiKey"])
        && is_redacted(sent)
        && let Some(error) = mask_error(&["apiKey"], sent)
    {
        return Err(error);
    }
    if let Some(sent) = text_in(Some(change), &["url"])
        && has_mask(sent)
        && let Some(error) = mask_error(&["url"], sent)
    {
        return Err(error);
    }
    for (name, sent) in change.get("headers").and_then(Value::as_object).into_iter().flatten() {
        if let Some(sent) = sent.as_str()
            && is_mask_of_header(name, sent)
            && let Some(error) = mask_error(&["headers", name], sent)
        {
            return Err(error);
        }
    }
    Ok(())
}

fn text_in<'v>(embedder: Option<&'v Value>, path: &[&str]) -> Option<&'v str> {
    path.iter().try_fold(embedder?, |value, name| value.get(name))?.as_str()
}

fn unknown(sent: &str) -> String {
    format!(
        "`{sent}` is how a secret is shown, and none is stored that it could stand for.\n  - Hint: \
         send the secret itself."
    )
}
