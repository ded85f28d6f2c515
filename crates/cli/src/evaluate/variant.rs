//! The one or two search variants that are evaluated, and the results of each.

use clap::ArgMatches;
use serde_json::{Map, Value};

use super::judged::JudgedQueries;
use super::metrics::Values;
use super::query_runner::{Answers, QueryRunner, check_body};
use super::read;
use super::temporary_index::TemporaryIndex;
use crate::arguments;
use crate::error::CliError;
use crate::server::{Server, ServerArgs};

const MOST: usize = 2;
const NAMES: [&str; MOST] = ["first", "second"];

/// A search variant as given on the command line.
#[derive(Debug)]
pub(super) struct Variant {
    pub(super) name: &'static str,
    pub(super) body: Map<String, Value>,
    /// Changed settings; `None` searches the index itself.
    pub(super) settings: Option<Map<String, Value>>,
}

/// Reads the variants: one body for both, or one for each. A single `--settings` belongs to the
/// second; the first is the unchanged index.
pub(super) fn variants(matches: &ArgMatches) -> Result<Vec<Variant>, CliError> {
    let objects = |option: &str| -> Result<Vec<Map<String, Value>>, CliError> {
        let given = arguments::list(matches, option);
        if given.len() > MOST {
            return Err(CliError::Usage(format!("--{option} can be given at most twice")));
        }
        given.iter().map(|given| read::object(option, given)).collect()
    };
    let (mut bodies, settings) = (objects("body")?, objects("settings")?);
    for body in &bodies {
        check_body(body)?;
    }
    let is_comparison = bodies.len() == MOST || !settings.is_empty();
    if bodies.is_empty() {
        bodies.push(Map::new());
    }
    let mut settings: Vec<_> = settings.into_iter().map(Some).collect();
    if settings.len() < MOST {
        settings.insert(0, None);
    }
    let results = if is_comparison { MOST } else { 1 };
    let body = |args: usize| bodies[args.min(bodies.len() - 1)].clone();
    let settings = settings.into_iter().chain([None]).take(results).enumerate();
    Ok(settings
        .map(|(args, settings)| Variant { name: NAMES[args], body: body(args), settings })
        .collect())
}

/// Everything that the variants share.
#[derive(Debug, Clone, Copy)]
pub(super) struct VariantContext<'a> {
    pub(super) server: &'a Server,
    pub(super) args: &'a ServerArgs,
    pub(super) index: &'a str,
    pub(super) primary_key: &'a str,
}

/// The metrics and times of one variant, query by query.
#[derive(Debug)]
pub(super) struct VariantResult {
    pub(super) variant: Variant,
    pub(super) values: Vec<Values>,
    pub(super) milliseconds: Vec<f64>,
}

impl VariantResult {
    pub(super) fn run(
        variant: Variant,
        context: &VariantContext<'_>,
        judged: &JudgedQueries,
        cut: usize,
    ) -> Result<Self, CliError> {
        let VariantContext { server, args, index, primary_key } = *context;
        let copy = variant
            .settings
            .as_ref()
            .map(|changes| TemporaryIndex::make(server, args, index, primary_key, changes));
        let copy = copy.transpose()?;
        let runner = QueryRunner {
            name: variant.name,
            index: copy.as_ref().map_or(index, TemporaryIndex::uid),
            primary_key,
            body: &variant.body,
            cut,
        };
        let Answers { hits, times } = runner.run(server, &judged.queries())?;
        if let Some(copy) = copy {
            copy.delete();
        }
        let values =
            hits.iter().zip(judged.grades()).map(|(hits, grades)| Values::of(hits, grades, cut));
        let milliseconds = times.iter().map(|time| time.as_secs_f64() * 1000.0);
        Ok(Self { values: values.collect(), milliseconds: milliseconds.collect(), variant })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(options: &[&str]) -> Result<String, CliError> {
        let base = ["evaluate", "--index", "a", "--queries", "q", "--qrels", "r"];
        let matches = super::super::command().get_matches_from(base.iter().chain(options));
        let text = |object: &Map<String, Value>| Value::Object(object.clone()).to_string();
        let results = variants(&matches)?
            .iter()
            .map(|result| {
                let settings = result.settings.as_ref().map_or("as it is".to_owned(), text);
                format!("{}: {} {settings}", result.name, text(&result.body))
            })
            .collect::<Vec<_>>();
        Ok(results.join("; "))
    }

    #[test]
    fn a_second_way_is_compared_with_the_first() {
        let (one, two) = (r#"{"a":1}"#, r#"{"a":2}"#);
        for (options, expected) in [
            (vec![], "first: {} as it is".to_owned()),
            (vec!["--body", one], format!("first: {one} as it is")),
            (
                vec!["--body", one, "--body", two],
                format!("first: {one} as it is; second: {two} as it is"),
            ),
            (vec!["--settings", one], format!("first: {{}} as it is; second: {{}} {one}")),
            (
                vec!["--body", one, "--settings", one, "--settings", two],
                format!("first: {one} {one}; second: {one} {two}"),
            ),
            (
                vec!["--body", one, "--body", two, "--settings", one],
                format!("first: {one} as it is; second: {two} {one}"),
            ),
        ] {
            assert_eq!(results(&options).unwrap(), expected, "{options:?}");
        }
        assert!(results(&["--body", one, "--body", one, "--body", one]).is_err());
        assert!(results(&["--body", r#"{"q": ""}"#]).is_err());
    }
}
