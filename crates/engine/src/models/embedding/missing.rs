//! Documents without vectors that only the user can provide.

use document::{Document, VECTORS_FIELD};
use model::ServiceError;
use text::is_likely_typo;

use super::failure::documents_failure;

/// Documents without vectors of one embedder.
#[derive(Debug, Default)]
pub(crate) struct MissingVectors {
    first: Option<String>,
    others: u64,
    mistaken: Option<LikelyTypo>,
}

/// A probable typo, and the number of documents with it.
#[derive(Debug)]
struct LikelyTypo {
    name: MisspelledName,
    documents: u64,
}

#[derive(Debug)]
enum MisspelledName {
    /// Name of an embedder inside `_vectors`.
    Embedder(String),
    /// Name of a field in place of `_vectors`.
    Field(String),
}

impl MissingVectors {
    /// Adds a document. `other_names` are names inside `_vectors` that are no embedder.
    pub fn add<'n>(
        &mut self,
        id: &str,
        embedder: &str,
        mut other_names: impl Iterator<Item = &'n str>,
        document: &Document<'_>,
    ) {
        match self.first {
            None => self.first = Some(id.to_owned()),
            Some(_) => self.others += 1,
        }
        match &mut self.mistaken {
            Some(LikelyTypo { name, documents }) => {
                let is_there = match name {
                    MisspelledName::Embedder(name) => other_names.any(|other| other == *name),
                    MisspelledName::Field(name) => document.get(name).is_some(),
                };
                *documents += u64::from(is_there);
            }
            none => {
                let of_embedder = other_names.find(|other| is_likely_typo(other, embedder));
                let of_embedder = of_embedder.map(|name| MisspelledName::Embedder(name.to_owned()));
                let name = of_embedder.or_else(|| mistaken_field(document));
                *none = name.map(|name| LikelyTypo { name, documents: 1 });
            }
        }
    }

    pub fn check(&self, embedder: &str) -> Result<(), ServiceError> {
        let Some(first) = &self.first else {
            return Ok(());
        };
        let others = match self.others {
            0 => String::new(),
            count => format!(" and at least {count} other document(s)"),
        };
        let hint = match &self.mistaken {
            Some(LikelyTypo { name: MisspelledName::Embedder(name), documents }) => format!(
                "try replacing `_vectors.{name}` by `_vectors.{embedder}` in {documents} document(s)."
            ),
            Some(LikelyTypo { name: MisspelledName::Field(name), documents }) => {
                format!("try replacing `{name}` by `_vectors` in {documents} document(s).")
            }
            None => format!("opt-out for a document with `_vectors.{embedder}: null`"),
        };
        Err(documents_failure(
            embedder,
            format!(
                "no vectors provided for document `{first}`{others}\n- Note: `{embedder}` has \
                 `source: userProvided`, so documents must provide embeddings as an array in \
                 `_vectors.{embedder}`.\n- Hint: {hint}"
            ),
        ))
    }
}

/// Looks for a typo of `_vectors`, unless the document has that field.
fn mistaken_field(document: &Document<'_>) -> Option<MisspelledName> {
    if document.get(VECTORS_FIELD).is_some() {
        return None;
    }
    let mut names = document.field_names();
    let name = names.find(|name| is_likely_typo(name, VECTORS_FIELD))?;
    Some(MisspelledName::Field(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(json: &str) -> Document<'_> {
        Document::parse(json).unwrap()
    }

    #[test]
    fn the_first_document_is_named_and_the_others_are_counted() {
        let mut missing = MissingVectors::default();
        assert!(missing.check("hand").is_ok());
        for id in ["1", "2", "3", "4"] {
            missing.add(id, "hand", ["else"].into_iter(), &document(r#"{"id": 1, "v": 2}"#));
        }
        let error = missing.check("hand").unwrap_err();
        assert_eq!(
            error.message,
            "While embedding documents for embedder `hand`: no vectors provided for document `1` \
             and at least 3 other document(s)\n- Note: `hand` has `source: userProvided`, so \
             documents must provide embeddings as an array in `_vectors.hand`.\n- Hint: opt-out \
             for a document with `_vectors.hand: null`"
        );
    }

    #[test]
    fn a_name_that_was_meant_is_suggested() {
        let mut missing = MissingVectors::default();
        let given = document(r#"{"_vectors": {}, "_vector": {}}"#);
        missing.add("1", "hand", ["x", "Hand"].into_iter(), &given);
        missing.add("2", "hand", ["Hand"].into_iter(), &given);
        let error = missing.check("hand").unwrap_err();
        assert!(
            error.message.ends_with(
                "- Hint: try replacing `_vectors.Hand` by `_vectors.hand` in 2 document(s)."
            ),
            "{}",
            error.message
        );
    }

    #[test]
    fn a_typo_in_the_name_of_the_field_is_suggested_too() {
        let mut missing = MissingVectors::default();
        for (id, json) in [
            ("1", r#"{"_vector": {"hand": [1]}}"#),
            ("2", r#"{"name": "x"}"#),
            ("3", r#"{"_vector": {"hand": [2]}}"#),
        ] {
            missing.add(id, "hand", std::iter::empty(), &document(json));
        }
        let error = missing.check("hand").unwrap_err();
        assert!(
            error
                .message
                .ends_with("- Hint: try replacing `_vector` by `_vectors` in 2 document(s)."),
            "{}",
            error.message
        );
    }
}
