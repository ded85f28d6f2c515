//! An engine on a temporary folder, and the few calls the tests share.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use document::Format;
use engine::keys::Access;
use engine::{Addition, DocumentView, Engine, EngineOptions, ListDocuments};
use model::{Cancel, IndexUid};
use serde_json::Value;
use tasks::{Content, Method, Task};
use testkit::wait_for;

pub struct Instance {
    folder: tempfile::TempDir,
    engine: Option<Arc<Engine>>,
}

impl Instance {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut instance = Self { folder, engine: None };
        instance.start();
        instance
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn start(&mut self) {
        self.start_with(EngineOptions::new(self.path()));
    }

    pub fn start_with(&mut self, options: EngineOptions) {
        self.engine = Some(Engine::open(options).expect("the engine opens"));
    }

    pub fn stop(&mut self) {
        self.engine = None;
    }

    pub fn restart(&mut self) {
        self.stop();
        self.start();
    }

    pub fn engine(&self) -> &Arc<Engine> {
        self.engine.as_ref().expect("the engine runs")
    }

    pub fn add(&self, uid: &str, method: Method, json: &str) -> Task {
        let engine = self.engine();
        let mut writer = engine.payload_writer();
        writer.write_all(json.as_bytes()).expect("the payload is written");
        let addition = Addition {
            method,
            format: Format::Json,
            payload: writer.finish().expect("the payload ends"),
            primary_key: None,
            skip_creation: false,
        };
        let uid = IndexUid::new(uid).expect("a good name");
        engine.add_documents(uid, addition, None).expect("the addition is enqueued")
    }

    pub fn enqueue(&self, content: Content) -> Task {
        self.engine().enqueue(content, None).expect("the task is enqueued")
    }

    /// Waits until the task has ended, however it ended.
    pub fn wait(&self, task: &Task) -> Task {
        wait_for(|| {
            let task = self.engine().task(&Access::full(), task.uid).expect("the task is kept");
            let is_finished = task.status.is_finished();
            if is_finished { Ok(task) } else { Err(format!("task {} does not end", task.uid)) }
        })
    }

    /// Lets tasks gather, then runs them as the batches they make; gives them as they ended.
    pub fn together(&mut self, enqueue: impl FnOnce(&Self) -> Vec<Task>) -> Vec<Task> {
        self.stop();
        let mut idle = EngineOptions::new(self.path());
        idle.max_batched_tasks = 0;
        self.start_with(idle);
        let tasks = enqueue(self);
        self.restart();
        tasks.iter().map(|task| self.wait(task)).collect()
    }

    pub fn documents(&self, uid: &str) -> Option<Vec<Value>> {
        self.documents_as(uid, DocumentView::default())
    }

    pub fn documents_with_vectors(&self, uid: &str) -> Option<Vec<Value>> {
        self.documents_as(uid, DocumentView { retrieve_vectors: true, ..DocumentView::default() })
    }

    fn documents_as(&self, uid: &str, view: DocumentView) -> Option<Vec<Value>> {
        let all = ListDocuments { limit: usize::MAX, view, ..ListDocuments::default() };
        let page = self.engine().documents().list(uid, &all, &Cancel::default()).ok()?;
        Some(page.results.iter().map(|json| serde_json::from_str(json).expect("JSON")).collect())
    }
}
