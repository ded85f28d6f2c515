//! The documents of an index with their vectors, page after page. How far they are is kept, so
//! that an interrupted copy can go on as long as the index there has not changed.

use outbound::{Method, OutboundError};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use xxhash_rust::xxh3::xxh3_64;

use super::Migration;
use crate::error::CliError;
use crate::progress::Progress;
use crate::server::segment;
use crate::state::StateFile;
use crate::tasks::{Enqueued, wait_for_all};
use crate::terminal::counted;

const FOLDER: &str = "migrations";
/// What a page should be near: a request costs little then, and memory is bounded.
const PAGE_BYTES: usize = 8 << 20;
const FIRST_LIMIT: u64 = 100;
const LARGEST_LIMIT: u64 = 20_000;
const LARGEST_GROWTH: u64 = 4;

#[derive(Debug, Deserialize)]
struct Page {
    results: Vec<Box<RawValue>>,
    total: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Place {
    /// Of the index there, when it was read.
    updated_at: String,
    offset: u64,
}

pub(super) fn copy(
    migration: &mut Migration,
    uid: &str,
    updated_at: &str,
    was_there: bool,
) -> Result<(), CliError> {
    let name = format!("{}\n{}\n{uid}", migration.from.url(), migration.to.url());
    let file = StateFile::new(FOLDER, xxh3_64(name.as_bytes()));
    let kept = file.as_ref().and_then(StateFile::read::<Place>);
    let kept = kept.filter(|place| was_there && place.updated_at == updated_at);
    let mut copy = Copy { offset: kept.map_or(0, |place| place.offset), ..Copy::new(uid) };
    if copy.offset > 0 {
        let copied = counted(copy.offset, "document");
        eprintln!("{uid}: going on behind {copied}, where the copy before was interrupted");
    }
    let mut progress: Option<Progress> = None;
    let mut tasks = Vec::new();
    while let Some(page) = copy.page(migration)? {
        let progress = progress.get_or_insert_with(|| Progress::of_documents(uid, page.total));
        let Some(task) = copy.send(migration, &page)? else { continue };
        tasks.push(task.task_uid);
        progress.copied(copy.offset);
        if let Some(file) = &file {
            // Without it the next copy begins again, which does no harm.
            let _ = file.write(&Place { updated_at: updated_at.to_owned(), offset: copy.offset });
        }
    }
    drop(progress);
    let mut progress = Progress::of_tasks(tasks.len() as u64);
    let lost = wait_for_all(&migration.to, &tasks, |left| progress.left(left))?;
    drop(progress);
    if let Some(file) = &file {
        file.remove();
    }
    match lost.first() {
        None => Ok(()),
        Some(task) => Err(CliError::Failed(format!(
            "{} of documents failed; task {}: {}",
            counted(lost.len() as u64, "task"),
            task.uid,
            task.failure()
        ))),
    }
}

#[derive(Debug)]
struct Copy {
    path: String,
    offset: u64,
    limit: u64,
    /// Servers before vectors do not know the word.
    with_vectors: bool,
}

impl Copy {
    fn new(uid: &str) -> Self {
        let path = format!("/indexes/{}/documents", segment(uid));
        Self { path, offset: 0, limit: FIRST_LIMIT, with_vectors: true }
    }

    /// None at the end.
    fn page(&mut self, migration: &mut Migration) -> Result<Option<Page>, CliError> {
        loop {
            let vectors = if self.with_vectors { "&retrieveVectors=true" } else { "" };
            let path =
                format!("{}?offset={}&limit={}{vectors}", self.path, self.offset, self.limit);
            match migration.from.get::<Page>(&path) {
                Ok(page) if page.results.is_empty() => return Ok(None),
                Ok(page) => return Ok(Some(page)),
                Err(CliError::Unreachable { source: OutboundError::TooLarge { .. }, .. })
                    if self.limit > 1 =>
                {
                    self.limit = self.limit.div_ceil(2);
                }
                Err(CliError::Refused { status: 400, message, .. })
                    if self.with_vectors && message.contains("retrieveVectors") =>
                {
                    self.with_vectors = false;
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    /// None if the page has to be fetched again, smaller.
    fn send(
        &mut self,
        migration: &mut Migration,
        page: &Page,
    ) -> Result<Option<Enqueued>, CliError> {
        let mut body = String::new();
        for document in &page.results {
            body.push_str(document.get());
            body.push('\n');
        }
        let (bytes, documents) = (body.len(), page.results.len() as u64);
        let sent =
            migration.to.send_body(Method::Post, &self.path, "application/x-ndjson", body.into());
        match sent {
            Ok(task) => {
                self.offset += documents;
                self.limit = next_limit(self.limit, documents, bytes);
                Ok(Some(task))
            }
            Err(CliError::Refused { status: 413, .. }) if documents > 1 => {
                self.limit = documents.div_ceil(2);
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }
}

/// So many documents as make a page, if those to come are like those that came.
fn next_limit(limit: u64, documents: u64, bytes: usize) -> u64 {
    let fitting = documents * PAGE_BYTES as u64 / (bytes as u64).max(1);
    fitting.clamp(1, (limit * LARGEST_GROWTH).min(LARGEST_LIMIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_grow_and_shrink_with_their_documents() {
        assert_eq!(next_limit(100, 100, 10_000), 400);
        assert_eq!(next_limit(400, 400, 32 << 20), 100);
        assert_eq!(next_limit(10_000, 10_000, 1), 20_000);
        assert_eq!(next_limit(1, 1, 100 << 20), 1);
    }
}
