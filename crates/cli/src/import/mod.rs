//! `sonde import`: files to documents of an index.
//!
//! A file goes through three steps: a cutter finds documents in it, a thread checks them and puts
//! them into batches, and the batches are sent in order. After each the place in the file is kept,
//! so that an interrupted import can go on.

mod arguments;
mod batch;
mod bookmark;
mod check;
mod cut;
mod input;
mod locate;
mod text;
mod upload;

use std::io::Write;
use std::time::Instant;

use clap::ArgMatches;
use document::PrimaryKey;
use serde::Deserialize;

use arguments::Wanted;
pub(crate) use arguments::command;
use bookmark::{Bookmark, Parcel};
use input::Input;
use locate::locate;
use upload::Upload;

use crate::error::{CliError, written};
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::server::{Server, segment};
use crate::tasks::{self, Task};
use crate::terminal::{counted, duration, rate, thousands};

/// A file and how far it was sent.
#[derive(Debug)]
struct Sent {
    input: Input,
    bookmark: Bookmark,
}

pub(crate) fn run(matches: &ArgMatches) -> Result<(), CliError> {
    let wanted = Wanted::read(matches)?;
    let inputs = wanted.inputs()?;
    let interrupt = Interrupt::listen();
    let server = Server::new(&wanted.place, &interrupt)?;
    let start = Instant::now();
    let files = send_all(inputs, &server, &wanted, &interrupt)?;
    let lost = if wanted.waits { wait(&files, &server)? } else { Vec::new() };
    for file in &files {
        file.bookmark.remove();
    }
    let refused = tell_lost(&lost, &files, &server, &wanted);
    summarize(&files, refused, start, &wanted)?;
    if lost.is_empty() { Ok(()) } else { Err(CliError::Told) }
}

fn send_all(
    inputs: Vec<Input>,
    server: &Server,
    wanted: &Wanted,
    interrupt: &Interrupt,
) -> Result<Vec<Sent>, CliError> {
    let url = server.url().to_owned();
    let mut upload = Upload::new(server, wanted, interrupt)?;
    let mut files = Vec::new();
    for input in inputs {
        let mut bookmark = Bookmark::find(&input, wanted, &url)?;
        if bookmark.is_resumed() {
            eprintln!(
                "{}: going on at line {}, where the import before was interrupted (--restart \
                 begins again)",
                input.name,
                bookmark.point().line
            );
        }
        if let Err(failure) = upload.file(&input, &mut bookmark) {
            tell_how_to_go_on(&failure, &input, &bookmark);
            return Err(failure);
        }
        files.push(Sent { input, bookmark });
    }
    Ok(files)
}

fn tell_how_to_go_on(failure: &CliError, input: &Input, bookmark: &Bookmark) {
    let passes = matches!(failure, CliError::Interrupted { .. } | CliError::Unreachable { .. });
    if !passes || !bookmark.is_resumed() {
        return;
    }
    let taken = counted(bookmark.documents(), "document");
    let how = if bookmark.is_kept() {
        "To go on from there, give the same command again."
    } else {
        "What was sent again would take the place of what is there."
    };
    eprintln!(
        "{}: the server has taken {taken}, up to line {}. {how}",
        input.name,
        bookmark.point().line
    );
}

fn wait(files: &[Sent], server: &Server) -> Result<Vec<Task>, CliError> {
    let parcels = files.iter().flat_map(|file| file.bookmark.parcels());
    let uids: Vec<u64> = parcels.map(|parcel| parcel.task).collect();
    let mut progress = Progress::of_tasks(uids.len() as u64);
    tasks::wait_for_all(server, &uids, |left| progress.left(left))
}

/// Says what the server refused and where it stands; gives the number of documents.
fn tell_lost(lost: &[Task], files: &[Sent], server: &Server, wanted: &Wanted) -> u64 {
    let mut refused = 0;
    let key = if lost.is_empty() { None } else { primary_key(server, wanted) };
    for task in lost {
        let found = files.iter().find_map(|file| {
            let parcel = file.bookmark.parcels().iter().find(|parcel| parcel.task == task.uid)?;
            Some((&file.input, parcel))
        });
        let Some((input, parcel)) = found else { continue };
        refused += parcel.documents;
        tell_task(task, input, parcel, key.as_ref());
    }
    refused
}

fn tell_task(task: &Task, input: &Input, parcel: &Parcel, key: Option<&PrimaryKey>) {
    let message = task.error.as_ref().map_or("", |error| &error.message);
    let line = key.and_then(|key| locate(input, parcel, key, message));
    let place = line.map_or_else(|| parcel.lines.to_string(), |line| line.to_string());
    eprintln!("{}:{place}: {}", input.name, task.failure());
    eprintln!(
        "  so task {} took in none of the {} of lines {}",
        task.uid,
        counted(parcel.documents, "document"),
        parcel.lines
    );
}

fn primary_key(server: &Server, wanted: &Wanted) -> Option<PrimaryKey> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Index {
        primary_key: Option<String>,
    }
    let index: Result<Index, _> = server.get(&format!("/indexes/{}", segment(&wanted.index)));
    let of_index = index.ok().and_then(|index| index.primary_key);
    of_index.or(wanted.primary_key.clone()).map(PrimaryKey::new)
}

/// On stdout, as the result of the command.
fn summarize(
    files: &[Sent],
    refused: u64,
    start: Instant,
    wanted: &Wanted,
) -> Result<(), CliError> {
    let total: u64 = files.iter().map(|file| file.bookmark.documents()).sum();
    let before: u64 = files.iter().map(|file| file.bookmark.sent_before).sum();
    let skipped: u64 = files.iter().map(|file| file.bookmark.skipped()).sum();
    let time = start.elapsed();
    let speed = match total - before {
        0 => String::new(),
        now => format!(" ({} per second)", thousands(rate(now, time))),
    };
    let done = if wanted.waits { "in" } else { "sent to" };
    let mut line = format!(
        "{} {done} `{}`, in {}{speed}",
        counted(total - refused, "document"),
        wanted.index,
        duration(time),
    );
    for (number, what) in
        [(before, "sent before the interruption"), (skipped, "left out"), (refused, "refused")]
    {
        if number > 0 {
            line += &format!("; {} {what}", thousands(number));
        }
    }
    written(writeln!(std::io::stdout(), "{line}"))
}
