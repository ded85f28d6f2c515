//! Command-line arguments of `sonde import`.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::input::{FileFormat, Input};
use crate::arguments;
use crate::error::CliError;
use crate::server::ServerArgs;

/// Large enough to make requests cheap; small enough that the server starts working early and that
/// an interruption loses little.
const DEFAULT_BATCH_SIZE: &str = "8 MB";
/// Bodies may have 100 MB, and the last document of a batch may exceed the batch size.
const LARGEST_BATCH_BYTES: u64 = 90_000_000;
const STDIN: &str = "-";

#[derive(Debug)]
pub(crate) struct ImportArgs {
    pub(crate) server: ServerArgs,
    pub(crate) index: String,
    files: Vec<PathBuf>,
    format: Option<String>,
    delimiter: Option<u8>,
    pub(crate) primary_key: Option<String>,
    /// True if documents are merged into existing ones instead of replacing them.
    pub(crate) updates: bool,
    pub(crate) batch_bytes: usize,
    pub(crate) batch_documents: u64,
    pub(crate) skips_errors: bool,
    pub(crate) restarts: bool,
    pub(crate) waits: bool,
}

pub(crate) fn command() -> Command {
    Command::new("import")
        .about("Imports documents from JSON, NDJSON and CSV files")
        .long_about(
            "Imports documents from JSON, NDJSON and CSV files. Files may be compressed (gzip, \
             zstd) and of any size: they are read, checked and sent in batches. Run the same \
             command again to resume an interrupted import.",
        )
        .arg(
            Arg::new("files")
                .value_name("FILE")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(PathBuf))
                .help("Files to import, with a suffix for their format (.json, .ndjson, .jsonl, .csv, .tsv, each also with .gz or .zst), or - for stdin"),
        )
        .arg(Arg::new("index").long("index").short('i').value_name("NAME").required(true).help("Target index, created if missing"))
        .args(arguments::server())
        .arg(Arg::new("format").long("format").value_name("FORMAT").value_parser(["json", "ndjson", "csv", "tsv"]).help("Format of the files, whatever their names; required for stdin"))
        .arg(Arg::new("primary-key").long("primary-key").value_name("FIELD").help("Field with the ids [default: that of the index, or the only one whose name ends with id]"))
        .arg(Arg::new("update").long("update").action(ArgAction::SetTrue).help("Merges fields into existing documents instead of replacing them"))
        .arg(Arg::new("csv-delimiter").long("csv-delimiter").value_name("CHARACTER").help("Delimiter of CSV fields [default: a comma, or a tab in .tsv files]"))
        .arg(Arg::new("batch-size").long("batch-size").value_name("SIZE").default_value(DEFAULT_BATCH_SIZE).help("Size of one request, at most 90 MB"))
        .arg(Arg::new("batch-documents").long("batch-documents").value_name("NUMBER").value_parser(value_parser!(u64).range(1..)).help("Maximum number of documents in one request [default: unlimited]"))
        .arg(Arg::new("skip-errors").long("skip-errors").action(ArgAction::SetTrue).help("Reports and skips bad documents instead of stopping at the first one"))
        .arg(Arg::new("restart").long("restart").action(ArgAction::SetTrue).help("Starts over instead of resuming an interrupted import"))
        .arg(Arg::new("no-wait").long("no-wait").action(ArgAction::SetTrue).help("Exits once everything is sent, without waiting for indexing"))
}

impl ImportArgs {
    pub(crate) fn read(matches: &ArgMatches) -> Result<Self, CliError> {
        let size = arguments::text(matches, "batch-size");
        let bytes = model::size::parse(&size).map_err(CliError::Usage)?;
        if !(1..=LARGEST_BATCH_BYTES).contains(&bytes) {
            return Err(CliError::Usage(format!(
                "--batch-size cannot be {size}: expected at most 90 MB"
            )));
        }
        Ok(Self {
            server: arguments::server_args(matches),
            index: arguments::text(matches, "index"),
            files: matches.get_many("files").into_iter().flatten().cloned().collect(),
            format: arguments::optional(matches, "format"),
            delimiter: delimiter(matches)?,
            primary_key: arguments::optional(matches, "primary-key"),
            updates: matches.get_flag("update"),
            batch_bytes: usize::try_from(bytes).unwrap_or(usize::MAX),
            batch_documents: matches.get_one("batch-documents").copied().unwrap_or(u64::MAX),
            skips_errors: matches.get_flag("skip-errors"),
            restarts: matches.get_flag("restart"),
            waits: !matches.get_flag("no-wait"),
        })
    }

    /// Opens all files, so that a bad name is reported before anything is sent.
    pub(crate) fn inputs(&self) -> Result<Vec<Input>, CliError> {
        self.files.iter().map(|path| self.input(path)).collect()
    }

    fn input(&self, path: &Path) -> Result<Input, CliError> {
        let named =
            self.format.as_ref().and_then(|word| FileFormat::from_name(word, self.delimiter));
        if path.as_os_str() == STDIN {
            let format = named.ok_or_else(|| {
                CliError::Usage("the format of stdin is unknown: use --format".to_owned())
            })?;
            return Ok(Input::stdin(format));
        }
        let format = named
            .or_else(|| FileFormat::from_file_name(path, self.delimiter))
            .ok_or_else(|| {
                CliError::Usage(format!(
                    "the format of {} is unknown: use --format json, ndjson, csv or tsv",
                    path.display()
                ))
            })?;
        Input::file(path, format)
    }
}

fn delimiter(matches: &ArgMatches) -> Result<Option<u8>, CliError> {
    let Some(text) = matches.get_one::<String>("csv-delimiter") else { return Ok(None) };
    match text.as_bytes() {
        [letter] if letter.is_ascii() => Ok(Some(*letter)),
        b"\\t" => Ok(Some(b'\t')),
        _ => Err(CliError::Usage(format!(
            "--csv-delimiter cannot be `{text}`: expected one ASCII character"
        ))),
    }
}
