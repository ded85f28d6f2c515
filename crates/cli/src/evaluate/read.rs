//! Reads the inputs of an evaluation: queries, judgements, and JSON given inline or in a file.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use super::metrics::Grades;
use crate::error::CliError;

/// The gain is 2 to the power of the grade, so larger grades would drown all others.
const LARGEST_GRADE: f64 = 30.0;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Query {
    pub(super) id: String,
    pub(super) text: String,
}

/// Query id → grades of documents.
pub(super) type Judgements = HashMap<String, Grades>;

/// Reads queries: a heading line, then id, tab and text per line; or NDJSON. Texts are not trimmed:
/// a trailing space tells the server that the last word is complete.
pub(super) fn queries(path: &Path, judgements: &Judgements) -> Result<Vec<Query>, CliError> {
    let file = Lines::open(path)?;
    let is_json = file.lines().next().is_some_and(|(_, line)| line.starts_with('{'));
    let mut queries = Vec::new();
    let mut seen = HashMap::new();
    for (place, (number, line)) in file.lines().enumerate() {
        let query = if is_json { json_query(line) } else { tsv_query(line) };
        let query = query.map_err(|why| file.wrong(number, &why))?;
        if place == 0 && !is_json {
            if judgements.contains_key(&query.id) {
                return Err(file.wrong(number, "expected a heading line such as `id`, tab, `text`"));
            }
            continue;
        }
        if let Some(before) = seen.insert(query.id.clone(), number) {
            let why = format!("query `{}` is in line {before} already", query.id);
            return Err(file.wrong(number, &why));
        }
        queries.push(query);
    }
    if queries.is_empty() {
        return Err(CliError::Failed(format!("{} has no query", file.name)));
    }
    Ok(queries)
}

fn tsv_query(line: &str) -> Result<Query, String> {
    let (id, text) =
        line.split_once('\t').ok_or("expected the id of a query, a tab, and its text")?;
    Ok(Query { id: id.trim().to_owned(), text: text.to_owned() })
}

fn json_query(line: &str) -> Result<Query, String> {
    let object: Map<String, Value> =
        serde_json::from_str(line).map_err(|error| error.to_string())?;
    let member = |names: &[&str]| names.iter().find_map(|name| object.get(*name));
    let id = member(&["id", "_id"]).ok_or("expected a member `id`")?;
    let text = member(&["text", "q"]).and_then(Value::as_str).ok_or("expected a text in `text`")?;
    let id = match id {
        Value::String(id) => id.clone(),
        Value::Number(id) => id.to_string(),
        _ => return Err("expected a text or a number in `id`".to_owned()),
    };
    Ok(Query { id, text: text.to_owned() })
}

/// Reads judgements: lines of query, document and grade, or the TREC format with an unused second
/// column. The first line may be a heading.
pub(super) fn judgements(path: &Path) -> Result<Judgements, CliError> {
    let file = Lines::open(path)?;
    let mut judgements = Judgements::new();
    for (place, (number, line)) in file.lines().enumerate() {
        let columns: Vec<&str> = if line.contains('\t') {
            line.split('\t').map(str::trim).collect()
        } else {
            line.split_whitespace().collect()
        };
        let (query, document, grade) = match columns[..] {
            [query, document, grade] | [query, _, document, grade] => (query, document, grade),
            _ => {
                let found = columns.len();
                let why = format!(
                    "expected query, document and grade, or TREC's 4 columns; found {found}"
                );
                return Err(file.wrong(number, &why));
            }
        };
        let grade = match grade.parse::<f64>() {
            Ok(grade) if grade.is_finite() && grade <= LARGEST_GRADE => grade.max(0.0),
            Err(_) if place == 0 => continue,
            _ => {
                let why =
                    format!("the grade is `{grade}`: expected a number of at most {LARGEST_GRADE}");
                return Err(file.wrong(number, &why));
            }
        };
        let grades = judgements.entry(query.to_owned()).or_default();
        let before = grades.insert(document.to_owned(), grade);
        if before.is_some_and(|before| before.total_cmp(&grade).is_ne()) {
            let why =
                format!("document `{document}` has another grade for query `{query}` already");
            return Err(file.wrong(number, &why));
        }
    }
    if judgements.is_empty() {
        return Err(CliError::Failed(format!("{} has no judgement", file.name)));
    }
    Ok(judgements)
}

/// Reads a JSON object given inline or as `@file`.
pub(super) fn object(option: &str, given: &str) -> Result<Map<String, Value>, CliError> {
    let (name, text) = match given.strip_prefix('@') {
        Some(path) => {
            (path.to_owned(), fs::read_to_string(path).map_err(CliError::io(path.to_owned()))?)
        }
        None => (format!("--{option}"), given.to_owned()),
    };
    serde_json::from_str(&text).map_err(|error| {
        CliError::Usage(format!(
            "{name}: expected a JSON object, or @ and the name of a file: {error}"
        ))
    })
}

/// A text file; errors name the line.
struct Lines {
    name: String,
    text: String,
}

impl Lines {
    fn open(path: &Path) -> Result<Self, CliError> {
        let name = path.display().to_string();
        let text = fs::read_to_string(path).map_err(CliError::io(name.clone()))?;
        Ok(Self { name, text })
    }

    /// Iterates over the lines that are not blank, with their numbers.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let text = self.text.strip_prefix('\u{feff}').unwrap_or(&self.text);
        let lines = text.lines().enumerate().map(|(place, line)| (place + 1, line));
        lines.filter(|(_, line)| !line.trim().is_empty())
    }

    fn wrong(&self, line: usize, why: &str) -> CliError {
        CliError::Failed(format!("{}:{line}: {why}", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        file
    }

    fn read_judgements(text: &str) -> Result<Judgements, String> {
        judgements(file(text).path()).map_err(|error| error.to_string())
    }

    fn read_queries(text: &str, judged: &str) -> Result<Vec<Query>, String> {
        let judged = read_judgements(judged).unwrap();
        queries(file(text).path(), &judged).map_err(|error| error.to_string())
    }

    #[test]
    fn judgements_have_three_columns_or_those_of_trec() {
        let grades = |pairs: &[(&str, f64)]| -> Grades {
            pairs.iter().map(|(id, grade)| ((*id).to_owned(), *grade)).collect()
        };
        for text in [
            "query\tdocument\tgrade\nq 1\ta\t2\nq 1\tb\t-1\n",
            "\u{feff}q 1\ta\t2\r\n\r\nq 1\tb\t0\r\n",
        ] {
            assert_eq!(read_judgements(text).unwrap()["q 1"], grades(&[("a", 2.0), ("b", 0.0)]));
        }
        let trec = read_judgements("101 0 FT-1  1\n102\tQ0\tFT-2\t0\n").unwrap();
        assert_eq!(trec["101"], grades(&[("FT-1", 1.0)]));
        assert_eq!(trec["102"], grades(&[("FT-2", 0.0)]));
    }

    #[test]
    fn wrong_judgements_are_told_with_their_line() {
        for (text, told) in [
            ("q a 1\nq a\n", ":2: expected query, document and grade"),
            ("q a 1\nq b high\n", ":2: the grade is `high`"),
            ("q a 1\nq b 31\n", ":2: the grade is `31`"),
            ("q a 1\nq b NaN\n", ":2: the grade is `NaN`"),
            ("q a 1\n\nq a 2\n", ":3: document `a` has another grade"),
            ("query document grade\n", " has no judgement"),
        ] {
            let error = read_judgements(text).unwrap_err();
            assert!(error.contains(told), "{text:?}: {error}");
        }
        assert!(read_judgements("q a 1\nq a 1\n").is_ok());
    }

    #[test]
    fn queries_are_lines_or_objects() {
        let expected = [
            Query { id: "1".to_owned(), text: "why is the sky blue?".to_owned() },
            Query { id: "b".to_owned(), text: "tabs\tstay".to_owned() },
        ];
        let lines = "id\ttext\n1\twhy is the sky blue?\nb\ttabs\tstay\n";
        let objects = "{\"id\": 1, \"text\": \"why is the sky blue?\"}\n{\"_id\": \"b\", \"q\": \"tabs\\tstay\"}\n";
        assert_eq!(read_queries(lines, "1 a 1").unwrap(), expected);
        assert_eq!(read_queries(objects, "1 a 1").unwrap(), expected);
    }

    #[test]
    fn wrong_queries_are_told_with_their_line() {
        for (text, told) in [
            ("1\tfirst\n2\tsecond\n", ":1: expected a heading line"),
            ("id\ttext\nno tab\n", ":2: expected the id of a query, a tab"),
            ("id\ttext\n2\ta\n2\tb\n", ":3: query `2` is in line 2 already"),
            ("{\"id\": 1, \"text\": \"a\"}\n{\"text\": \"a\"}\n", ":2: expected a member `id`"),
            ("{\"id\": [], \"text\": \"a\"}\n", ":1: expected a text or a number"),
            ("id\ttext\n", " has no query"),
        ] {
            let error = read_queries(text, "1 a 1").unwrap_err();
            assert!(error.contains(told), "{text:?}: {error}");
        }
    }

    #[test]
    fn json_is_written_out_or_in_a_file() {
        let file = file("{\"a\": 1}");
        let named = format!("@{}", file.path().display());
        for given in [named.as_str(), "{\"a\": 1}"] {
            assert_eq!(object("body", given).unwrap()["a"], 1);
        }
        for wrong in ["[]", "{", "@nowhere"] {
            assert!(object("body", wrong).is_err(), "{wrong}");
        }
    }
}
