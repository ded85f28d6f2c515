//! A queue in a folder of its own, and a runner that keeps its indexes in memory.

pub mod disk;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

use model::{Cancel, Format, ServiceError};
use redb::Database;
use serde_json::{Map, Value, json};
use tasks::*;
use tempfile::TempDir;

use disk::MemoryDisk;

/// An index of the runner: its key and its number of documents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FakeIndex {
    pub primary_key: Option<String>,
    pub documents: u64,
}

/// Log of batches: uid, work, task uids.
pub type Log = Vec<(BatchUid, Work, Vec<TaskUid>)>;

type Hook = Box<dyn Fn(&Batch, &Progress, &Cancel) -> Result<(), RunError> + Send + Sync>;

#[derive(Default)]
pub struct FakeRunner {
    pub indexes: Mutex<BTreeMap<String, FakeIndex>>,
    pub log: Mutex<Log>,
    /// Called at the start of each run.
    pub hook: Mutex<Option<Arc<Hook>>>,
    /// The receipt of the last batch.
    pub receipt: Mutex<Vec<u8>>,
}

impl FakeRunner {
    pub fn on_run(
        &self,
        hook: impl Fn(&Batch, &Progress, &Cancel) -> Result<(), RunError> + Send + Sync + 'static,
    ) {
        *self.hook.lock().unwrap() = Some(Arc::new(Box::new(hook)));
    }

    pub fn log(&self) -> Log {
        self.log.lock().unwrap().clone()
    }

    fn outcome(&self, task: &Task, renames: &mut Vec<Rename>) -> TaskOutcome {
        let mut indexes = self.indexes.lock().unwrap();
        let missing = |uid: &str| TaskOutcome::Failed(ServiceError::index_not_found(uid));
        let mut details = task.details.clone();
        match (&task.content, &mut details) {
            (
                Content::DocumentAdditionOrUpdate { index_uid, documents, primary_key, .. },
                Details::DocumentAdditionOrUpdate { indexed_documents, .. },
            ) => {
                let index = indexes.entry(index_uid.clone()).or_default();
                if index.primary_key.is_none() {
                    index.primary_key = primary_key.clone().or(Some("id".to_owned()));
                } else if primary_key.is_some() && *primary_key != index.primary_key {
                    return TaskOutcome::Failed(ServiceError::internal("another primary key"));
                }
                index.documents += documents;
                *indexed_documents = Some(*documents);
            }
            (Content::IndexCreation { index_uid, primary_key }, _) => {
                if indexes.contains_key(index_uid) {
                    let message = format!("Index `{index_uid}` already exists.");
                    let code = model::Code::IndexAlreadyExists;
                    return TaskOutcome::Failed(ServiceError::new(code, message));
                }
                let index = FakeIndex { primary_key: primary_key.clone(), documents: 0 };
                indexes.insert(index_uid.clone(), index);
            }
            (Content::IndexSwap { swaps }, _) => {
                for Swap { indexes: (left, right), rename } in swaps {
                    if !indexes.contains_key(left) {
                        return missing(left);
                    }
                    let (a, b) = (indexes.remove(left), indexes.remove(right));
                    indexes.extend(a.map(|index| (right.clone(), index)));
                    indexes.extend(b.map(|index| (left.clone(), index)));
                    let (from, to) = (left.clone(), right.clone());
                    renames.push(Rename { from, to, both_ways: !rename });
                }
            }
            (Content::IndexUpdate { index_uid, new_uid: Some(to), .. }, _) => {
                let Some(index) = indexes.remove(index_uid) else { return missing(index_uid) };
                indexes.insert(to.clone(), index);
                let from = index_uid.clone();
                renames.push(Rename { from, to: to.clone(), both_ways: false });
            }
            (content, Details::ClearAll { deleted_documents }) => {
                let Some(uid) = content.index_uid() else { return TaskOutcome::Succeeded(details) };
                match indexes.get_mut(uid) {
                    Some(index) => *deleted_documents = Some(std::mem::take(&mut index.documents)),
                    None => return missing(uid),
                }
                if matches!(content, Content::IndexDeletion { .. }) {
                    indexes.remove(uid);
                }
            }
            (_, Details::DocumentDeletion { deleted_documents, .. }) => {
                *deleted_documents = Some(0);
            }
            (_, Details::DumpCreation { dump_uid }) => *dump_uid = Some("dump".to_owned()),
            _ => {}
        }
        TaskOutcome::Succeeded(details)
    }
}

impl Runner for FakeRunner {
    fn index_state(&self, index_uid: &str) -> IndexState {
        let indexes = self.indexes.lock().unwrap();
        match indexes.get(index_uid) {
            Some(index) => IndexState { exists: true, primary_key: index.primary_key.clone() },
            None => IndexState::default(),
        }
    }

    fn run(
        &self,
        batch: &Batch,
        progress: &Progress,
        cancel: &Cancel,
    ) -> Result<Outcome, RunError> {
        let hook = self.hook.lock().unwrap().clone();
        if let Some(hook) = hook {
            hook(batch, progress, cancel)?;
        }
        let uids = batch.tasks.iter().map(|task| task.uid).collect();
        self.log.lock().unwrap().push((batch.uid, batch.work, uids));
        let mut renames = Vec::new();
        let tasks = batch.tasks.iter().map(|task| self.outcome(task, &mut renames)).collect();
        let outcome = Outcome { tasks, renames, ..Outcome::default() };
        *self.receipt.lock().unwrap() = batch.receipt(&outcome);
        Ok(outcome)
    }
}

/// An open queue with its runner; the folder goes with it.
pub struct Harness {
    pub folder: TempDir,
    pub runner: Arc<FakeRunner>,
    pub scheduler: Scheduler,
    pub queue: Queue,
    pub options: Options,
}

pub fn database_at(folder: &Path) -> Arc<Database> {
    Arc::new(Database::create(folder.join("meta.redb")).unwrap())
}

/// Copies the files of a queue.
fn copy_of(from: &Path) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let copy = |from: &Path, to: &Path| std::fs::copy(from, to).map(|_| ()).unwrap();
    copy(&from.join("meta.redb"), &folder.path().join("meta.redb"));
    let payloads = folder.path().join("payloads");
    std::fs::create_dir(&payloads).unwrap();
    for entry in std::fs::read_dir(from.join("payloads")).unwrap() {
        let entry = entry.unwrap();
        copy(&entry.path(), &payloads.join(entry.file_name()));
    }
    folder
}

impl Harness {
    pub fn new() -> Self {
        Self::with(Options::default())
    }

    pub fn with(options: Options) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::open(folder, Arc::default(), options)
    }

    /// Opens a queue whose database is on this disk.
    pub fn on(disk: &MemoryDisk) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::over(disk.open_database(), folder, Arc::default(), Options::default())
    }

    fn open(folder: TempDir, runner: Arc<FakeRunner>, options: Options) -> Self {
        Self::over(database_at(folder.path()), folder, runner, options)
    }

    fn over(
        database: Arc<Database>,
        folder: TempDir,
        runner: Arc<FakeRunner>,
        options: Options,
    ) -> Self {
        let queue = Queue::open(database, folder.path().join("payloads"), options.clone()).unwrap();
        let scheduler = Scheduler::new(queue.clone(), runner.clone());
        Self { folder, runner, scheduler, queue, options }
    }

    /// Closes the queue and opens it again, keeping the runner's indexes.
    pub fn reopened(self) -> Self {
        let Self { folder, runner, scheduler, queue, options } = self;
        drop((scheduler, queue));
        Self::open(folder, runner, options)
    }

    /// Closes the queue and opens it again with the database of this disk.
    pub fn reopened_on(self, disk: &MemoryDisk) -> Self {
        let Self { folder, runner, scheduler, queue, options } = self;
        drop((scheduler, queue));
        Self::over(disk.open_database(), folder, runner, options)
    }

    /// Opens a copy of the files as they are now, as after a kill.
    pub fn killed(&self) -> Self {
        let folder = copy_of(self.folder.path());
        Self::open(folder, self.runner.clone(), self.options.clone())
    }

    /// Runs the next batch, and opens the files as a kill during the run leaves them: its tasks
    /// are being processed, its work is done or not begun.
    pub fn killed_in_run(&self, is_work_done: bool) -> Self {
        let files = Arc::new(Mutex::new(None));
        let (queue, folder, copy) =
            (self.queue.clone(), self.folder.path().to_owned(), files.clone());
        self.runner.on_run(move |batch, _, _| {
            for task in &batch.tasks {
                assert_eq!(queue.task(task.uid, None).unwrap().status, Status::Processing);
            }
            *copy.lock().unwrap() = Some(copy_of(&folder));
            if is_work_done { Ok(()) } else { Err(RunError::Stopped) }
        });
        assert!(self.scheduler.step().is_some());
        *self.runner.hook.lock().unwrap() = None;
        let folder = files.lock().unwrap().take().unwrap();
        Self::open(folder, self.runner.clone(), self.options.clone())
    }

    pub fn enqueue(&self, content: Content) -> TaskUid {
        self.queue.enqueue(NewTask::new(content)).unwrap().uid
    }

    pub fn add(&self, index_uid: &str) -> TaskUid {
        self.add_documents(index_uid, 3, b"[]")
    }

    pub fn add_documents(&self, index_uid: &str, documents: u64, body: &[u8]) -> TaskUid {
        self.queue.enqueue(addition(&self.queue, index_uid, documents, body)).unwrap().uid
    }

    pub fn step_all(&self) -> usize {
        std::iter::from_fn(|| self.scheduler.step()).count()
    }

    pub fn task(&self, uid: TaskUid) -> Task {
        self.queue.task(uid, None).unwrap()
    }

    pub fn statuses(&self) -> Vec<(TaskUid, Status)> {
        let page = self.queue.tasks(&Query { reverse: true, ..Query::default() }, None).unwrap();
        page.results.iter().map(|task| (task.uid, task.status)).collect()
    }

    pub fn uids(&self, query: Query) -> Vec<TaskUid> {
        let page = self.queue.tasks(&query, None).unwrap();
        page.results.iter().map(|task| task.uid).collect()
    }

    pub fn payload_files(&self) -> usize {
        std::fs::read_dir(self.folder.path().join("payloads")).unwrap().count()
    }
}

pub fn addition(queue: &Queue, index_uid: &str, documents: u64, body: &[u8]) -> NewTask {
    let mut writer = queue.payloads().writer();
    writer.write_all(body).unwrap();
    let sealed = writer.finish().unwrap().seal().unwrap();
    NewTask::new(Content::DocumentAdditionOrUpdate {
        index_uid: index_uid.to_owned(),
        primary_key: None,
        method: Method::Replace,
        format: Format::Json,
        payload: sealed.id(),
        documents,
        may_create_index: true,
        skip_creation: false,
    })
    .with_payload(sealed)
}

pub fn creation(index_uid: &str) -> Content {
    Content::IndexCreation { index_uid: index_uid.to_owned(), primary_key: None }
}

pub fn clear(index_uid: &str) -> Content {
    Content::DocumentClear { index_uid: index_uid.to_owned() }
}

pub fn deletion_of_index(index_uid: &str) -> Content {
    Content::IndexDeletion { index_uid: index_uid.to_owned() }
}

pub fn deletion(index_uid: &str, ids: &[&str]) -> Content {
    let ids = ids.iter().map(|&id| id.to_owned()).collect();
    Content::DocumentDeletion { index_uid: index_uid.to_owned(), ids }
}

pub fn settings(index_uid: &str, settings: Value) -> Content {
    let Value::Object(details) = settings.clone() else { panic!("settings are an object") };
    Content::SettingsUpdate {
        index_uid: index_uid.to_owned(),
        settings,
        details,
        may_create_index: true,
    }
}

pub fn swap(left: &str, right: &str) -> Content {
    let indexes = (left.to_owned(), right.to_owned());
    Content::IndexSwap { swaps: vec![Swap { indexes, rename: false }] }
}

pub fn rename(from: &str, to: &str) -> Content {
    Content::IndexUpdate {
        index_uid: from.to_owned(),
        primary_key: None,
        new_uid: Some(to.to_owned()),
    }
}

pub fn export(pattern: &str) -> Content {
    let shown = json!({ "filter": null, "overrideSettings": false });
    Content::Export {
        url: "http://127.0.0.1:1".to_owned(),
        api_key: Some("0123456789abcdef0123456789abcdef".to_owned()),
        payload_size: Some(24 << 20),
        indexes: Map::from_iter([(pattern.to_owned(), shown)]),
    }
}

pub fn uids(uids: &[TaskUid]) -> Query {
    Query { uids: Some(uids.to_vec()), ..Query::default() }
}
