//! Checks request, response and fragments of a change to a rest embedder by themselves. They are
//! checked together when the embedder is built.

use model::ServiceError;
use serde_json::Value;
use template::{Fragment, Placeholder, RequestTemplate, ResponseTemplate};

use super::check::{embedding_error, text};
use super::fields::Members;

/// Checks a change for what is always invalid.
pub(super) fn check_sent(members: &Members) -> Result<(), ServiceError> {
    let (indexing, search) = counts(members);
    if indexing + search > 0 && text(members, "documentTemplate").is_some() {
        return Err(embedding_error(format!(
            "cannot pass both fragments and a document template.\n  - Note: {indexing} fragments \
             declared in `indexingFragments` and {search} fragments declared in \
             `search_fragments_len`.\n  - Hint: remove the declared fragments or remove the \
             `documentTemplate`"
        )));
    }
    check_fragments(members)?;
    let Some(request) = sent(members, "request") else {
        return Ok(());
    };
    let placeholder = placeholder(indexing + search);
    let request = match RequestTemplate::parse(request, placeholder) {
        Ok(request) => request,
        // Fragments may be stored.
        Err(_) if RequestTemplate::parse(request, Placeholder::Fragment).is_ok() => return Ok(()),
        Err(error) => return Err(embedding_error(error)),
    };
    match sent(members, "response") {
        Some(response) => {
            ResponseTemplate::parse(response, &request).map(drop).map_err(embedding_error)
        }
        None => Ok(()),
    }
}

fn check_fragments(members: &Members) -> Result<(), ServiceError> {
    for list in ["indexingFragments", "searchFragments"] {
        for (name, fragment) in fragments(members, list) {
            let value = fragment.get("value").unwrap_or(&Value::Null);
            let path = format!("{list}.{name}");
            Fragment::parse(value, &path).map_err(embedding_error)?;
        }
    }
    Ok(())
}

/// Returns the placeholder that a request must contain.
fn placeholder(fragments: usize) -> Placeholder {
    match fragments {
        0 => Placeholder::Text,
        _ => Placeholder::Fragment,
    }
}

fn counts(members: &Members) -> (usize, usize) {
    let count = |list| fragments(members, list).count();
    (count("indexingFragments"), count("searchFragments"))
}

/// Iterates over fragments, without removed ones.
fn fragments<'m>(
    members: &'m Members,
    list: &str,
) -> impl Iterator<Item = (&'m String, &'m Value)> {
    let fragments = members.get(list).and_then(Value::as_object).into_iter().flatten();
    fragments.filter(|(_, fragment)| !fragment.is_null())
}

fn sent<'m>(members: &'m Members, name: &str) -> Option<&'m Value> {
    members.get(name).filter(|value| !value.is_null())
}
