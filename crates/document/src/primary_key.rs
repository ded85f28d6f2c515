//! The primary key of an index: how it is inferred, and how a dotted name finds a nested id.

use crate::id::id_in;
use crate::{Document, DocumentError};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PrimaryKey(String);

impl PrimaryKey {
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Infers the primary key: the only top-level field whose name ends with `id`, ignoring case.
    pub fn infer(first: &Document<'_>) -> Result<Self, DocumentError> {
        let mut candidates: Vec<&str> =
            first.field_names().filter(|name| name.to_lowercase().ends_with("id")).collect();
        candidates.sort_unstable();
        match candidates.as_slice() {
            [] => Err(DocumentError::NoPrimaryKeyCandidate),
            [only] => Ok(Self::new(*only)),
            [first, second, ..] => Err(DocumentError::ManyPrimaryKeyCandidates {
                count: candidates.len(),
                first: (*first).to_owned(),
                second: (*second).to_owned(),
            }),
        }
    }

    /// Returns the external id of a document, as text.
    pub fn id_of(&self, document: &Document<'_>) -> Result<String, DocumentError> {
        if !self.0.contains('.') {
            let value = document.get(&self.0).ok_or_else(|| self.missing_in(document))?;
            return id_in(value);
        }
        let mut found = Vec::new();
        collect_matches(document, &self.0, &mut found);
        match found.as_slice() {
            [] => Err(self.missing_in(document)),
            [value] => id_in(value),
            _ => Err(DocumentError::TooManyIds {
                primary_key: self.0.clone(),
                document: document.to_json(),
            }),
        }
    }

    fn missing_in(&self, document: &Document<'_>) -> DocumentError {
        DocumentError::MissingId { primary_key: self.0.clone(), document: document.to_json() }
    }
}

/// Collects the values at a path: `a.b.c` is the field `a.b.c`, or `b.c` inside `a`, or `c` inside
/// `a.b`. Arrays are not searched, since an id must be unique.
fn collect_matches(document: &Document<'_>, path: &str, found: &mut Vec<String>) {
    for (name, value) in document.fields() {
        if name == path {
            found.push(value.to_owned());
            continue;
        }
        let rest = path.strip_prefix(name).and_then(|rest| rest.strip_prefix('.'));
        if let Some(rest) = rest
            && value.starts_with('{')
            && let Ok(inner) = Document::parse(value)
        {
            collect_matches(&inner, rest, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(primary_key: &str, json: &str) -> Result<String, String> {
        let document = Document::parse(json).unwrap();
        PrimaryKey::new(primary_key).id_of(&document).map_err(|error| error.to_string())
    }

    fn inferred(json: &str) -> Result<String, String> {
        let document = Document::parse(json).unwrap();
        PrimaryKey::infer(&document)
            .map(|primary_key| primary_key.as_str().to_owned())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_only_field_that_ends_with_id_is_chosen() {
        assert_eq!(inferred(r#"{"productID":5,"name":"x"}"#).unwrap(), "productID");
        assert_eq!(inferred(r#"{"liquid":"water"}"#).unwrap(), "liquid");
        assert_eq!(inferred(r#"{"meta.id":1}"#).unwrap(), "meta.id");
        assert_eq!(
            inferred(r#"{"meta":{"id":1}}"#).unwrap_err(),
            "The primary key inference failed as the engine did not find any field ending with \
             `id` in its name. Please specify the primary key manually using the `primaryKey` \
             query parameter."
        );
        assert_eq!(
            inferred(r#"{"zid":1,"id":2,"Aid":2}"#).unwrap_err(),
            "The primary key inference failed as the engine found 3 fields ending with `id` in \
             their names: 'Aid' and 'id'. Please specify the primary key manually using the \
             `primaryKey` query parameter."
        );
    }

    #[test]
    fn a_dotted_key_matches_nested_and_flat_names_once() {
        for json in [
            r#"{"a":{"b":{"c":1}}}"#,
            r#"{"a.b.c":1}"#,
            r#"{"a.b":{"c":1}}"#,
            r#"{"a":{"b.c":1}}"#,
            r#"{"a":{"b":{"c":2,"c":1}},"a.b":3}"#,
        ] {
            assert_eq!(id("a.b.c", json).as_deref(), Ok("1"), "{json}");
        }
        assert_eq!(
            id("meta.id", r#"{"meta":{"id":3},"meta.id":4}"#).unwrap_err(),
            r#"Document have too many matching `meta.id` attribute: `{"meta":{"id":3},"meta.id":4}`."#
        );
        for json in [r#"{"meta":{"other":1}}"#, r#"{"meta":5}"#, r#"{"meta":[{"id":6}]}"#] {
            assert_eq!(
                id("meta.id", json).unwrap_err(),
                format!("Document doesn't have a `meta.id` attribute: `{json}`.")
            );
        }
        let error = id("meta.id", r#"{"meta":{"id":{"x":1}}}"#).unwrap_err();
        assert!(error.starts_with(r#"Document identifier `{"x":1}` is invalid."#));
    }

    #[test]
    fn a_document_without_the_key_is_shown_compact() {
        assert_eq!(
            id("", r#"{ "id": 1, "n": {"a": [1, 2]} }"#).unwrap_err(),
            r#"Document doesn't have a `` attribute: `{"id":1,"n":{"a":[1,2]}}`."#
        );
        assert_eq!(id("", r#"{"":"x"}"#).as_deref(), Ok("x"));
    }
}
