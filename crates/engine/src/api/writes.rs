//! Accepts writes: checks them as far as the request alone allows, then enqueues them.

use auth::Access;
use document::Format;
use document::edit::EditFunction;
use model::{IndexUid, ServiceError};
use serde_json::{Map, Value};
use tasks::{Content, Method, NewTask, Origin, Query, Task, UnsealedPayload};

use super::Engine;
use super::task_views::seen_by;
use crate::documents::filters;

/// Documents to add to an index.
#[derive(Debug)]
pub struct Addition {
    pub method: Method,
    pub format: Format,
    pub payload: UnsealedPayload,
    pub primary_key: Option<String>,
    pub skip_creation: bool,
}

/// Documents to change with a function.
#[derive(Debug)]
pub struct Edition {
    pub function: String,
    pub filter: Option<Value>,
    pub context: Option<Map<String, Value>>,
}

/// Circumstances of a write, besides what it changes.
#[derive(Debug, Default)]
pub struct WriteContext {
    /// Shown with the task.
    pub metadata: Option<String>,
    /// The network member that forwarded it; none for a client.
    pub origin: Option<Origin>,
    /// True if it must not create its index.
    pub needs_index: bool,
}

impl From<Option<String>> for WriteContext {
    fn from(metadata: Option<String>) -> Self {
        Self { metadata, ..Self::default() }
    }
}

impl Engine {
    /// Returns a writer for the body of an addition.
    pub fn payload_writer(&self) -> tasks::PayloadWriter {
        self.queue.payloads().writer()
    }

    /// Checks the syntax of every document, and returns once the task and its body are durable.
    pub fn add_documents(
        &self,
        uid: IndexUid,
        addition: Addition,
        context: impl Into<WriteContext>,
    ) -> Result<Task, ServiceError> {
        let context = context.into();
        let documents = document::check(addition.format, &addition.payload)?;
        let payload = addition.payload.seal()?;
        let content = Content::DocumentAdditionOrUpdate {
            index_uid: uid.into_string(),
            primary_key: addition.primary_key,
            method: addition.method,
            format: addition.format,
            payload: payload.id(),
            documents,
            may_create_index: !context.needs_index,
            skip_creation: addition.skip_creation,
        };
        self.take_in(NewTask::new(content).with_payload(payload), context)
    }

    pub fn edit_documents(
        &self,
        uid: IndexUid,
        edition: Edition,
        context: impl Into<WriteContext>,
    ) -> Result<Task, ServiceError> {
        EditFunction::compile(&edition.function, edition.context.as_ref())?;
        let content = Content::DocumentEdition {
            index_uid: uid.into_string(),
            filter: edition.filter,
            context: edition.context,
            function: edition.function,
        };
        self.enqueue(content, context)
    }

    /// Returns whether a filter over documents to change selects anything at all, as far as the
    /// filter alone tells.
    pub fn is_filtering(&self, filter: &Value) -> Result<bool, ServiceError> {
        filters::is_filtering(filter, &self.features())
    }

    /// Refuses a filter that an export cannot have. The rest is checked when the task runs.
    pub fn check_export_filter(&self, filter: &Value) -> Result<(), ServiceError> {
        filters::check_export_filter(filter)
    }

    /// Enqueues work that needs no further check.
    pub fn enqueue(
        &self,
        content: Content,
        context: impl Into<WriteContext>,
    ) -> Result<Task, ServiceError> {
        self.take_in(NewTask::new(content), context.into())
    }

    fn take_in(&self, task: NewTask, context: WriteContext) -> Result<Task, ServiceError> {
        self.replication.enqueue(task.with_metadata(context.metadata), context.origin)
    }

    /// `original_filter` is the query string with its `?`.
    pub fn cancel_tasks(
        &self,
        access: &Access,
        query: Query,
        original_filter: String,
    ) -> Result<Task, ServiceError> {
        seen_by(access, |visible| {
            // A change of the network that other members already see has to be undone, not just
            // dropped.
            let taken_back = self.replication.take_back(&self.queue.matching(&query, visible)?)?;
            self.queue.cancel_with(&query, original_filter, visible, &taken_back)
        })
    }

    pub fn delete_tasks(
        &self,
        access: &Access,
        query: Query,
        original_filter: String,
    ) -> Result<Task, ServiceError> {
        seen_by(access, |visible| self.queue.delete(&query, original_filter, visible))
    }
}
