//! Formats and parses the file names of an index folder. Numbers only grow: no name is reused.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileName {
    /// `manifest-42`
    Manifest(u64),
    /// `manifest-42.tmp`: a manifest before the rename that makes it current.
    ManifestDraft(u64),
    /// `17.documents.1`: a component of a segment, with its generation.
    Component { segment: u64, component: String, generation: u64 },
    /// `vectors-3.graph.17`: a file of the vectors of an embedder.
    Vectors { store: u64, kind: String, generation: u64 },
    /// `fields.42`, `settings.42`: parts that are too large for the manifest.
    Side { what: String, generation: u64 },
}

pub(crate) const DOCUMENTS: &str = "documents";
pub(crate) const TEXT: &str = "text";
pub(crate) const COLUMNS: &str = "columns";
pub(crate) const GEO: &str = "geo";
/// A temporary part of a component that is being rebuilt; never in a manifest.
pub(crate) const PART: &str = "part";
pub(crate) const DELETED: &str = "deleted";
pub(crate) const FIELDS: &str = "fields";
pub(crate) const SETTINGS: &str = "settings";
const VECTORS: &str = "vectors-";

impl FileName {
    pub fn documents(segment: u64, generation: u64) -> Self {
        Self::Component { segment, component: DOCUMENTS.to_owned(), generation }
    }

    pub fn text(segment: u64, generation: u64) -> Self {
        Self::Component { segment, component: TEXT.to_owned(), generation }
    }

    pub fn columns(segment: u64, generation: u64) -> Self {
        Self::Component { segment, component: COLUMNS.to_owned(), generation }
    }

    pub fn geo(segment: u64, generation: u64) -> Self {
        Self::Component { segment, component: GEO.to_owned(), generation }
    }

    pub fn part(segment: u64, generation: u64) -> Self {
        Self::Component { segment, component: PART.to_owned(), generation }
    }

    pub fn deleted(segment: u64, generation: u64) -> Self {
        Self::Component { segment, component: DELETED.to_owned(), generation }
    }

    pub fn fields(generation: u64) -> Self {
        Self::Side { what: FIELDS.to_owned(), generation }
    }

    pub fn settings(generation: u64) -> Self {
        Self::Side { what: SETTINGS.to_owned(), generation }
    }

    /// Returns the prefix of the file names of a vector store.
    pub fn vectors_of(store: u64) -> String {
        format!("{VECTORS}{store}")
    }

    /// Parses a name; `None` if this crate would not have produced it.
    pub fn parse(name: &str) -> Option<Self> {
        if let Some(number) = name.strip_prefix("manifest-") {
            return match number.strip_suffix(".tmp") {
                Some(number) => Some(Self::ManifestDraft(parse_number(number)?)),
                None => Some(Self::Manifest(parse_number(number)?)),
            };
        }
        let parts: Vec<&str> = name.split('.').collect();
        match parts[..] {
            [store, kind, generation] if store.starts_with(VECTORS) && is_word(kind) => {
                Some(Self::Vectors {
                    store: parse_number(store.strip_prefix(VECTORS)?)?,
                    kind: kind.to_owned(),
                    generation: parse_number(generation)?,
                })
            }
            [segment, component, generation] if is_word(component) => Some(Self::Component {
                segment: parse_number(segment)?,
                component: component.to_owned(),
                generation: parse_number(generation)?,
            }),
            [what @ (FIELDS | SETTINGS), generation] => {
                Some(Self::Side { what: what.to_owned(), generation: parse_number(generation)? })
            }
            _ => None,
        }
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Manifest(generation) => write!(f, "manifest-{generation}"),
            Self::ManifestDraft(generation) => write!(f, "manifest-{generation}.tmp"),
            Self::Component { segment, component, generation } => {
                write!(f, "{segment}.{component}.{generation}")
            }
            Self::Vectors { store, kind, generation } => {
                write!(f, "{VECTORS}{store}.{kind}.{generation}")
            }
            Self::Side { what, generation } => write!(f, "{what}.{generation}"),
        }
    }
}

/// Accepts only the form that we write: no sign, no leading zeros, and far from overflow.
fn parse_number(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number < u64::MAX / 2 && number.to_string() == text).then_some(number)
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        let names = [
            "manifest-42",
            "manifest-42.tmp",
            "17.documents.1",
            "17.deleted.42",
            "17.text.3",
            "17.columns.43",
            "17.geo.1",
            "17.part.44",
            "fields.42",
            "settings.42",
        ];
        for name in names {
            assert_eq!(FileName::parse(name).map(|name| name.to_string()).as_deref(), Some(name));
        }
    }

    #[test]
    fn other_names_are_not_ours() {
        let names =
            ["", "manifest-", "manifest-07", "manifest-1.old", "1.documents", "notes.txt", "a.b.1"];
        for name in names.iter().chain(&["+1.documents.1", "1.Documents.1", "vectors.1"]) {
            assert_eq!(FileName::parse(name), None, "{name}");
        }
    }
}
