//! Asks the server one query after another, and keeps the ids of the hits and the times.

use std::time::{Duration, Instant};

use outbound::Method;
use serde_json::{Map, Value};

use super::read::Query;
use crate::error::CliError;
use crate::progress::Progress;
use crate::server::{Server, segment};

/// What a body must not have, because the evaluation sets it, with the reason.
const RESERVED: [(&str, &str); 1] = [("q", "the queries come from --queries")];

/// Checks a search body before anything is asked.
pub(super) fn check_body(body: &Map<String, Value>) -> Result<(), CliError> {
    match RESERVED.iter().find(|(name, _)| body.contains_key(*name)) {
        None => Ok(()),
        Some((name, why)) => Err(CliError::Usage(format!("--body must not have `{name}`: {why}"))),
    }
}

/// One way to search: an index, and what every search has beside its words.
#[derive(Debug)]
pub(super) struct Asking<'a> {
    pub(super) name: &'a str,
    pub(super) index: &'a str,
    pub(super) primary_key: &'a str,
    pub(super) body: &'a Map<String, Value>,
    pub(super) cut: usize,
}

/// What the server answered to all queries, in their order.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// Ids, best first.
    pub(super) hits: Vec<Vec<String>>,
    pub(super) times: Vec<Duration>,
}

impl Asking<'_> {
    /// One at a time, so that a time is that of one search.
    pub(super) fn run(&self, server: &Server, queries: &[&Query]) -> Result<Answers, CliError> {
        let path = format!("/indexes/{}/search", segment(self.index));
        let mut progress = Progress::of_queries(self.name, queries.len() as u64);
        let mut answers = Answers::default();
        for query in queries {
            let body = self.search(&query.text);
            let start = Instant::now();
            let answer: Value = server
                .send(Method::Post, &path, &body)
                .map_err(|failure| of_query(query, failure))?;
            answers.times.push(start.elapsed());
            answers.hits.push(self.ids(&answer)?);
            progress.answered(answers.hits.len() as u64);
        }
        Ok(answers)
    }

    /// The body may choose how many hits there are; which fields come is of no use here.
    fn search(&self, text: &str) -> Value {
        let mut search = self.body.clone();
        search.insert("q".to_owned(), text.into());
        if !search.contains_key("hitsPerPage") && !search.contains_key("page") {
            search.entry("limit").or_insert_with(|| self.cut.into());
        }
        search.insert("attributesToRetrieve".to_owned(), vec![self.primary_key].into());
        search.into()
    }

    fn ids(&self, answer: &Value) -> Result<Vec<String>, CliError> {
        let hits = answer["hits"].as_array().map(Vec::as_slice).unwrap_or_default();
        let id = |hit: &Value| document::document_id(hit.get(self.primary_key)?).ok();
        hits.iter().take(self.cut).map(id).collect::<Option<_>>().ok_or_else(|| {
            CliError::Failed(format!(
                "hits do not show their `{}`: displayedAttributes must have the primary key",
                self.primary_key
            ))
        })
    }
}

/// A search that the server refuses is named. What stops every search speaks for itself.
fn of_query(query: &Query, failure: CliError) -> CliError {
    match failure {
        CliError::Refused { status, code, message } if status == 400 => {
            let message = format!("query `{}`: {message}", query.id);
            CliError::Refused { status, code, message }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asking(body: &Map<String, Value>) -> Asking<'_> {
        Asking { name: "", index: "a", primary_key: "sku", body, cut: 2 }
    }

    #[test]
    fn bodies_get_words_a_limit_and_the_primary_key() {
        for (body, limit) in [
            (json!({"filter": "a = 1"}), json!(2)),
            (json!({"limit": 1}), json!(1)),
            (json!({"hitsPerPage": 5}), Value::Null),
        ] {
            let body = body.as_object().unwrap();
            let search = asking(body).search("words ");
            assert_eq!((&search["q"], &search["limit"]), (&json!("words "), &limit));
            assert_eq!(search["attributesToRetrieve"], json!(["sku"]));
        }
        assert!(check_body(json!({"q": "a"}).as_object().unwrap()).is_err());
    }

    #[test]
    fn ids_are_texts_or_numbers() {
        let body = Map::new();
        let ids = |hits: Value| asking(&body).ids(&json!({ "hits": hits }));
        assert_eq!(ids(json!([{"sku": 7}, {"sku": "b"}, {"sku": 9}])).unwrap(), ["7", "b"]);
        assert!(ids(json!([{}])).is_err());
    }
}
