//! Sends the batches of a file, one after another: a later version of a document must come after
//! an earlier one. Meanwhile the next batches are made.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use document::PrimaryKey;
use outbound::Method;
use serde::Deserialize;

use super::arguments::Wanted;
use super::batch::{Batch, Limits, Made, Mistake, make};
use super::bookmark::{Bookmark, Parcel};
use super::check::Key;
use super::cut::Lost;
use super::input::{Form, Input};
use crate::error::CliError;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::server::{Server, segment};
use crate::tasks::Enqueued;
use crate::terminal::counted;

/// Batches that wait while one is on its way.
const AHEAD: usize = 2;
const STOP_CHECK: Duration = Duration::from_millis(50);
/// Mistakes that are shown of a file; the others are counted.
const SHOWN_MISTAKES: u64 = 20;
const MEND_OR_SKIP: &str = " Mend the file, or leave such documents out with --skip-errors.";
/// Below this a server that takes no more is not worth asking.
const SMALLEST_BATCH_BYTES: usize = 1000;

#[derive(Debug)]
pub(crate) struct Upload<'a> {
    server: &'a Server,
    wanted: &'a Wanted,
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
    /// Asks the server what it knows of the index.
    pub(crate) fn new(
        server: &'a Server,
        wanted: &'a Wanted,
        interrupt: &'a Interrupt,
    ) -> Result<Self, CliError> {
        let key = find_key(server, wanted)?;
        let batch_bytes = Arc::new(AtomicUsize::new(wanted.batch_bytes));
        Ok(Self { server, wanted, interrupt, key, batch_bytes })
    }

    /// Sends what is left of the file. The bookmark says how far it came, also after a failure.
    pub(crate) fn file(&mut self, input: &Input, bookmark: &mut Bookmark) -> Result<(), CliError> {
        let cutter = input.cutter(bookmark.point()).map_err(|lost| match lost {
            Lost::Read(source) => CliError::Io { what: input.name.clone(), source },
            Lost::At { line, reason } => {
                CliError::Failed(shown(input, &Mistake { line, column: None, reason }))
            }
        })?;
        let position = Arc::clone(&input.position);
        // What was read to find the place is there already; the rest of a buffer is not.
        let from = if bookmark.is_resumed() { position.load(Ordering::Relaxed) } else { 0 };
        let mut progress = Progress::of_file(&input.name, input.bytes, from);
        let limits = Limits {
            bytes: Arc::clone(&self.batch_bytes),
            documents: self.wanted.batch_documents,
            skips_errors: self.wanted.skips_errors,
        };
        let (sender, made) = sync_channel(AHEAD);
        let (key, form) = (self.key.clone(), input.form);
        // Not waited for: it may hang in a pipe that gives nothing.
        thread::spawn(move || make(cutter, key, form, &limits, &position, &sender));
        loop {
            match self.next(&made)? {
                Made::Batch(batch) => self.send(batch, input, bookmark, &mut progress)?,
                Made::Skipped(mistake) => skip(&mistake, input, bookmark, &progress),
                Made::Stopped(mistake) => {
                    return Err(stopped(&mistake, input, bookmark, MEND_OR_SKIP));
                }
                Made::Unusable(mistake) => return Err(stopped(&mistake, input, bookmark, "")),
                Made::Unreadable(source) => {
                    return Err(CliError::Io { what: input.name.clone(), source });
                }
                Made::End(key) => {
                    self.key = key;
                    return Ok(());
                }
            }
        }
    }

    fn next(&self, made: &Receiver<Made>) -> Result<Made, CliError> {
        loop {
            self.interrupt.check()?;
            match made.recv_timeout(STOP_CHECK) {
                Ok(made) => return Ok(made),
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
        bookmark: &mut Bookmark,
        progress: &mut Progress,
    ) -> Result<(), CliError> {
        let body = Bytes::from(std::mem::take(&mut batch.body));
        let method = if self.wanted.updates { Method::Put } else { Method::Post };
        let content_type = match input.form {
            Form::Csv { .. } => "text/csv",
            Form::Json | Form::Lines => "application/x-ndjson",
        };
        let path = self.path(input.form);
        match self.server.send_body::<Enqueued>(method, &path, content_type, body.clone()) {
            Ok(task) => {
                bookmark.advance(Parcel {
                    task: task.task_uid,
                    from: batch.from,
                    to: batch.to(),
                    lines: batch.lines(),
                    documents: batch.documents(),
                });
                progress.sent(batch.position, bookmark.documents() - bookmark.sent_before);
                Ok(())
            }
            Err(CliError::Refused { status: 413, message, .. }) => {
                self.shrink(body.len());
                batch.body = Vec::from(body);
                match batch.split() {
                    Ok(halves) => halves
                        .into_iter()
                        .try_for_each(|half| self.send(half, input, bookmark, progress)),
                    Err(single) => {
                        let line = single.lines().first;
                        let mistake = Mistake { line, column: None, reason: message };
                        if !self.wanted.skips_errors {
                            return Err(stopped(&mistake, input, bookmark, MEND_OR_SKIP));
                        }
                        skip(&mistake, input, bookmark, progress);
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

    fn path(&self, form: Form) -> String {
        let mut path = format!("/indexes/{}/documents", segment(&self.wanted.index));
        let mut parameters = Vec::new();
        if let Some(key) = &self.wanted.primary_key {
            parameters.push(format!("primaryKey={}", segment(key)));
        }
        if let Form::Csv { delimiter } = form
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
pub(crate) fn shown(input: &Input, mistake: &Mistake) -> String {
    let Mistake { line, column, reason } = mistake;
    match column {
        Some(column) => format!("{}:{line}:{column}: {reason}", input.name),
        None => format!("{}:{line}: {reason}", input.name),
    }
}

fn skip(mistake: &Mistake, input: &Input, bookmark: &mut Bookmark, progress: &Progress) {
    bookmark.skip();
    if bookmark.skipped() <= SHOWN_MISTAKES {
        progress.say(&shown(input, mistake));
    } else if bookmark.skipped() == SHOWN_MISTAKES + 1 {
        progress.say(&format!("{}: more of them are left out without a line each", input.name));
    }
}

fn stopped(mistake: &Mistake, input: &Input, bookmark: &Bookmark, advice: &str) -> CliError {
    let sent = match bookmark.documents() {
        0 => "nothing was sent".to_owned(),
        1 => "1 document before it was sent".to_owned(),
        many => format!("{} before it were sent", counted(many, "document")),
    };
    CliError::Failed(format!(
        "{}\nThe import stopped there; {sent}.{advice}",
        shown(input, mistake)
    ))
}

fn find_key(server: &Server, wanted: &Wanted) -> Result<Key, CliError> {
    let named = wanted.primary_key.clone();
    let uid = segment(&wanted.index);
    match server.get::<Index>(&format!("/indexes/{uid}")) {
        Ok(Index { primary_key: Some(known) }) => match named {
            Some(named) if named != known => Err(CliError::Failed(format!(
                "the index `{}` has the primary key `{known}`, and --primary-key says `{named}`",
                wanted.index
            ))),
            _ => Ok(Key::Known(PrimaryKey::new(known))),
        },
        // This key may add documents and look at nothing.
        Err(CliError::Refused { status: 403, .. }) => {
            Ok(named.map_or(Key::Unknown, |named| Key::Known(PrimaryKey::new(named))))
        }
        Err(failure) if failure.code() != "index_not_found" => Err(failure),
        _ => match named {
            Some(named) => Ok(Key::Known(PrimaryKey::new(named))),
            None => guessed_key(server, &uid),
        },
    }
}

/// A task that still waits may be about to say what the key is.
fn guessed_key(server: &Server, uid: &str) -> Result<Key, CliError> {
    let path = format!("/tasks?indexUids={uid}&statuses=enqueued,processing&limit=1");
    match server.get::<Total>(&path) {
        Ok(Total { total: 0 }) => Ok(Key::FromFirst),
        Ok(_) | Err(CliError::Refused { .. }) => Ok(Key::Unknown),
        Err(failure) => Err(failure),
    }
}
