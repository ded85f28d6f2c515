//! Documents that lack vectors which nobody but the user can provide.

use model::ServiceError;

use super::failure::documents_failure;

/// Names that differ in so many letters may be mistakes for each other.
const LIKELY_TYPO: usize = 2;

/// Of one embedder.
#[derive(Debug, Default)]
pub(crate) struct Missing {
    first: Option<String>,
    others: u64,
    /// A name that was given instead, and in how many documents.
    mistaken: Option<(String, u64)>,
}

impl Missing {
    /// `other_names` are those for which the document brought vectors and which are no embedder.
    pub fn add<'n>(
        &mut self,
        id: &str,
        embedder: &str,
        mut other_names: impl Iterator<Item = &'n str>,
    ) {
        match self.first {
            None => self.first = Some(id.to_owned()),
            Some(_) => self.others += 1,
        }
        match &mut self.mistaken {
            Some((name, count)) if other_names.any(|other| other == *name) => *count += 1,
            Some(_) => {}
            none => {
                let similar = other_names.find(|other| is_similar(other, embedder));
                *none = similar.map(|name| (name.to_owned(), 1));
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
            Some((name, count)) => format!(
                "try replacing `_vectors.{name}` by `_vectors.{embedder}` in {count} document(s)."
            ),
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

fn is_similar(name: &str, embedder: &str) -> bool {
    let is_long = embedder.chars().count() > LIKELY_TYPO;
    name.to_lowercase() == embedder.to_lowercase()
        || is_long && strsim::damerau_levenshtein(name, embedder) <= LIKELY_TYPO
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_document_is_named_and_the_others_are_counted() {
        let mut missing = Missing::default();
        assert!(missing.check("hand").is_ok());
        for id in ["1", "2", "3", "4"] {
            missing.add(id, "hand", ["else"].into_iter());
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
        let mut missing = Missing::default();
        missing.add("1", "hand", ["x", "Hand"].into_iter());
        missing.add("2", "hand", ["Hand"].into_iter());
        let error = missing.check("hand").unwrap_err();
        assert!(
            error.message.ends_with(
                "- Hint: try replacing `_vectors.Hand` by `_vectors.hand` in 2 document(s)."
            ),
            "{}",
            error.message
        );
    }
}
