//! The only writer of the queue. Requests wait in a channel; the thread takes all that are there
//! and writes them in one transaction, so that many small writes share one sync. After a failed
//! write it refuses everything: the state of the disk is only known after a restart.

mod writer;

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use crossbeam_channel::Sender;

use super::batch_end::BatchEnd;
use super::new_task::NewTask;
use super::rewrite::{Rewrite, RewriteSizes};
use super::transaction::Tables;
use crate::memory::core::Core;
use crate::store::disk_space::DiskSpace;
use crate::store::record::BatchRecord;
use crate::task::Task;
use crate::task::batch::Batch;
use crate::task::error::QueueError;
use crate::task::ids::TaskUid;
use crate::task::registry_update::RegistryUpdate;
use crate::task::runner::Rename;

use writer::Writer;

type Reply<T> = Sender<Result<T, QueueError>>;

enum Request {
    Enqueue {
        task: Box<NewTask>,
        reply: Reply<Task>,
    },
    Finish {
        finish: Box<Finish>,
        reply: Reply<()>,
    },
    Housekeep {
        batch: Box<Batch>,
        end: Box<BatchEnd>,
        reply: Reply<()>,
    },
    /// A small change of the queue's own tables.
    Amend {
        change: Amendment,
        reply: Reply<()>,
    },
    Transact {
        update: RegistryUpdate,
        reply: Reply<()>,
    },
}

/// Commands for the writer thread.
enum Order {
    Write(Request),
    /// Replaces the database with a rewritten one.
    Rewrite {
        rewrite: Rewrite,
        reply: Reply<RewriteSizes>,
    },
}

impl From<Request> for Order {
    fn from(request: Request) -> Self {
        Order::Write(request)
    }
}

pub(crate) type Amendment = Box<dyn FnOnce(&mut Tables<'_>) -> Result<(), QueueError> + Send>;

/// Everything to write when a batch has run.
pub(crate) struct Finish {
    /// The tasks in their finished form.
    pub tasks: Vec<Task>,
    pub record: BatchRecord,
    pub renames: Vec<Rename>,
    pub registry: Option<RegistryUpdate>,
}

impl Request {
    /// Returns whether the request needs its own transaction: it reads what earlier ones changed,
    /// or runs code from outside the queue.
    fn wants_own_transaction(&self) -> bool {
        match self {
            Request::Enqueue { task, .. } => task.registry.is_some(),
            Request::Amend { .. } => false,
            Request::Finish { finish, .. } => {
                finish.registry.is_some() || !finish.renames.is_empty()
            }
            Request::Housekeep { .. } | Request::Transact { .. } => true,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Committer {
    sender: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
    disk_space: DiskSpace,
}

impl Committer {
    pub fn start(core: Arc<Core>, next_task_uid: TaskUid) -> Result<Self, QueueError> {
        let (sender, receiver) = crossbeam_channel::unbounded();
        let disk_space = core.options.disk_space.clone();
        let writer = Writer::new(core, next_task_uid);
        let thread = thread::Builder::new()
            .name("task-committer".to_owned())
            .spawn(move || writer.serve(&receiver))
            .map_err(|source| QueueError::Storage(Box::new(redb::Error::Io(source))))?;
        Ok(Self { sender: Some(sender), thread: Some(thread), disk_space })
    }

    /// Enqueues a task. Refused at once on a full disk, rather than queued behind writes that wait.
    pub fn enqueue(&self, task: NewTask) -> Result<Task, QueueError> {
        if !self.disk_space.has_reserve() && !task.content.frees_space() {
            return Err(QueueError::NoRoom);
        }
        self.ask(|reply| Request::Enqueue { task: Box::new(task), reply })
    }

    pub fn finish(&self, finish: Finish) -> Result<(), QueueError> {
        self.ask(|reply| Request::Finish { finish: Box::new(finish), reply })
    }

    /// Runs a batch of cancelations or deletions.
    pub fn housekeep(&self, batch: Batch, end: BatchEnd) -> Result<(), QueueError> {
        let (batch, end) = (Box::new(batch), Box::new(end));
        self.ask(|reply| Request::Housekeep { batch, end, reply })
    }

    pub fn amend(&self, change: Amendment) -> Result<(), QueueError> {
        self.ask(|reply| Request::Amend { change, reply })
    }

    pub fn transact(&self, update: RegistryUpdate) -> Result<(), QueueError> {
        self.ask(|reply| Request::Transact { update, reply })
    }

    pub fn rewrite(&self, rewrite: Rewrite) -> Result<RewriteSizes, QueueError> {
        self.ask(|reply| Order::Rewrite { rewrite, reply })
    }

    fn ask<T, O: Into<Order>>(&self, order: impl FnOnce(Reply<T>) -> O) -> Result<T, QueueError> {
        let (reply, answer) = crossbeam_channel::bounded(1);
        let sender = self.sender.as_ref().ok_or(QueueError::Closed)?;
        sender.send(order(reply).into()).map_err(|_| QueueError::Closed)?;
        answer.recv().map_err(|_| QueueError::Closed)?
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            // The thread does not panic by itself; a poisoned end changes nothing here.
            let _ = thread.join();
        }
    }
}
