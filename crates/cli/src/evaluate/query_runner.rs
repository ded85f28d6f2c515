//! Runs queries one after another and records the ids of the hits and the times.

use std::time::{Duration, Instant};

use outbound::Method;
use serde_json::{Map, Value};

use super::read::Query;
use crate::error::CliError;
use crate::progress::Progress;
use crate::server::{Server, segment};

/// Search parameters that the evaluation sets itself, each with the reason given to users.
const RESERVED: [(&str, &str); 1] = [("q", "the queries come from --queries")];

/// Checks a search body before any query runs.
pub(super) fn check_body(body: &Map<String, Value>) -> Result<(), CliError> {
    match RESERVED.iter().find(|(name, _)| body.contains_key(*name)) {
        None => Ok(()),
        Some((name, why)) => Err(CliError::Usage(format!("--body must not have `{name}`: {why}"))),
    }
}

/// Runs queries against one index, with the same search parameters for each.
#[derive(Debug)]
pub(super) struct QueryRunner<'a> {
    pub(super) name: &'a str,
    pub(super) index: &'a str,
    pub(super) primary_key: &'a str,
    pub(super) body: &'a Map<String, Value>,
    pub(super) cut: usize,
}

/// Results of all queries, in their order.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// Ids of the hits of each query, best first.
    pub(super) hits: Vec<Vec<String>>,
    pub(super) times: Vec<Duration>,
}

impl QueryRunner<'_> {
    /// Runs the queries one at a time, so that each time is that of a single search.
    pub(super) fn run(&self, server: &Server, queries: &[&Query]) -> Result<Answers, CliError> {
        let path = format!("/indexes/{}/search", segment(self.index));
        let mut progress = Progress::of_queries(self.name, queries.len() as u64);
        let mut answers = Answers::default();
        for query in queries {
            let body = self.search(&query.text);
            let start = Instant::now();
            let answer: Value = server
                .send(Method::Post, &path, &body)
                .map_err(|failure| name_query(query, failure))?;
            answers.times.push(start.elapsed());
            answers.hits.push(self.ids(&answer)?);
            progress.answered(answers.hits.len() as u64);
        }
        Ok(answers)
    }

    /// Builds the search body. It may set the number of hits; only the primary key is retrieved.
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

/// Adds the query id to an error about one query; errors that affect every search stay as they are.
fn name_query(query: &Query, failure: CliError) -> CliError {
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

    fn runner(body: &Map<String, Value>) -> QueryRunner<'_> {
        QueryRunner { name: "", index: "a", primary_key: "sku", body, cut: 2 }
    }

    #[test]
    fn bodies_get_words_a_limit_and_the_primary_key() {
        for (body, limit) in [
            (json!({"filter": "a = 1"}), json!(2)),
            (json!({"limit": 1}), json!(1)),
            (json!({"hitsPerPage": 5}), Value::Null),
        ] {
            let body = body.as_object().unwrap();
            let search = runner(body).search("words ");
            assert_eq!((&search["q"], &search["limit"]), (&json!("words "), &limit));
            assert_eq!(search["attributesToRetrieve"], json!(["sku"]));
        }
        assert!(check_body(json!({"q": "a"}).as_object().unwrap()).is_err());
    }

    #[test]
    fn ids_are_texts_or_numbers() {
        let body = Map::new();
        let ids = |hits: Value| runner(&body).ids(&json!({ "hits": hits }));
        assert_eq!(ids(json!([{"sku": 7}, {"sku": "b"}, {"sku": 9}])).unwrap(), ["7", "b"]);
        assert!(ids(json!([{}])).is_err());
    }
}
