//! A temporary copy of an index with other settings: a change of settings can be evaluated without
//! touching the index that is in use.

use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

use outbound::Method;
use serde_json::{Map, Value, json};

use crate::error::CliError;
use crate::interrupt::Interrupt;
use crate::migrate::without_secrets;
use crate::progress::Progress;
use crate::server::{Server, ServerArgs, segment};
use crate::tasks::{EnqueuedTask, wait_for, wait_for_all};
use crate::transfer::Transfer;

/// A copy of an index that is deleted when this is dropped, also after an error or a signal.
#[derive(Debug)]
pub(super) struct TemporaryIndex {
    uid: String,
    /// Ignores signals: an interrupted evaluation must still delete its copy.
    cleaner: Server,
    is_deleted: bool,
}

impl TemporaryIndex {
    /// Copies documents and settings of the index, and changes some settings of the copy.
    pub(super) fn make(
        server: &Server,
        args: &ServerArgs,
        index: &str,
        primary_key: &str,
        changes: &Map<String, Value>,
    ) -> Result<Self, CliError> {
        let uid = unique_uid(index);
        check_is_free(server, &uid)?;
        let cleaner = Server::new(args, &Interrupt::default())?;
        // From here on the index may exist; no other program creates one with this name.
        let copy = Self { uid, cleaner, is_deleted: false };
        copy.fill(server, index, primary_key, changes)?;
        Ok(copy)
    }

    pub(super) fn uid(&self) -> &str {
        &self.uid
    }

    fn fill(
        &self,
        server: &Server,
        index: &str,
        primary_key: &str,
        changes: &Map<String, Value>,
    ) -> Result<(), CliError> {
        let body = json!({ "uid": self.uid, "primaryKey": primary_key });
        let task: EnqueuedTask = server.send(Method::Post, "/indexes", &body)?;
        wait_for(server, &task)?;
        // Settings come first, so that the documents are indexed only once.
        let mut settings: Value = server.get(&format!("/indexes/{}/settings", segment(index)))?;
        for name in without_secrets(&mut settings) {
            eprintln!(
                "The API key of {name} cannot be copied from {index}: servers do not show keys. \
                 Set it with --settings if searches need it"
            );
        }
        let path = format!("/indexes/{}/settings", segment(&self.uid));
        for settings in [&settings, &Value::Object(changes.clone())] {
            let task: EnqueuedTask = server.send(Method::Patch, &path, settings)?;
            wait_for(server, &task)?;
        }
        self.copy_documents(server, index)
    }

    fn copy_documents(&self, server: &Server, index: &str) -> Result<(), CliError> {
        let mut transfer = Transfer::new(index, &self.uid, 0);
        let mut progress: Option<Progress> = None;
        let mut tasks = Vec::new();
        while let Some(page) = transfer.page(server)? {
            let progress =
                progress.get_or_insert_with(|| Progress::of_documents("copying", page.total));
            if let Some(task) = transfer.send(server, &page)? {
                tasks.push(task.task_uid);
            }
            progress.copied(transfer.offset());
        }
        drop(progress);
        let mut progress = Progress::of_tasks(tasks.len() as u64);
        let failed = wait_for_all(server, &tasks, |left| progress.left(left))?;
        drop(progress);
        match failed.first() {
            None => Ok(()),
            Some(task) => Err(CliError::Failed(format!(
                "copying {index}: task {}: {}",
                task.uid,
                task.failure()
            ))),
        }
    }

    /// Deletes the index and waits until it is gone. A failure is only a warning, since the
    /// measurements are valid.
    pub(super) fn delete(mut self) {
        self.is_deleted = true;
        let gone = self.send_deletion().and_then(|task| wait_for(&self.cleaner, &task));
        if let Err(failure) = gone {
            self.warn_not_deleted(&failure);
        }
    }

    fn send_deletion(&self) -> Result<EnqueuedTask, CliError> {
        self.cleaner.send_once(Method::Delete, &format!("/indexes/{}", segment(&self.uid)))
    }

    fn warn_not_deleted(&self, failure: &CliError) {
        eprintln!("warning: the copy `{}` was not deleted: {failure}", self.uid);
    }
}

impl Drop for TemporaryIndex {
    fn drop(&mut self) {
        if self.is_deleted {
            return;
        }
        // Tasks run in order, so this one finds the index even if its creation is still queued.
        if let Err(failure) = self.send_deletion() {
            self.warn_not_deleted(&failure);
        }
    }
}

/// Returns a unique uid that starts with that of the index, so that a key for `index*` covers it
/// too.
fn unique_uid(index: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{index}-evaluate-{:x}-{:x}", now.as_millis(), process::id())
}

fn check_is_free(server: &Server, uid: &str) -> Result<(), CliError> {
    match server.get::<Value>(&format!("/indexes/{}", segment(uid))) {
        Err(failure) if failure.code() == "index_not_found" => Ok(()),
        Err(failure) => Err(failure),
        Ok(_) => Err(CliError::Failed(format!("the index `{uid}` already exists"))),
    }
}
