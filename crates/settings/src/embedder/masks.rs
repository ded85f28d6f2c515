//! Secrets that come back as they are shown. A mask stands for the secret that is stored; where none
//! is that it could stand for, it is a mistake: a provider would be called with it.

use model::url_secrets::has_mask;
use model::{ServiceError, is_redacted, redacted};
use serde_json::Value;

use super::fields::{Members, Place, Role};
use super::show::{is_mask_of_header, shown_header};

/// The key that is meant: that which is stored, where `sent` is its mask.
pub(crate) fn kept_key(stored: Option<Value>, sent: String) -> Value {
    match stored {
        Some(Value::String(key)) if redacted(&key) == sent => Value::String(key),
        _ => Value::String(sent),
    }
}

/// The same for headers with secrets.
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

/// Whether every mask in a change of embedders became a secret in `after`. One that stood in
/// `before` already is no worse than it was.
pub(crate) fn check_masks(
    before: Option<&Value>,
    change: &Value,
    after: &Value,
) -> Result<(), ServiceError> {
    for (name, change) in change.as_object().into_iter().flatten() {
        let place = Place::of(name);
        let (before, after) = (before.and_then(|all| all.get(name)), after.get(name));
        let refuse = |member: &str, reason: String| place.refuse(member, reason);
        check_masks_of(before, change, after, &refuse)?;
        for (member, role) in Role::NESTED {
            if let Some(change) = change.get(member) {
                let before = before.and_then(|whole| whole.get(member));
                let after = after.and_then(|whole| whole.get(member));
                let place = place.nested(role);
                let refuse = |member: &str, reason: String| place.refuse(member, reason);
                check_masks_of(before, change, after, &refuse)?;
            }
        }
    }
    Ok(())
}

/// The same for one embedder or reranker. `refuse` makes the error about one of its members.
pub(crate) fn check_masks_of(
    before: Option<&Value>,
    change: &Value,
    after: Option<&Value>,
    refuse: &dyn Fn(&str, String) -> ServiceError,
) -> Result<(), ServiceError> {
    let refused = |path: &[&str], sent: &str| {
        let is_new = text_in(before, path) != Some(sent) && text_in(after, path) == Some(sent);
        is_new.then(|| refuse(&path.join("."), unknown(sent)))
    };
    if let Some(sent) = text_in(Some(change), &["apiKey"])
        && is_redacted(sent)
        && let Some(error) = refused(&["apiKey"], sent)
    {
        return Err(error);
    }
    if let Some(sent) = text_in(Some(change), &["url"])
        && has_mask(sent)
        && let Some(error) = refused(&["url"], sent)
    {
        return Err(error);
    }
    for (name, sent) in change.get("headers").and_then(Value::as_object).into_iter().flatten() {
        if let Some(sent) = sent.as_str()
            && is_mask_of_header(name, sent)
            && let Some(error) = refused(&["headers", name], sent)
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
