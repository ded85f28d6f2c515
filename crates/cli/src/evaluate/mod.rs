//! `sonde evaluate`: measures relevance with judged queries, and whether another search body or
//! other settings improve it.

mod judged;
mod metrics;
mod query_runner;
mod read;
mod report;
mod significance;
mod temporary_index;
mod variant;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::Value;

use crate::arguments;
use crate::error::{CliError, ignore_broken_pipe};
use crate::interrupt::Interrupt;
use crate::server::{Server, segment};
use crate::terminal;
use judged::JudgedQueries;
use report::Report;
use variant::{Variant, VariantContext, VariantResult};

pub(crate) fn command() -> Command {
    let file = |name: &'static str, help: &'static str| {
        let argument = Arg::new(name).long(name).value_name("FILE").required(true);
        argument.value_parser(value_parser!(PathBuf)).help(help)
    };
    let twice = |name: &'static str, help: &'static str| {
        let argument = Arg::new(name).long(name).value_name("JSON|@FILE");
        argument.action(ArgAction::Append).help(help)
    };
    Command::new("evaluate")
        .about("Measures search relevance and compares two variants")
        .long_about(
            "Runs queries with judged documents and shows NDCG, recall, MRR and precision. A \
             second --body, or --settings, is compared with the first variant, with the \
             probability that the difference is due to chance. Settings are tried on a copy of \
             the index, which is deleted at the end.",
        )
        .arg(
            Arg::new("index")
                .long("index")
                .short('i')
                .value_name("NAME")
                .required(true)
                .help("Index to search"),
        )
        .arg(file("queries", "Queries: a heading line, then id, tab and text per line; or NDJSON with `id` and `text`"))
        .arg(file("qrels", "Judgements: a heading line, then query, document and grade separated by tabs; or TREC format"))
        .args(arguments::server())
        .arg(twice("body", "Search parameters besides the query; a second one is compared with the first"))
        .arg(twice("settings", "Changed settings, tried on a copy of the index; a second one is compared with the first"))
        .arg(
            Arg::new("at")
                .long("at")
                .value_name("NUMBER")
                .default_value("10")
                .value_parser(value_parser!(u64).range(1..=1000))
                .help("Number of hits to evaluate"),
        )
        .arg(Arg::new("primary-key").long("primary-key").value_name("FIELD").help("Primary key of the index, for API keys that may not read indexes"))
        .arg(Arg::new("show-worst").long("show-worst").value_name("NUMBER").value_parser(value_parser!(u64)).help("Number of queries to show, with the lowest NDCG or its largest difference"))
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Prints JSON instead of tables"))
}

pub(crate) fn run(matches: &ArgMatches) -> Result<(), CliError> {
    let variants = variant::variants(matches)?;
    let path = |name| matches.get_one::<PathBuf>(name).cloned().unwrap_or_default();
    let judgements = read::judgements(&path("qrels"))?;
    let queries = read::queries(&path("queries"), &judgements)?;
    let judged = JudgedQueries::of(queries, judgements)?;

    let interrupt = Interrupt::listen();
    let args = arguments::server_args(matches);
    let server = Server::new(&args, &interrupt)?;
    let index = arguments::text(matches, "index");
    let named = arguments::optional(matches, "primary-key");
    let primary_key = primary_key(&server, &index, named)?;
    judged.warn_of_missing(&server, &index, &primary_key)?;

    let cut = matches.get_one::<u64>("at").copied().unwrap_or(10) as usize;
    let context =
        VariantContext { server: &server, args: &args, index: &index, primary_key: &primary_key };
    let run_variant = |variant: Variant| -> Result<VariantResult, CliError> {
        VariantResult::run(variant, &context, &judged, cut)
            .map_err(|failure| interrupt.check().err().unwrap_or(failure))
    };
    let results = variants.into_iter().map(run_variant).collect::<Result<Vec<_>, _>>()?;

    let worst = matches.get_one::<u64>("show-worst").copied().unwrap_or(0) as usize;
    let report = Report::new(&index, cut, &judged, &results, worst);
    let mut out = io::stdout().lock();
    if matches.get_flag("json") {
        let json = report.json();
        let result = serde_json::to_writer_pretty(&mut out, &json).map_err(io::Error::from);
        return ignore_broken_pipe(result.and_then(|()| writeln!(out)));
    }
    ignore_broken_pipe(report.write(terminal::width(), terminal::has_styles(), &mut out))
}

/// Returns the primary key of the index, or the one on the command line if the key may not read
/// indexes.
fn primary_key(server: &Server, index: &str, named: Option<String>) -> Result<String, CliError> {
    let about: Value = match (server.get(&format!("/indexes/{}", segment(index))), &named) {
        (Err(failure), Some(named)) if failure.code() == "invalid_api_key" => {
            return Ok(named.clone());
        }
        (about, _) => about?,
    };
    let Some(key) = about["primaryKey"].as_str() else {
        return Err(CliError::Failed(format!("the index `{index}` has no documents yet")));
    };
    if named.is_some_and(|named| named != key) {
        return Err(CliError::Usage(format!("the index `{index}` has the primary key `{key}`")));
    }
    Ok(key.to_owned())
}
