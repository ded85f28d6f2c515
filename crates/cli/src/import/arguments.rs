//! What `sonde import` is asked to do.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::input::{Form, Input};
use crate::arguments;
use crate::error::CliError;
use crate::server::Place;

/// Large enough that a request costs little, small enough that the server works on the first
/// one while the rest is on its way, and that an interruption loses little.
const DEFAULT_BATCH_SIZE: &str = "8 MB";
/// Bodies may have 100 MB, and the last document of a batch goes over its size.
const LARGEST_BATCH_BYTES: u64 = 90_000_000;
const STDIN: &str = "-";

#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) place: Place,
    pub(crate) index: String,
    files: Vec<PathBuf>,
    format: Option<String>,
    delimiter: Option<u8>,
    pub(crate) primary_key: Option<String>,
    /// Fields that documents do not bring stay as they are.
    pub(crate) updates: bool,
    pub(crate) batch_bytes: usize,
    pub(crate) batch_documents: u64,
    pub(crate) skips_errors: bool,
    pub(crate) restarts: bool,
    pub(crate) waits: bool,
}

pub(crate) fn command() -> Command {
    Command::new("import")
        .about("Sends documents of JSON, NDJSON and CSV files to an index")
        .long_about(
            "Sends documents of JSON, NDJSON and CSV files to an index. Files may be compressed \
             (gzip, zstd) and of any size: they are read, checked and sent piece by piece. An \
             import that was interrupted goes on where it ended when the same command is given \
             again.",
        )
        .arg(
            Arg::new("files")
                .value_name("FILE")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(PathBuf))
                .help("Files, named after what they hold (.json, .ndjson, .jsonl, .csv, .tsv, each also with .gz or .zst), or - for stdin"),
        )
        .arg(Arg::new("index").long("index").short('i').value_name("NAME").required(true).help("Index that takes the documents; it is made if it is not there"))
        .args(arguments::server())
        .arg(Arg::new("format").long("format").value_name("WORD").value_parser(["json", "ndjson", "csv", "tsv"]).help("What the files hold, whatever they are called; needed for stdin"))
        .arg(Arg::new("primary-key").long("primary-key").value_name("FIELD").help("Field that holds the ids [default: that of the index, or the only one whose name ends with id]"))
        .arg(Arg::new("update").long("update").action(ArgAction::SetTrue).help("Changes only the fields that documents bring, instead of replacing whole documents"))
        .arg(Arg::new("csv-delimiter").long("csv-delimiter").value_name("LETTER").help("What stands between the fields of CSV [default: a comma, in .tsv files a tab]"))
        .arg(Arg::new("batch-size").long("batch-size").value_name("SIZE").default_value(DEFAULT_BATCH_SIZE).help("Bytes of documents in one request, at most 90 MB"))
        .arg(Arg::new("batch-documents").long("batch-documents").value_name("NUMBER").value_parser(value_parser!(u64).range(1..)).help("Most documents in one request [default: any number]"))
        .arg(Arg::new("skip-errors").long("skip-errors").action(ArgAction::SetTrue).help("Names documents that cannot be taken in and goes on; else the first one stops the import"))
        .arg(Arg::new("restart").long("restart").action(ArgAction::SetTrue).help("Begins again, also where an earlier import was interrupted"))
        .arg(Arg::new("no-wait").long("no-wait").action(ArgAction::SetTrue).help("Ends when everything is sent, without waiting for it to be indexed"))
}

impl Wanted {
    pub(crate) fn read(matches: &ArgMatches) -> Result<Self, CliError> {
        let size = arguments::text(matches, "batch-size");
        let bytes = model::size::parse(&size).map_err(CliError::Usage)?;
        if !(1..=LARGEST_BATCH_BYTES).contains(&bytes) {
            return Err(CliError::Usage(format!(
                "--batch-size cannot be {size}: expected at most 90 MB"
            )));
        }
        Ok(Self {
            place: arguments::place(matches),
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

    /// All files, so that a wrong name is told before anything is sent.
    pub(crate) fn inputs(&self) -> Result<Vec<Input>, CliError> {
        self.files.iter().map(|path| self.input(path)).collect()
    }

    fn input(&self, path: &Path) -> Result<Input, CliError> {
        let named = self.format.as_ref().and_then(|word| Form::of_word(word, self.delimiter));
        if path.as_os_str() == STDIN {
            let form = named.ok_or_else(|| {
                CliError::Usage("stdin has no name that tells its format: give --format".to_owned())
            })?;
            return Ok(Input::stdin(form));
        }
        let form = named.or_else(|| Form::of_name(path, self.delimiter)).ok_or_else(|| {
            CliError::Usage(format!(
                "the name of {} does not tell its format: give --format json, ndjson, csv or tsv",
                path.display()
            ))
        })?;
        Input::file(path, form)
    }
}

fn delimiter(matches: &ArgMatches) -> Result<Option<u8>, CliError> {
    let Some(text) = matches.get_one::<String>("csv-delimiter") else { return Ok(None) };
    match text.as_bytes() {
        [letter] if letter.is_ascii() => Ok(Some(*letter)),
        b"\\t" => Ok(Some(b'\t')),
        _ => Err(CliError::Usage(format!(
            "--csv-delimiter cannot be `{text}`: expected one ASCII letter"
        ))),
    }
}
