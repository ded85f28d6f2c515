//! Validates embedders, beyond the types of their members.
//!
//! - `check_change` checks a change by itself: the members of its source (if the source is named),
//!   and values that are always invalid. An error refuses the request.
//! - `check_merged` checks the merged embedder, including what depends on several members. An error
//!   fails the task.
//! - The task finds the rest by building the embedder: whether request, response and fragments
//!   match, the address of ollama (possibly from the environment), what the provider or the model
//!   says, and whether the two parts of a composite embedder agree.

use model::features::{Feature, Features};
use model::{Code, ServiceError};
use serde_json::Value;
use template::DocumentTemplate;
use url::Url;

use super::fields::{self, EmbedderPath, Members, Role, SourceKind};
use super::{openai, rest};

/// Checks that the features used by the embedders are on.
pub(crate) fn check_features(embedders: &Value, features: &Features) -> Result<(), ServiceError> {
    embedders_of(embedders).try_for_each(|(_, members)| features_of(members, features))
}

fn features_of(members: &Members, features: &Features) -> Result<(), ServiceError> {
    if SourceKind::of(members) == Some(SourceKind::Composite) {
        features.check(Feature::composite_embedders, "using `\"composite\"` as source")?;
    }
    for (name, feature) in [
        ("searchEmbedder", Feature::composite_embedders),
        ("indexingEmbedder", Feature::composite_embedders),
        ("indexingFragments", Feature::multimodal),
        ("searchFragments", Feature::multimodal),
    ] {
        if members.get(name).is_some_and(|value| !value.is_null()) {
            features.check(feature, &format!("setting `{name}`"))?;
        }
    }
    nested_of(members).try_for_each(|(_, nested)| features_of(nested, features))
}

/// Checks a change without knowing what is stored.
pub(crate) fn check_change(embedders: &Value) -> Result<(), ServiceError> {
    embedders_of(embedders).try_for_each(|(name, members)| {
        let path = EmbedderPath::of(name);
        // Before missing members, like the reference.
        values(path, members)?;
        rest::check_sent(members)?;
        if let Some(source) = SourceKind::of(members) {
            sources(path, source, members)?;
        }
        check_model(path, members)?;
        nested_of(members).try_for_each(|(role, nested)| {
            let path = path.nested(role);
            check_model(path, nested)?;
            values(path, nested)?;
            rest::check_sent(nested)
        })
    })
}

/// Checks the dimensions of a model; those of an unnamed model cannot be checked.
fn check_model(path: EmbedderPath<'_>, members: &Members) -> Result<(), ServiceError> {
    match SourceKind::of(members) {
        Some(SourceKind::OpenAi) if text(members, "model").is_some() => {
            openai::check(path, members)
        }
        _ => Ok(()),
    }
}

/// Checks the members after a change; null marks a removed one.
pub(crate) fn check_merged(path: EmbedderPath<'_>, members: &Members) -> Result<(), ServiceError> {
    let source = SourceKind::of(members).unwrap_or(SourceKind::OpenAi);
    sources(path, source, members)?;
    complete(path, source, members)?;
    nested_of(members).try_for_each(|(role, nested)| {
        let path = path.nested(role);
        let source = fields::check_nested_source(path, nested)?;
        complete(path, source, nested)
    })?;
    check_nested_dimensions(path, members)
}

fn complete(
    path: EmbedderPath<'_>,
    source: SourceKind,
    members: &Members,
) -> Result<(), ServiceError> {
    values(path, members)?;
    if source == SourceKind::OpenAi {
        openai::check(path, members)?;
    }
    if number(members, "documentTemplateMaxBytes") == Some(0) {
        let reason = "`documentTemplateMaxBytes` cannot be zero";
        return Err(path.error("documentTemplateMaxBytes", reason));
    }
    Ok(())
}

/// Checks which members are present, also in nested embedders.
fn sources(
    path: EmbedderPath<'_>,
    source: SourceKind,
    members: &Members,
) -> Result<(), ServiceError> {
    fields::check(path, source, members)?;
    nested_of(members).try_for_each(|(role, nested)| {
        let path = path.nested(role);
        let source = fields::check_nested_source(path, nested)?;
        fields::check(path, source, nested)
    })
}

/// Checks for values that are always invalid.
fn values(path: EmbedderPath<'_>, members: &Members) -> Result<(), ServiceError> {
    // Nested embedders are compared with each other instead.
    if path.role == Role::Everything && number(members, "dimensions") == Some(0) {
        return Err(path.error("dimensions", "`dimensions` cannot be zero"));
    }
    if let Some(url) = text(members, "url") {
        let parsed = Url::parse(url);
        parsed.map_err(|e| path.error("url", format!("could not parse `{url}`: {e}")))?;
    }
    if let Some(template) = text(members, "documentTemplate") {
        let parsed = DocumentTemplate::parse(template);
        parsed.map_err(|e| path.error("documentTemplate", format!("Invalid template: {e}")))?;
    }
    Ok(())
}

/// Refuses zero in both nested embedders; if they differ, a later check has a better message.
fn check_nested_dimensions(path: EmbedderPath<'_>, members: &Members) -> Result<(), ServiceError> {
    let mut zeros = nested_of(members).filter(|(_, m)| number(m, "dimensions") == Some(0));
    match (zeros.next(), zeros.next()) {
        (Some((role, _)), Some(_)) => {
            Err(path.nested(role).error("dimensions", "`dimensions` cannot be zero"))
        }
        _ => Ok(()),
    }
}

fn embedders_of(embedders: &Value) -> impl Iterator<Item = (&str, &Members)> {
    let members = embedders.as_object().into_iter().flatten();
    members.filter_map(|(name, value)| Some((name.as_str(), value.as_object()?)))
}

fn nested_of(members: &Members) -> impl Iterator<Item = (Role, &Members)> {
    Role::NESTED
        .into_iter()
        .filter_map(|(name, role)| Some((role, members.get(name)?.as_object()?)))
}

pub(crate) fn text<'m>(members: &'m Members, name: &str) -> Option<&'m str> {
    members.get(name).and_then(Value::as_str)
}

pub(crate) fn number(members: &Members, name: &str) -> Option<u64> {
    members.get(name).and_then(Value::as_u64)
}

/// Returns the error for a request to a provider that cannot be built.
pub(crate) fn embedding_error(reason: impl std::fmt::Display) -> ServiceError {
    let message = format!("Error while generating embeddings: user error: {reason}");
    ServiceError::new(Code::VectorEmbeddingError, message)
}
