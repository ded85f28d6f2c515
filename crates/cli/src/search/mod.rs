//! `sonde search`: runs one query and shows the hits as a table.

mod columns;

use std::io::{self, Write};
use std::time::{Duration, Instant};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use outbound::Method;
use serde_json::{Map, Value, json};

use crate::arguments;
use crate::error::{CliError, ignore_broken_pipe};
use crate::interrupt::Interrupt;
use crate::server::{Server, segment};
use crate::table::{BOLD, Cell, PLAIN, Table};
use crate::terminal::{self, counted, thousands};
use columns::Columns;

const DEFAULT_LIMIT: u64 = 20;
/// Number of values shown per facet.
const SHOWN_VALUES: usize = 12;

pub(crate) fn command() -> Command {
    Command::new("search")
        .about("Searches an index and shows the hits as a table")
        .arg(Arg::new("index").value_name("INDEX").required(true).help("Index to search"))
        .arg(Arg::new("query").value_name("QUERY").num_args(0..).help("Query text; without it, every document matches"))
        .args(arguments::server())
        .arg(Arg::new("filter").long("filter").short('f').value_name("FILTER").action(ArgAction::Append).help("Filter such as `year > 1990`; several are combined with AND"))
        .arg(Arg::new("sort").long("sort").short('s').value_name("FIELD:asc|desc").action(ArgAction::Append).help("Sort criteria, the most important first"))
        .arg(Arg::new("limit").long("limit").short('n').value_name("NUMBER").value_parser(value_parser!(u64)).help("Maximum number of hits [default: 20]"))
        .arg(Arg::new("offset").long("offset").value_name("NUMBER").value_parser(value_parser!(u64)).help("Number of hits to skip [default: 0]"))
        .arg(Arg::new("facets").long("facets").value_name("FIELD,…").value_delimiter(',').help("Fields whose values are counted, shown below the table"))
        .arg(Arg::new("attributes").long("attributes").short('a').value_name("FIELD,…").value_delimiter(',').help("Columns to show [default: as many as fit]"))
        .arg(Arg::new("hybrid").long("hybrid").value_name("EMBEDDER[:RATIO]").help("Hybrid search with this embedder; the ratio is from 0 (words only) to 1 (vectors only) [default: 0.5]"))
        .arg(Arg::new("score").long("score").action(ArgAction::SetTrue).help("Shows the ranking score of each hit, from 0 to 1"))
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Prints the JSON response instead of a table"))
}

pub(crate) fn run(matches: &ArgMatches) -> Result<(), CliError> {
    let as_json = matches.get_flag("json");
    let body = request(matches, !as_json)?;
    let server = Server::new(&arguments::server_args(matches), &Interrupt::listen())?;
    let path = format!("/indexes/{}/search", segment(&arguments::text(matches, "index")));
    let start = Instant::now();
    let answer: Value = server.send(Method::Post, &path, &body)?;
    let time = start.elapsed();
    let mut out = io::stdout().lock();
    if as_json {
        return ignore_broken_pipe(
            serde_json::to_writer_pretty(&mut out, &answer)
                .map_err(io::Error::from)
                .and_then(|()| writeln!(out)),
        );
    }
    let columns = match arguments::list(matches, "attributes") {
        named if named.is_empty() => Columns::of(&answer["hits"]),
        named => Columns::named(named),
    };
    let view = View { width: terminal::width(), styled: terminal::has_styles() };
    ignore_broken_pipe(show(
        &answer,
        &columns.with_score(matches.get_flag("score")),
        view,
        time,
        &mut out,
    ))
}

fn request(matches: &ArgMatches, marks_matches: bool) -> Result<Value, CliError> {
    let mut body = Map::new();
    body.insert("q".to_owned(), arguments::list(matches, "query").join(" ").into());
    let limit = matches.get_one::<u64>("limit").copied().unwrap_or(DEFAULT_LIMIT);
    body.insert("limit".to_owned(), limit.into());
    if let Some(offset) = matches.get_one::<u64>("offset") {
        body.insert("offset".to_owned(), (*offset).into());
    }
    for (option, field) in [
        ("filter", "filter"),
        ("sort", "sort"),
        ("facets", "facets"),
        ("attributes", "attributesToRetrieve"),
    ] {
        let values = arguments::list(matches, option);
        if !values.is_empty() {
            body.insert(field.to_owned(), values.into());
        }
    }
    if let Some(hybrid) = arguments::optional(matches, "hybrid") {
        body.insert("hybrid".to_owned(), hybrid_of(&hybrid)?);
    }
    if matches.get_flag("score") {
        body.insert("showRankingScore".to_owned(), true.into());
    }
    if marks_matches {
        body.insert("attributesToHighlight".to_owned(), json!(["*"]));
        body.insert("highlightPreTag".to_owned(), BOLD.to_string().into());
        body.insert("highlightPostTag".to_owned(), PLAIN.to_string().into());
    }
    Ok(body.into())
}

/// Parses `default` or `default:0.7`.
fn hybrid_of(text: &str) -> Result<Value, CliError> {
    let Some((embedder, ratio)) = text.rsplit_once(':') else {
        return Ok(json!({ "embedder": text }));
    };
    let number = ratio.parse::<f64>().ok().filter(|ratio| (0.0..=1.0).contains(ratio));
    let ratio = number.ok_or_else(|| {
        CliError::Usage(format!(
            "--hybrid cannot be `{text}`: expected a number from 0 to 1 after the colon"
        ))
    })?;
    Ok(json!({ "embedder": embedder, "semanticRatio": ratio }))
}

#[derive(Debug, Clone, Copy)]
struct View {
    width: usize,
    styled: bool,
}

fn show(
    answer: &Value,
    columns: &Columns,
    view: View,
    time: Duration,
    out: &mut dyn Write,
) -> io::Result<()> {
    let no_hits = Vec::new();
    let hits = answer["hits"].as_array().unwrap_or(&no_hits);
    if !hits.is_empty() {
        let mut table = Table::new(&columns.titles(hits));
        for hit in hits {
            table.row(columns.cells(hit));
        }
        let left_out = table.write(view.width, view.styled, out)?;
        if !left_out.is_empty() {
            let names: Vec<&str> = left_out.iter().map(|place| columns.name(*place)).collect();
            writeln!(out, "\nHidden columns: {}. Use --attributes to choose.", names.join(", "))?;
        }
        writeln!(out)?;
    }
    show_facets(&answer["facetDistribution"], view, out)?;
    writeln!(out, "{}", totals(answer, hits.len() as u64, time))
}

fn totals(answer: &Value, shown: u64, time: Duration) -> String {
    let total = answer["estimatedTotalHits"].as_u64().unwrap_or(shown);
    let of = if total > shown { format!(" of about {}", thousands(total)) } else { String::new() };
    let mut text = format!(
        "{}{of}, found in {} ms, answered in {} ms",
        counted(shown, "hit"),
        answer["processingTimeMs"].as_u64().unwrap_or_default(),
        time.as_millis()
    );
    if let Some(semantic) = answer["semanticHitCount"].as_u64() {
        text += &format!("; {} by meaning", thousands(semantic));
    }
    text
}

/// Writes lines such as `genre   Drama 12 · Comedy 7 · …`.
fn show_facets(facets: &Value, view: View, out: &mut dyn Write) -> io::Result<()> {
    let Some(facets) = facets.as_object().filter(|facets| !facets.is_empty()) else {
        return Ok(());
    };
    let mut table =
        Table::new(&[("facet", crate::table::Align::Left), ("values", crate::table::Align::Left)]);
    for (name, values) in facets {
        let mut counts: Vec<(&String, u64)> = values
            .as_object()
            .into_iter()
            .flatten()
            .map(|(value, count)| (value, count.as_u64().unwrap_or_default()))
            .collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let mut shown: Vec<String> = counts
            .iter()
            .take(SHOWN_VALUES)
            .map(|(value, count)| format!("{value} {}", thousands(*count)))
            .collect();
        if counts.len() > SHOWN_VALUES {
            shown.push(format!("and {} more", thousands((counts.len() - SHOWN_VALUES) as u64)));
        }
        table.row(vec![Cell::new(name), Cell::new(&shown.join(" · "))]);
    }
    table.write(view.width, view.styled, out)?;
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::columns::cell_text;
    use super::*;

    fn shown(answer: &Value, named: &[&str], width: usize) -> String {
        let columns = if named.is_empty() {
            Columns::of(&answer["hits"])
        } else {
            Columns::named(named.iter().map(|name| (*name).to_owned()).collect())
        };
        let mut out = Vec::new();
        let view = View { width, styled: false };
        show(answer, &columns, view, Duration::from_millis(7), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn hits_facets_and_times_are_shown() {
        let answer = json!({
            "hits": [
                {"id": 1, "title": "Carol", "tags": ["a", "b"], "_formatted": {"id": "1", "title": "\u{2}Car\u{3}ol", "tags": ["a", "b"]}},
                {"id": 20, "title": "A day", "year": 1999.5, "_formatted": {"id": "20", "title": "A day", "year": "1999.5"}}
            ],
            "estimatedTotalHits": 1200,
            "processingTimeMs": 3,
            "facetDistribution": {"tags": {"a": 2, "b": 1300}}
        });
        assert_eq!(
            shown(&answer, &[], 80),
            "id  title  tags    year\n 1  Carol  a, b\n20  A day        1999.5\n\n\
             facet  values\ntags   b 1,300 · a 2\n\n\
             2 hits of about 1,200, found in 3 ms, answered in 7 ms\n"
        );
        assert!(shown(&answer, &["title"], 80).starts_with("title\nCarol\nA day\n"));
        assert!(shown(&answer, &[], 13).contains("Hidden columns: tags, year."));
    }

    #[test]
    fn no_hit_is_said_in_one_line() {
        let answer = json!({"hits": [], "estimatedTotalHits": 0, "processingTimeMs": 0});
        assert_eq!(shown(&answer, &[], 80), "0 hits, found in 0 ms, answered in 7 ms\n");
    }

    #[test]
    fn hybrid_takes_a_ratio() {
        assert_eq!(hybrid_of("e").unwrap(), json!({"embedder": "e"}));
        assert_eq!(hybrid_of("e:0.7").unwrap(), json!({"embedder": "e", "semanticRatio": 0.7}));
        assert!(hybrid_of("e:2").is_err() && hybrid_of("e:x").is_err());
    }

    #[test]
    fn values_are_shown_without_the_signs_of_json() {
        assert_eq!(cell_text(&json!(["a", 2, null])), "a, 2, ");
        assert_eq!(cell_text(&json!({"lat": 1.5, "n": {"a": [1]}})), "lat: 1.5, n: {a: 1}");
    }
}
