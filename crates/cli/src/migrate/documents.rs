//! Copies the documents of an index with their vectors, page by page. The progress is stored, so an
//! interrupted copy can resume as long as the source index has not changed.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::Migration;
use crate::error::CliError;
use crate::progress::Progress;
use crate::state::StateFile;
use crate::tasks::wait_for_all;
use crate::terminal::counted;
use crate::transfer::Transfer;

const FOLDER: &str = "migrations";

#[derive(Debug, Serialize, Deserialize)]
struct CopyState {
    /// `updatedAt` of the source index when the copy began.
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
    let kept = file.as_ref().and_then(StateFile::read::<CopyState>);
    let kept = kept.filter(|place| was_there && place.updated_at == updated_at);
    let offset = kept.map_or(0, |place| place.offset);
    let mut transfer = Transfer::new(uid, uid, offset);
    if offset > 0 {
        let copied = counted(offset, "document");
        eprintln!("{uid}: resuming after {copied}, where the previous copy was interrupted");
    }
    let mut progress: Option<Progress> = None;
    let mut tasks = Vec::new();
    while let Some(page) = transfer.page(&migration.from)? {
        let progress = progress.get_or_insert_with(|| Progress::of_documents(uid, page.total));
        let Some(task) = transfer.send(&migration.to, &page)? else { continue };
        tasks.push(task.task_uid);
        progress.copied(transfer.offset());
        if let Some(file) = &file {
            // If this fails, the next copy starts over, which is harmless.
            let offset = transfer.offset();
            let _ = file.write(&CopyState { updated_at: updated_at.to_owned(), offset });
        }
    }
    drop(progress);
    let mut progress = Progress::of_tasks(tasks.len() as u64);
    let failed = wait_for_all(&migration.to, &tasks, |left| progress.left(left))?;
    drop(progress);
    if let Some(file) = &file {
        file.remove();
    }
    match failed.first() {
        None => Ok(()),
        Some(task) => Err(CliError::Failed(format!(
            "{} of documents failed; task {}: {}",
            counted(failed.len() as u64, "task"),
            task.uid,
            task.failure()
        ))),
    }
}
