//! The one or two ways to search that an evaluation is about, and what came of each.

use clap::ArgMatches;
use serde_json::{Map, Value};

use super::ask::{Answers, Asking, check_body};
use super::copy::Copy;
use super::judged::Judged;
use super::metrics::Values;
use super::read;
use crate::arguments;
use crate::error::CliError;
use crate::server::{Place, Server};

const MOST: usize = 2;
const NAMES: [&str; MOST] = ["first", "second"];

/// One way to search, as the command line says it.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) name: &'static str,
    pub(super) body: Map<String, Value>,
    /// None searches the index itself.
    pub(super) settings: Option<Map<String, Value>>,
}

/// One body for both, or one for each. One `--settings` belongs to the second: the first is the
/// index as it is.
pub(super) fn wanted(matches: &ArgMatches) -> Result<Vec<Wanted>, CliError> {
    let objects = |option: &str| -> Result<Vec<Map<String, Value>>, CliError> {
        let given = arguments::list(matches, option);
        if given.len() > MOST {
            return Err(CliError::Usage(format!("--{option} can be given twice, not more often")));
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
    let sides = if is_comparison { MOST } else { 1 };
    let body = |place: usize| bodies[place.min(bodies.len() - 1)].clone();
    let settings = settings.into_iter().chain([None]).take(sides).enumerate();
    Ok(settings
        .map(|(place, settings)| Wanted { name: NAMES[place], body: body(place), settings })
        .collect())
}

/// What all sides have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) server: &'a Server,
    pub(super) place: &'a Place,
    pub(super) index: &'a str,
    pub(super) primary_key: &'a str,
}

/// One way to search with its values, query by query.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) wanted: Wanted,
    pub(super) values: Vec<Values>,
    pub(super) milliseconds: Vec<f64>,
}

impl Side {
    pub(super) fn run(
        wanted: Wanted,
        ground: &Ground<'_>,
        judged: &Judged,
        cut: usize,
    ) -> Result<Self, CliError> {
        let Ground { server, place, index, primary_key } = *ground;
        let copy = wanted
            .settings
            .as_ref()
            .map(|changes| Copy::make(server, place, index, primary_key, changes));
        let copy = copy.transpose()?;
        let asking = Asking {
            name: wanted.name,
            index: copy.as_ref().map_or(index, Copy::uid),
            primary_key,
            body: &wanted.body,
            cut,
        };
        let Answers { hits, times } = asking.run(server, &judged.queries())?;
        if let Some(copy) = copy {
            copy.delete();
        }
        let values =
            hits.iter().zip(judged.grades()).map(|(hits, grades)| Values::of(hits, grades, cut));
        let milliseconds = times.iter().map(|time| time.as_secs_f64() * 1000.0);
        Ok(Self { values: values.collect(), milliseconds: milliseconds.collect(), wanted })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(options: &[&str]) -> Result<String, CliError> {
        let base = ["evaluate", "--index", "a", "--queries", "q", "--qrels", "r"];
        let matches = super::super::command().get_matches_from(base.iter().chain(options));
        let text = |object: &Map<String, Value>| Value::Object(object.clone()).to_string();
        let sides = wanted(&matches)?
            .iter()
            .map(|side| {
                let settings = side.settings.as_ref().map_or("as it is".to_owned(), text);
                format!("{}: {} {settings}", side.name, text(&side.body))
            })
            .collect::<Vec<_>>();
        Ok(sides.join("; "))
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
            assert_eq!(sides(&options).unwrap(), expected, "{options:?}");
        }
        assert!(sides(&["--body", one, "--body", one, "--body", one]).is_err());
        assert!(sides(&["--body", r#"{"q": ""}"#]).is_err());
    }
}
