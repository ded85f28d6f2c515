//! Sends the batches of a file one after another: a later version of a document must arrive after
//! an earlier one. Meanwhile the next batches are prepared.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use document::PrimaryKey;
use outbound::Method;
use serde::Deserialize;

use super::arguments::ImportArgs;
use super::batch::{Batch, BatchEvent, Limits, LineError, make_batches};
use super::check::Key;
use super::checkpoint::{Checkpoint, SentBatch};
use super::cut::CutError;
use super::input::{FileFormat, Input};
use crate::error::CliError;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::server::{Server, segment};
use crate::tasks::EnqueuedTask;
use crate::terminal::counted;

/// Number of batches prepared ahead of the one being sent.
const AHEAD: usize = 2;
const STOP_CHECK: Duration = Duration::from_millis(50);
/// Errors shown per file; the others are only counted.
const MAX_SHOWN_ERRORS: u64 = 20;
const FIX_OR_SKIP: &str = " Fix the file, or skip bad documents with --skip-errors.";
/// Batches are not reduced below this size.
const SMALLEST_BATCH_BYTES: usize = 1000;

#[derive(Debug)]
pub(crate) struct Upload<'a> {
    server: &'a Server,
    args: &'a ImportArgs,
    interrupt: &'a Interrupt,
    key: Key,
    batch_bytes: Arc<AtomicUsize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Index {
    primary_key: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Total {
    total: u64,
}

impl<'a> Upload<'a> {
    /// Asks the server for the primary key of the index.
    pub(crate) fn new(
        server: &'a Server,
        args: &'a ImportArgs,
        interrupt: &'a Interrupt,
    ) -> Result<Self, CliError> {
        let key = fetch_key(server, args)?;
        let batch_bytes = Arc::new(AtomicUsize::new(args.batch_bytes));
        Ok(Self { server, args, interrupt, key, batch_bytes })
    }

    /// Sends the rest of the file. The checkpoint is up to date even after an error.
    pub(crate) fn file(
        &mut self,
        input: &Input,
        checkpoint: &mut Checkpoint,
    ) -> Result<(), CliError> {
        let cutter = input.cutter(checkpoint.point()).map_err(|error| match error {
            CutError::Read(source) => CliError::Io { what: input.name.clone(), source },
            CutError::At { line, reason } => {
                CliError::Failed(shown(input, &LineError { line, column: None, reason }))
            }
        })?;
        let position = Arc::clone(&input.position);
        // Bytes read to reach the checkpoint were sent before; the rest of the buffer was not.
        let from = if checkpoint.is_resumed() { position.load(Ordering::Relaxed) } else { 0 };
        let mut progress = Progress::of_file(&input.name, input.bytes, from);
        let limits = Limits {
            bytes: Arc::clone(&self.batch_bytes),
            documents: self.args.batch_documents,
            skips_errors: self.args.skips_errors,
        };
        let (sender, events) = sync_channel(AHEAD);
        let (key, format) = (self.key.clone(), input.format);
        // Not joined: it may block on a pipe without data.
        thread::spawn(move || make_batches(cutter, key, format, &limits, &position, &sender));
        loop {
            match self.next(&events)? {
                BatchEvent::Batch(batch) => self.send(batch, input, checkpoint, &mut progress)?,
                BatchEvent::Skipped(error) => skip(&error, input, checkpoint, &progress),
                BatchEvent::Stopped(error) => {
                    return Err(stop_error(&error, input, checkpoint, FIX_OR_SKIP));
                }
                BatchEvent::Unusable(error) => {
                    return Err(stop_error(&error, input, checkpoint, ""));
                }
                BatchEvent::Unreadable(source) => {
                    return Err(CliError::Io { what: input.name.clone(), source });
                }
                BatchEvent::End(key) => {
                    self.key = key;
                    return Ok(());
                }
            }
        }
    }

    fn next(&self, events: &Receiver<BatchEvent>) -> Result<BatchEvent, CliError> {
        loop {
            self.interrupt.check()?;
            match events.recv_timeout(STOP_CHECK) {
                Ok(event) => return Ok(event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(CliError::Failed("reading the file ended unexpectedly".to_owned()));
                }
            }
        }
    }

    fn send(
        &mut self,
        mut batch: Batch,
        input: &Input,
        checkpoint: &mut Checkpoint,
        progress: &mut Progress,
    ) -> Result<(), CliError> {
        let body = Bytes::from(std::mem::take(&mut batch.body));
        let method = if self.args.updates { Method::Put } else { Method::Post };
        let content_type = match input.format {
            FileFormat::Csv { .. } => "text/csv",
            FileFormat::Json | FileFormat::Lines => "application/x-ndjson",
        };
        let path = self.path(input.format);
        match self.server.send_body::<EnqueuedTask>(method, &path, content_type, body.clone()) {
            Ok(task) => {
                checkpoint.advance(SentBatch {
                    task: task.task_uid,
                    from: batch.from,
                    to: batch.to(),
                    lines: batch.lines(),
                    documents: batch.documents(),
                });
                progress.sent(batch.position, checkpoint.documents() - checkpoint.sent_before);
                Ok(())
            }
            Err(CliError::Refused { status: 413, message, .. }) => {
                self.shrink(body.len());
                batch.body = Vec::from(body);
                match batch.split() {
                    Ok(halves) => halves
                        .into_iter()
                        .try_for_each(|half| self.send(half, input, checkpoint, progress)),
                    Err(single) => {
                        let line = single.lines().first;
                        let error = LineError { line, column: None, reason: message };
                        if !self.args.skips_errors {
                            return Err(stop_error(&error, input, checkpoint, FIX_OR_SKIP));
                        }
                        skip(&error, input, checkpoint, progress);
                        Ok(())
                    }
                }
            }
            Err(CliError::Refused { status: 400, code, message }) => {
                let message = format!("{}:{}: {message}", input.name, batch.lines());
                Err(CliError::Refused { status: 400, code, message })
            }
            Err(other) => Err(other),
        }
    }

    fn shrink(&self, refused_bytes: usize) {
        let smaller = (refused_bytes / 2).max(SMALLEST_BATCH_BYTES);
        self.batch_bytes.fetch_min(smaller, Ordering::Relaxed);
    }

    fn path(&self, format: FileFormat) -> String {
        let mut path = format!("/indexes/{}/documents", segment(&self.args.index));
        let mut parameters = Vec::new();
        if let Some(key) = &self.args.primary_key {
            parameters.push(format!("primaryKey={}", segment(key)));
        }
        if let FileFormat::Csv { delimiter } = format
            && delimiter != b','
        {
            parameters
                .push(format!("csvDelimiter={}", segment(&char::from(delimiter).to_string())));
        }
        if !parameters.is_empty() {
            path += &format!("?{}", parameters.join("&"));
        }
        path
    }
}

/// `people.csv:1412: expected 5 fields, found 4`
pub(crate) fn shown(input: &Input, error: &LineError) -> String {
    let LineError { line, column, reason } = error;
    match column {
        Some(column) => format!("{}:{line}:{column}: {reason}", input.name),
        None => format!("{}:{line}: {reason}", input.name),
    }
}

fn skip(error: &LineError, input: &Input, checkpoint: &mut Checkpoint, progress: &Progress) {
    checkpoint.skip();
    if checkpoint.skipped() <= MAX_SHOWN_ERRORS {
        progress.say(&shown(input, error));
    } else if checkpoint.skipped() == MAX_SHOWN_ERRORS + 1 {
        progress
            .say(&format!("{}: further bad documents are skipped without a message", input.name));
    }
}

fn stop_error(error: &LineError, input: &Input, checkpoint: &Checkpoint, advice: &str) -> CliError {
    let sent = match checkpoint.documents() {
        0 => "nothing was sent".to_owned(),
        1 => "1 document before it was sent".to_owned(),
        many => format!("{} before it were sent", counted(many, "document")),
    };
    CliError::Failed(format!("{}\nThe import stopped there; {sent}.{advice}", shown(input, error)))
}

fn fetch_key(server: &Server, args: &ImportArgs) -> Result<Key, CliError> {
    let named = args.primary_key.clone();
    let uid = segment(&args.index);
    match server.get::<Index>(&format!("/indexes/{uid}")) {
        Ok(Index { primary_key: Some(known) }) => match named {
            Some(named) if named != known => Err(CliError::Failed(format!(
                "the index `{}` has the primary key `{known}`, and --primary-key says `{named}`",
                args.index
            ))),
            _ => Ok(Key::Known(PrimaryKey::new(known))),
        },
        // This key may add documents but not read indexes.
        Err(CliError::Refused { status: 403, .. }) => {
            Ok(named.map_or(Key::Unknown, |named| Key::Known(PrimaryKey::new(named))))
        }
        Err(failure) if failure.code() != "index_not_found" => Err(failure),
        _ => match named {
            Some(named) => Ok(Key::Known(PrimaryKey::new(named))),
            None => guess_key(server, &uid),
        },
    }
}

/// Lets the first document decide, unless a queued task may do so before.
fn guess_key(server: &Server, uid: &str) -> Result<Key, CliError> {
    let path = format!("/tasks?indexUids={uid}&statuses=enqueued,processing&limit=1");
    match server.get::<Total>(&path) {
        Ok(Total { total: 0 }) => Ok(Key::FromFirst),
        Ok(_) | Err(CliError::Refused { .. }) => Ok(Key::Unknown),
        Err(failure) => Err(failure),
    }
}
