//! A copy of an index, with other settings, that exists only while it is evaluated: a change of
//! settings can be judged without touching the index that people search.

use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

use outbound::Method;
use serde_json::{Map, Value, json};

use crate::error::CliError;
use crate::interrupt::Interrupt;
use crate::migrate::without_secrets;
use crate::progress::Progress;
use crate::server::{Place, Server, segment};
use crate::tasks::{Enqueued, wait_for, wait_for_all};
use crate::transfer::Transfer;

/// Deletes the index when it is dropped, also after a mistake or a signal.
#[derive(Debug)]
pub(super) struct Copy {
    uid: String,
    /// Hears no signal: what a signal ends must still be deleted.
    cleaner: Server,
    is_deleted: bool,
}

impl Copy {
    /// Copies documents and settings of the index, and changes some settings of the copy.
    pub(super) fn make(
        server: &Server,
        place: &Place,
        index: &str,
        primary_key: &str,
        changes: &Map<String, Value>,
    ) -> Result<Self, CliError> {
        let uid = fresh_uid(index);
        expect_none(server, &uid)?;
        let cleaner = Server::new(place, &Interrupt::default())?;
        // From here on the index may be there: no other program makes one of this name.
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
        let task: Enqueued = server.send(Method::Post, "/indexes", &body)?;
        wait_for(server, &task)?;
        // Settings come before documents, so that these are indexed once.
        let mut settings: Value = server.get(&format!("/indexes/{}/settings", segment(index)))?;
        for name in without_secrets(&mut settings) {
            eprintln!(
                "The copy of {index} lacks the API key of {name}, which no server shows; give it \
                 with --settings if searches need it"
            );
        }
        let path = format!("/indexes/{}/settings", segment(&self.uid));
        for settings in [&settings, &Value::Object(changes.clone())] {
            let task: Enqueued = server.send(Method::Patch, &path, settings)?;
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
        let lost = wait_for_all(server, &tasks, |left| progress.left(left))?;
        drop(progress);
        match lost.first() {
            None => Ok(()),
            Some(task) => Err(CliError::Failed(format!(
                "copying {index}: task {}: {}",
                task.uid,
                task.failure()
            ))),
        }
    }

    /// Deletes the index and waits until it is gone. What was measured on it is good in any case.
    pub(super) fn delete(mut self) {
        self.is_deleted = true;
        let gone = self.send_deletion().and_then(|task| wait_for(&self.cleaner, &task));
        if let Err(failure) = gone {
            self.complain(&failure);
        }
    }

    fn send_deletion(&self) -> Result<Enqueued, CliError> {
        self.cleaner.send_once(Method::Delete, &format!("/indexes/{}", segment(&self.uid)))
    }

    fn complain(&self, failure: &CliError) {
        eprintln!("warning: the copy `{}` was not deleted: {failure}", self.uid);
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        if self.is_deleted {
            return;
        }
        // Tasks are done in their order, so that this one finds the index even if its creation
        // still waits.
        if let Err(failure) = self.send_deletion() {
            self.complain(&failure);
        }
    }
}

/// A name that begins like the index, so that keys for it may do for the copy too.
fn fresh_uid(index: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{index}-evaluate-{:x}-{:x}", now.as_millis(), process::id())
}

fn expect_none(server: &Server, uid: &str) -> Result<(), CliError> {
    match server.get::<Value>(&format!("/indexes/{}", segment(uid))) {
        Err(failure) if failure.code() == "index_not_found" => Ok(()),
        Err(failure) => Err(failure),
        Ok(_) => Err(CliError::Failed(format!("the index `{uid}` is there already"))),
    }
}
