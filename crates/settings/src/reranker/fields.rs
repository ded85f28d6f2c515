//! The members that each source of a reranker takes and requires.

use model::{Code, ServiceError};
use serde_json::{Map, Value};

use SourceKind::{Cohere, HuggingFace, Jina, Rest, Voyage};

pub(crate) type Members = Map<String, Value>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourceKind {
    Rest,
    Cohere,
    Jina,
    Voyage,
    HuggingFace,
}

impl SourceKind {
    pub const ALL: [Self; 5] = [Rest, Cohere, Jina, Voyage, HuggingFace];
    pub const NAMES: [&str; 5] = ["rest", "cohere", "jina", "voyage", "huggingFace"];

    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Returns the source that the members name, if any.
    pub fn of(members: &Members) -> Option<Self> {
        let name = members.get("source")?.as_str()?;
        Self::ALL.into_iter().find(|source| source.name() == name)
    }
}

struct Field {
    name: &'static str,
    sources: &'static [SourceKind],
    mandatory_for: &'static [SourceKind],
}

const fn field(
    name: &'static str,
    sources: &'static [SourceKind],
    mandatory_for: &'static [SourceKind],
) -> Field {
    Field { name, sources, mandatory_for }
}

const WITH_MODEL: &[SourceKind] = &[Cohere, Jina, Voyage, HuggingFace];
const REMOTE: &[SourceKind] = &[Rest, Cohere, Jina, Voyage];

const FIELDS: &[Field] = &[
    field("source", &SourceKind::ALL, &[]),
    field("model", WITH_MODEL, WITH_MODEL),
    field("revision", &[HuggingFace], &[]),
    field("apiKey", REMOTE, &[]),
    field("url", REMOTE, &[Rest]),
    field("headers", &[Rest], &[]),
    field("request", &[Rest], &[Rest]),
    field("response", &[Rest], &[Rest]),
    field("documentTemplate", &SourceKind::ALL, &[]),
    field("documentTemplateMaxBytes", &SourceKind::ALL, &[]),
    field("timeoutMs", &SourceKind::ALL, &[]),
];

/// Refuses a member that the source does not take.
pub(super) fn check_available(
    name: &str,
    source: SourceKind,
    members: &Members,
) -> Result<(), ServiceError> {
    let is_stray = |field: &&Field| is_set(members, field.name) && !field.sources.contains(&source);
    let Some(stray) = FIELDS.iter().find(is_stray) else { return Ok(()) };
    let takes = FIELDS.iter().filter(|field| field.sources.contains(&source));
    let takes: Vec<String> = takes.map(|field| format!("`{}`", field.name)).collect();
    let (field, source) = (stray.name, source.name());
    Err(settings_error(format!(
        "`.rerankers.{name}`: Field `{field}` unavailable for source `{source}`.\n  - note: \
         available fields for source `{source}`: {}",
        takes.join(", ")
    )))
}

/// Refuses a reranker that lacks what its source needs.
pub(super) fn check_complete(
    name: &str,
    source: SourceKind,
    members: &Members,
) -> Result<(), ServiceError> {
    let is_missing =
        |field: &&Field| field.mandatory_for.contains(&source) && !is_set(members, field.name);
    match FIELDS.iter().find(is_missing) {
        Some(missing) => Err(settings_error(format!(
            "`.rerankers.{name}`: Missing field `{}` (note: this field is mandatory for source \
             `{}`)",
            missing.name,
            source.name()
        ))),
        None => Ok(()),
    }
}

pub(super) fn is_available(field: &str, source: SourceKind) -> bool {
    FIELDS.iter().any(|known| known.name == field && known.sources.contains(&source))
}

fn is_set(members: &Members, name: &str) -> bool {
    members.get(name).is_some_and(|value| !value.is_null())
}

pub(super) fn settings_error(message: String) -> ServiceError {
    ServiceError::new(Code::InvalidSettingsRerankers, message)
}

pub(super) fn member_error(
    name: &str,
    member: &str,
    reason: impl std::fmt::Display,
) -> ServiceError {
    settings_error(format!("`.rerankers.{name}.{member}`: {reason}"))
}
