//! The members that each source takes and requires, and the messages for others. Their order is
//! that of the messages.

use std::fmt;

use model::{Code, ServiceError};
use serde_json::{Map, Value};

use SourceKind::{Composite, HuggingFace, Ollama, OpenAi, Rest, UserProvided};

pub(crate) type Members = Map<String, Value>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourceKind {
    OpenAi,
    HuggingFace,
    Ollama,
    UserProvided,
    Rest,
    Composite,
}

impl SourceKind {
    pub const ALL: [Self; 6] = [OpenAi, HuggingFace, Ollama, UserProvided, Rest, Composite];
    pub const NAMES: [&str; 6] =
        ["openAi", "huggingFace", "ollama", "userProvided", "rest", "composite"];

    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Returns the source of an embedder, if it names one.
    pub fn of(members: &Members) -> Option<Self> {
        let name = members.get("source")?.as_str()?;
        Self::ALL.into_iter().find(|source| source.name() == name)
    }
}

/// The role of an embedder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Everything,
    /// Inside a composite embedder.
    Search,
    Indexing,
}

impl Role {
    /// The roles inside a composite embedder, with their members.
    pub const NESTED: [(&'static str, Self); 2] =
        [("searchEmbedder", Self::Search), ("indexingEmbedder", Self::Indexing)];

    /// Returns the member of a composite embedder for this role.
    fn member(self) -> Option<&'static str> {
        Self::NESTED.into_iter().find(|(_, role)| *role == self).map(|(member, _)| member)
    }

    fn words(self) -> &'static str {
        match self {
            Self::Everything => "",
            Self::Search => " for the search embedder",
            Self::Indexing => " for the indexing embedder",
        }
    }
}

/// Path of an embedder, for messages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EmbedderPath<'n> {
    pub name: &'n str,
    pub role: Role,
}

impl<'n> EmbedderPath<'n> {
    pub fn of(name: &'n str) -> Self {
        Self { name, role: Role::Everything }
    }

    pub fn nested(self, role: Role) -> Self {
        Self { role, ..self }
    }

    /// Returns an error about one of its members.
    pub fn error(self, member: &str, reason: impl fmt::Display) -> ServiceError {
        settings_error(format!("`.embedders.{self}.{member}`: {reason}"))
    }
}

impl fmt::Display for EmbedderPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        self.role.member().map_or(Ok(()), |member| write!(f, ".{member}"))
    }
}

pub(crate) fn settings_error(message: String) -> ServiceError {
    ServiceError::new(Code::InvalidSettingsEmbedders, message)
}

struct Field {
    name: &'static str,
    sources: &'static [SourceKind],
    mandatory_for: &'static [SourceKind],
    roles: &'static [Role],
}

const fn field(name: &'static str, sources: &'static [SourceKind]) -> Field {
    let roles = &[Role::Everything, Role::Search, Role::Indexing];
    Field { name, sources, mandatory_for: &[], roles }
}

impl Field {
    const fn mandatory_for(self, sources: &'static [SourceKind]) -> Self {
        Self { mandatory_for: sources, ..self }
    }

    const fn only_for(self, roles: &'static [Role]) -> Self {
        Self { roles, ..self }
    }

    fn is_available(&self, source: SourceKind, role: Role) -> bool {
        self.sources.contains(&source) && self.roles.contains(&role)
    }
}

const ALONE: &[Role] = &[Role::Everything];
const FOR_INDEXING: &[Role] = &[Role::Everything, Role::Indexing];
const FOR_SEARCH: &[Role] = &[Role::Everything, Role::Search];

const FIELDS: &[Field] = &[
    field("source", &SourceKind::ALL),
    field("model", &[OpenAi, HuggingFace, Ollama]).mandatory_for(&[Ollama]),
    field("revision", &[HuggingFace]),
    field("pooling", &[HuggingFace]),
    field("apiKey", &[OpenAi, Ollama, Rest]),
    field("dimensions", &[OpenAi, Ollama, UserProvided, Rest]).mandatory_for(&[UserProvided]),
    field("documentTemplate", &[OpenAi, HuggingFace, Ollama, Rest]).only_for(FOR_INDEXING),
    field("documentTemplateMaxBytes", &[OpenAi, HuggingFace, Ollama, Rest]).only_for(FOR_INDEXING),
    field("url", &[OpenAi, Ollama, Rest]).mandatory_for(&[Rest]),
    field("indexingFragments", &[Rest]).only_for(FOR_INDEXING),
    field("searchFragments", &[Rest]).only_for(FOR_SEARCH),
    field("request", &[Rest]).mandatory_for(&[Rest]),
    field("response", &[Rest]).mandatory_for(&[Rest]),
    field("headers", &[Rest]),
    field("searchEmbedder", &[Composite]).mandatory_for(&[Composite]).only_for(ALONE),
    field("indexingEmbedder", &[Composite]).mandatory_for(&[Composite]).only_for(ALONE),
    field("distribution", &SourceKind::ALL).only_for(ALONE),
    field("binaryQuantized", &SourceKind::ALL).only_for(ALONE),
];

pub(crate) fn is_available(name: &str, source: SourceKind, role: Role) -> bool {
    FIELDS.iter().any(|field| field.name == name && field.is_available(source, role))
}

/// Refuses members that the source does not take, even if null, and missing ones that it requires.
pub(crate) fn check(
    path: EmbedderPath<'_>,
    source: SourceKind,
    members: &Members,
) -> Result<(), ServiceError> {
    let is_stray =
        |field: &&Field| members.contains_key(field.name) && !field.is_available(source, path.role);
    if let Some(stray) = FIELDS.iter().find(is_stray) {
        return Err(unavailable(stray, path, source));
    }
    let is_set = |name: &str| members.get(name).is_some_and(|value| !value.is_null());
    let is_missing = |field: &&Field| field.mandatory_for.contains(&source) && !is_set(field.name);
    match FIELDS.iter().find(is_missing) {
        // A nested embedder is reported by the name of the outer one.
        Some(missing) => Err(settings_error(format!(
            "`.embedders.{}`: Missing field `{}` (note: this field is mandatory for source `{}`)",
            path.name,
            missing.name,
            source.name()
        ))),
        None => Ok(()),
    }
}

/// Checks that a nested embedder names a source that may be nested.
pub(crate) fn check_nested_source(
    path: EmbedderPath<'_>,
    members: &Members,
) -> Result<SourceKind, ServiceError> {
    match SourceKind::of(members) {
        None => Err(settings_error(format!(
            "`.embedders.{path}`: Missing field `source`.\n  - note: this field is mandatory for \
             nested embedders"
        ))),
        Some(source @ (UserProvided | Composite)) => {
            let name = source.name();
            let reason = format!("Source `{name}` is not available in a nested embedder");
            Err(path.error("source", reason))
        }
        Some(source) => Ok(source),
    }
}

fn unavailable(field: &Field, path: EmbedderPath<'_>, source: SourceKind) -> ServiceError {
    let (name, role) = (field.name, path.role);
    let of = format!("source `{}`{}", source.name(), role.words());
    let mut message = format!("`.embedders.{path}`: Field `{name}` unavailable for {of}.");
    let sources = SourceKind::ALL.into_iter().filter(|other| field.is_available(*other, role));
    let sources = list(sources.map(SourceKind::name));
    if !sources.is_empty() {
        message += &format!("\n  - note: `{name}` is available for sources: {sources}");
    }
    let fields = FIELDS.iter().filter(|other| other.is_available(source, role));
    let fields = list(fields.map(|other| other.name));
    message += &format!("\n  - note: available fields for {of}: {fields}");
    if field.is_available(source, Role::Everything) {
        let elsewhere = format!("source `{}` is not{}", source.name(), role.words());
        message += &format!("\n  - note: `{name}` is available when {elsewhere}");
    }
    settings_error(message)
}

fn list(names: impl Iterator<Item = &'static str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
