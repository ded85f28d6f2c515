//! The queries that can be evaluated, with the grades of their documents.

use std::collections::{BTreeSet, HashSet};

use outbound::Method;
use serde_json::{Value, json};

use super::metrics::Grades;
use super::read::{Judgements, Query};
use crate::error::CliError;
use crate::server::{Server, segment};
use crate::terminal::{counted, thousands};

/// Number of ids looked up in one request.
const TOGETHER: usize = 1000;
/// Number of missing documents listed in the warning.
const NAMED: usize = 5;

#[derive(Debug)]
pub(super) struct JudgedQueries {
    /// In the order of the query file.
    entries: Vec<(Query, Grades)>,
    /// Number of queries without a relevant document.
    pub(super) skipped: usize,
    /// Number of judged queries that are missing from the query file.
    pub(super) unmatched: usize,
}

impl JudgedQueries {
    pub(super) fn of(queries: Vec<Query>, mut judgements: Judgements) -> Result<Self, CliError> {
        let all = queries.len();
        let mut entries = Vec::new();
        for query in queries {
            let Some(grades) = judgements.remove(&query.id) else { continue };
            if grades.values().any(|grade| *grade > 0.0) {
                entries.push((query, grades));
            }
        }
        if entries.is_empty() {
            return Err(CliError::Failed(format!(
                "none of the {} has a judged document with a grade above 0: do --queries and \
                 --qrels have the same ids?",
                counted_queries(all)
            )));
        }
        Ok(Self { skipped: all - entries.len(), unmatched: judgements.len(), entries })
    }

    pub(super) fn queries(&self) -> Vec<&Query> {
        self.entries.iter().map(|(query, _)| query).collect()
    }

    pub(super) fn grades(&self) -> impl Iterator<Item = &Grades> {
        self.entries.iter().map(|(_, grades)| grades)
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Warns about relevant documents that no search can find because the index lacks them.
    pub(super) fn warn_of_missing(
        &self,
        server: &Server,
        index: &str,
        primary_key: &str,
    ) -> Result<(), CliError> {
        let relevant = self.relevant();
        let missing = match missing(server, index, primary_key, &relevant) {
            Ok(missing) => missing,
            // A search-only key is enough for an evaluation.
            Err(failure) if failure.code() == "invalid_api_key" => {
                eprintln!(
                    "warning: this key may not read documents, so judged documents missing from \
                     the index are not reported"
                );
                return Ok(());
            }
            Err(failure) => return Err(failure),
        };
        if missing.len() == relevant.len() {
            return Err(CliError::Failed(format!(
                "none of the {} with a grade above 0 is in `{index}`",
                counted(relevant.len() as u64, "document")
            )));
        }
        if !missing.is_empty() {
            let named: Vec<&str> = missing.iter().take(NAMED).copied().collect();
            let more = if missing.len() > NAMED { ", …" } else { "" };
            eprintln!(
                "warning: {} of {} with a grade above 0 {} not in `{index}`: {}{more}",
                thousands(missing.len() as u64),
                counted(relevant.len() as u64, "document"),
                if missing.len() == 1 { "is" } else { "are" },
                named.join(", ")
            );
        }
        Ok(())
    }

    fn relevant(&self) -> BTreeSet<&str> {
        let grades = self.grades().flatten();
        grades.filter(|(_, grade)| **grade > 0.0).map(|(id, _)| id.as_str()).collect()
    }
}

pub(super) fn counted_queries(number: usize) -> String {
    let noun = if number == 1 { "query" } else { "queries" };
    format!("{} {noun}", thousands(number as u64))
}

fn missing<'a>(
    server: &Server,
    index: &str,
    primary_key: &str,
    ids: &BTreeSet<&'a str>,
) -> Result<Vec<&'a str>, CliError> {
    let path = format!("/indexes/{}/documents/fetch", segment(index));
    // The server refuses a list that contains an invalid id.
    let possible: Vec<&str> =
        ids.iter().copied().filter(|id| document::check_document_id(id)).collect();
    let mut found = HashSet::new();
    for some in possible.chunks(TOGETHER) {
        let body = json!({ "ids": some, "limit": some.len(), "fields": [primary_key] });
        let page: Value = server.send(Method::Post, &path, &body)?;
        let documents = page["results"].as_array().into_iter().flatten();
        let ids = documents.filter_map(|document| document.get(primary_key));
        found.extend(ids.filter_map(|id| document::document_id(id).ok()));
    }
    Ok(ids.iter().copied().filter(|id| !found.contains(*id)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_without_a_good_document_are_left_out() {
        let query = |id: &str| Query { id: id.to_owned(), text: String::new() };
        let judgements = |pairs: &[(&str, f64)]| -> Judgements {
            let grades = |grade: f64| Grades::from([("a".to_owned(), grade)]);
            pairs.iter().map(|(id, grade)| ((*id).to_owned(), grades(*grade))).collect()
        };
        let queries = || vec![query("1"), query("2"), query("3")];
        let judged =
            JudgedQueries::of(queries(), judgements(&[("1", 0.0), ("2", 1.0), ("9", 1.0)]))
                .unwrap();
        assert_eq!((judged.len(), judged.skipped, judged.unmatched), (1, 2, 1));
        assert_eq!(judged.queries(), [&query("2")]);
        assert!(JudgedQueries::of(queries(), judgements(&[("9", 1.0)])).is_err());
    }
}
