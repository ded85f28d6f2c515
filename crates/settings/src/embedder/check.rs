//! What an embedder must be, beyond the types of its members.
//!
//! - `at_once` judges a change by itself: which members a source takes (only where the source is
//!   named), and values that are wrong whatever is stored. The request is refused.
//! - `whole` judges what would be stored: the same for all members, and what depends on several
//!   of them. The task fails.
//! - What is left is found by building the embedder from the settings, which the task does too:
//!   whether request, response and fragments go together, the address of ollama (it may come from
//!   the environment), what is learnt from the provider or from a model, and whether the two of a
//!   composite embedder agree.

use model::features::{Feature, Features};
use model::{Code, ServiceError};
use serde_json::Value;
use template::DocumentTemplate;
use url::Url;

use super::fields::{self, Members, Place, Role, SourceKind};
use super::{openai, rest};

/// Whether all that is used of them is available.
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

/// What can be said of a change without knowing what is stored.
pub(crate) fn at_once(embedders: &Value) -> Result<(), ServiceError> {
    embedders_of(embedders).try_for_each(|(name, members)| {
        let place = Place::of(name);
        // Before the members that are missing, as the reference does.
        values(place, members)?;
        rest::check_sent(members)?;
        if let Some(source) = SourceKind::of(members) {
            sources(place, source, members)?;
        }
        check_model(place, members)?;
        nested_of(members).try_for_each(|(role, nested)| {
            let place = place.nested(role);
            check_model(place, nested)?;
            values(place, nested)?;
            rest::check_sent(nested)
        })
    })
}

/// The dimensions of a model that is not named cannot be judged.
fn check_model(place: Place<'_>, members: &Members) -> Result<(), ServiceError> {
    match SourceKind::of(members) {
        Some(SourceKind::OpenAi) if text(members, "model").is_some() => {
            openai::check(place, members)
        }
        _ => Ok(()),
    }
}

/// The members are those after a change; null is one that was taken away.
pub(crate) fn whole(place: Place<'_>, members: &Members) -> Result<(), ServiceError> {
    let source = SourceKind::of(members).unwrap_or(SourceKind::OpenAi);
    sources(place, source, members)?;
    complete(place, source, members)?;
    nested_of(members).try_for_each(|(role, nested)| {
        let place = place.nested(role);
        let source = fields::check_nested_source(place, nested)?;
        complete(place, source, nested)
    })?;
    check_nested_dimensions(place, members)
}

fn complete(place: Place<'_>, source: SourceKind, members: &Members) -> Result<(), ServiceError> {
    values(place, members)?;
    if source == SourceKind::OpenAi {
        openai::check(place, members)?;
    }
    if number(members, "documentTemplateMaxBytes") == Some(0) {
        let reason = "`documentTemplateMaxBytes` cannot be zero";
        return Err(place.refuse("documentTemplateMaxBytes", reason));
    }
    Ok(())
}

/// Which members there are, also of nested embedders.
fn sources(place: Place<'_>, source: SourceKind, members: &Members) -> Result<(), ServiceError> {
    fields::check(place, source, members)?;
    nested_of(members).try_for_each(|(role, nested)| {
        let place = place.nested(role);
        let source = fields::check_nested_source(place, nested)?;
        fields::check(place, source, nested)
    })
}

/// Values that are wrong by themselves.
fn values(place: Place<'_>, members: &Members) -> Result<(), ServiceError> {
    // Those of nested embedders are compared with each other.
    if place.role == Role::Everything && number(members, "dimensions") == Some(0) {
        return Err(place.refuse("dimensions", "`dimensions` cannot be zero"));
    }
    if let Some(url) = text(members, "url") {
        let parsed = Url::parse(url);
        parsed.map_err(|e| place.refuse("url", format!("could not parse `{url}`: {e}")))?;
    }
    if let Some(template) = text(members, "documentTemplate") {
        let parsed = DocumentTemplate::parse(template);
        parsed.map_err(|e| place.refuse("documentTemplate", format!("Invalid template: {e}")))?;
    }
    Ok(())
}

/// Where they differ, the message of those who compare the embedders says more.
fn check_nested_dimensions(place: Place<'_>, members: &Members) -> Result<(), ServiceError> {
    let mut zeros = nested_of(members).filter(|(_, m)| number(m, "dimensions") == Some(0));
    match (zeros.next(), zeros.next()) {
        (Some((role, _)), Some(_)) => {
            Err(place.nested(role).refuse("dimensions", "`dimensions` cannot be zero"))
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

/// What a provider would be asked cannot be.
pub(crate) fn embedding_error(reason: impl std::fmt::Display) -> ServiceError {
    let message = format!("Error while generating embeddings: user error: {reason}");
    ServiceError::new(Code::VectorEmbeddingError, message)
}
