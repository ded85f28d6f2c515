//! `sonde import`: imports files into an index.
//!
//! A file goes through three steps: a cutter splits it into documents, a thread checks them and
//! groups them into batches, and the batches are sent in order. A checkpoint after each batch lets
//! an interrupted import resume.

mod arguments;
mod batch;
mod check;
mod checkpoint;
mod cut;
mod input;
mod locate;
mod source;
mod upload;

use std::io::Write;
use std::time::Instant;

use clap::ArgMatches;
use document::PrimaryKey;
use serde::Deserialize;

use arguments::ImportArgs;
pub(crate) use arguments::command;
use checkpoint::{Checkpoint, SentBatch};
use input::Input;
use locate::locate;
use upload::Upload;

use crate::error::{CliError, ignore_broken_pipe};
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::server::{Server, segment};
use crate::tasks::{self, Task};
use crate::terminal::{counted, duration, rate, thousands};

/// A file and how much of it was sent.
#[derive(Debug)]
struct ImportedFile {
    input: Input,
    checkpoint: Checkpoint,
}

pub(crate) fn run(matches: &ArgMatches) -> Result<(), CliError> {
    let args = ImportArgs::read(matches)?;
    let inputs = args.inputs()?;
    let interrupt = Interrupt::listen();
    let server = Server::new(&args.server, &interrupt)?;
    let start = Instant::now();
    let files = send_all(inputs, &server, &args, &interrupt)?;
    let failed = if args.waits { wait(&files, &server)? } else { Vec::new() };
    for file in &files {
        file.checkpoint.remove();
    }
    let refused = report_failures(&failed, &files, &server, &args);
    summarize(&files, refused, start, &args)?;
    if failed.is_empty() { Ok(()) } else { Err(CliError::AlreadyReported) }
}

fn send_all(
    inputs: Vec<Input>,
    server: &Server,
    args: &ImportArgs,
    interrupt: &Interrupt,
) -> Result<Vec<ImportedFile>, CliError> {
    let url = server.url().to_owned();
    let mut upload = Upload::new(server, args, interrupt)?;
    let mut files = Vec::new();
    for input in inputs {
        let mut checkpoint = Checkpoint::find(&input, args, &url)?;
        if checkpoint.is_resumed() {
            eprintln!(
                "{}: resuming at line {}, where the previous import was interrupted (--restart \
                 starts over)",
                input.name,
                checkpoint.point().line
            );
        }
        if let Err(failure) = upload.file(&input, &mut checkpoint) {
            report_how_to_resume(&failure, &input, &checkpoint);
            return Err(failure);
        }
        files.push(ImportedFile { input, checkpoint });
    }
    Ok(files)
}

fn report_how_to_resume(failure: &CliError, input: &Input, checkpoint: &Checkpoint) {
    let passes = matches!(failure, CliError::Interrupted { .. } | CliError::Unreachable { .. });
    if !passes || !checkpoint.is_resumed() {
        return;
    }
    let taken = counted(checkpoint.documents(), "document");
    let how = if checkpoint.is_kept() {
        "Run the same command again to resume."
    } else {
        "Documents sent again replace the existing ones."
    };
    eprintln!(
        "{}: the server has accepted {taken}, up to line {}. {how}",
        input.name,
        checkpoint.point().line
    );
}

fn wait(files: &[ImportedFile], server: &Server) -> Result<Vec<Task>, CliError> {
    let batches = files.iter().flat_map(|file| file.checkpoint.batches());
    let uids: Vec<u64> = batches.map(|batch| batch.task).collect();
    let mut progress = Progress::of_tasks(uids.len() as u64);
    tasks::wait_for_all(server, &uids, |left| progress.left(left))
}

/// Reports what the server refused and on which lines; returns the number of documents.
fn report_failures(
    failed: &[Task],
    files: &[ImportedFile],
    server: &Server,
    args: &ImportArgs,
) -> u64 {
    let mut refused = 0;
    let key = if failed.is_empty() { None } else { primary_key(server, args) };
    for task in failed {
        let found = files.iter().find_map(|file| {
            let batch = file.checkpoint.batches().iter().find(|batch| batch.task == task.uid)?;
            Some((&file.input, batch))
        });
        let Some((input, batch)) = found else { continue };
        refused += batch.documents;
        report_failure(task, input, batch, key.as_ref());
    }
    refused
}

fn report_failure(task: &Task, input: &Input, batch: &SentBatch, key: Option<&PrimaryKey>) {
    let message = task.error.as_ref().map_or("", |error| &error.message);
    let line = key.and_then(|key| locate(input, batch, key, message));
    let place = line.map_or_else(|| batch.lines.to_string(), |line| line.to_string());
    eprintln!("{}:{place}: {}", input.name, task.failure());
    eprintln!(
        "  so task {} added none of the {} on lines {}",
        task.uid,
        counted(batch.documents, "document"),
        batch.lines
    );
}

fn primary_key(server: &Server, args: &ImportArgs) -> Option<PrimaryKey> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Index {
        primary_key: Option<String>,
    }
    let index: Result<Index, _> = server.get(&format!("/indexes/{}", segment(&args.index)));
    let of_index = index.ok().and_then(|index| index.primary_key);
    of_index.or(args.primary_key.clone()).map(PrimaryKey::new)
}

/// Prints the result of the command to stdout.
fn summarize(
    files: &[ImportedFile],
    refused: u64,
    start: Instant,
    args: &ImportArgs,
) -> Result<(), CliError> {
    let total: u64 = files.iter().map(|file| file.checkpoint.documents()).sum();
    let before: u64 = files.iter().map(|file| file.checkpoint.sent_before).sum();
    let skipped: u64 = files.iter().map(|file| file.checkpoint.skipped()).sum();
    let time = start.elapsed();
    let speed = match total - before {
        0 => String::new(),
        now => format!(" ({} per second)", thousands(rate(now, time))),
    };
    let done = if args.waits { "in" } else { "sent to" };
    let mut line = format!(
        "{} {done} `{}`, in {}{speed}",
        counted(total - refused, "document"),
        args.index,
        duration(time),
    );
    for (number, what) in
        [(before, "sent before the interruption"), (skipped, "skipped"), (refused, "refused")]
    {
        if number > 0 {
            line += &format!("; {} {what}", thousands(number));
        }
    }
    ignore_broken_pipe(writeln!(std::io::stdout(), "{line}"))
}
