//! The committer's thread: turns requests into transactions and publishes their changes.

use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use crossbeam_channel::Receiver;
use model::ServiceError;
use roaring::RoaringBitmap;
use time::OffsetDateTime;

use super::{Order, Reply, Request};
use crate::memory::core::Core;
use crate::memory::events::Event;
use crate::memory::state::{Change, Stopped};
use crate::queue::housekeeping;
use crate::queue::new_task::NewTask;
use crate::queue::rewrite::{Replacement, Rewrite, RewriteSizes};
use crate::queue::transaction::{Effects, Tables};
use crate::store::payloads::SealedPayload;
use crate::store::task_store::View;
use crate::task::Task;
use crate::task::content::Content;
use crate::task::details::Details;
use crate::task::error::QueueError;
use crate::task::ids::TaskUid;
use crate::task::payload_id::PayloadId;
use crate::task::registry_update::{self, RegistryUpdate};
use crate::task::runner::{Rename, panic_text};
use crate::task::task_type::Status;

/// Limit of a group; with more, the first request would wait too long.
const LARGEST_GROUP: usize = 2048;

pub(super) struct Writer {
    core: Arc<Core>,
    next_task_uid: TaskUid,
    last_date: OffsetDateTime,
}

/// A committed transaction, and the follow-up work.
struct CommittedWrite {
    effects: Effects,
    view: View,
    hooks: RegistryHooks,
}

/// Callbacks for the part of a transaction that is outside the queue.
#[derive(Default)]
struct RegistryHooks {
    write: Option<registry_update::Write>,
    committed: Option<registry_update::Committed>,
}

impl RegistryHooks {
    fn take(&mut self, update: Option<RegistryUpdate>) {
        if let Some(RegistryUpdate { write, committed }) = update {
            self.write = Some(write);
            self.committed = committed;
        }
    }
}

/// Answers one request once its transaction is over.
type Answer = Box<dyn FnOnce(Result<(), QueueError>)>;

impl Writer {
    pub fn new(core: Arc<Core>, next_task_uid: TaskUid) -> Self {
        Self { core, next_task_uid, last_date: OffsetDateTime::UNIX_EPOCH }
    }

    pub fn serve(mut self, orders: &Receiver<Order>) {
        while let Ok(first) = orders.recv() {
            let mut group = vec![first];
            group.extend(orders.try_iter().take(LARGEST_GROUP - 1));
            let mut shared = Vec::new();
            for order in group {
                match order {
                    Order::Write(request) if request.wants_own_transaction() => {
                        self.commit(mem::take(&mut shared));
                        self.commit(vec![request]);
                    }
                    Order::Write(request) => shared.push(request),
                    Order::Rewrite { rewrite, reply } => {
                        self.commit(mem::take(&mut shared));
                        send(&reply, self.rewrite(rewrite));
                    }
                }
            }
            self.commit(shared);
        }
    }

    /// Rewrites the database. Nothing else writes meanwhile: this is the only thread that does.
    fn rewrite(&mut self, rewrite: Rewrite) -> Result<RewriteSizes, QueueError> {
        self.check_not_stopped()?;
        let core = self.core.clone();
        let performed = panic::catch_unwind(AssertUnwindSafe(|| rewrite.perform(&core)));
        let performed = performed.unwrap_or_else(|crash| {
            Err(QueueError::Refused(ServiceError::internal(panic_text(crash.as_ref()))))
        });
        let Replacement { database, view, sizes } = performed.inspect_err(|failure| {
            if !matches!(failure, QueueError::Refused(_)) {
                self.stop(Stopped::because(failure));
            }
        })?;
        core.database.replace(database);
        core.state.write().view = Arc::new(view);
        Ok(sizes)
    }

    /// Writes the requests, publishes the change, then answers.
    fn commit(&mut self, requests: Vec<Request>) {
        if requests.is_empty() {
            return;
        }
        let mut answers = Vec::with_capacity(requests.len());
        let uid_before = self.next_task_uid;
        let outcome = self.write(requests, &mut answers);
        match outcome {
            Ok(CommittedWrite { effects, view, hooks }) => {
                if let Some(committed) = hooks.committed {
                    notify(committed);
                }
                self.publish((effects, view));
                for answer in answers {
                    answer(Ok(()));
                }
            }
            Err(failure) => {
                self.next_task_uid = uid_before;
                if !matches!(failure, QueueError::Refused(_)) {
                    self.stop(Stopped::because(&failure));
                }
                for answer in answers {
                    answer(Err(repeated(&failure)));
                }
            }
        }
    }

    fn write(
        &mut self,
        requests: Vec<Request>,
        answers: &mut Vec<Answer>,
    ) -> Result<CommittedWrite, QueueError> {
        if let Err(stopped) = self.check_not_stopped() {
            answers.extend(requests.into_iter().map(only_answer));
            return Err(stopped);
        }
        let core = self.core.clone();
        let mut requests = requests.into_iter();
        let result = (|| {
            let database = core.database.now();
            let transaction = database.begin_write()?;
            let mut tables = Tables::open(&transaction)?;
            let mut hooks = RegistryHooks::default();
            for request in requests.by_ref() {
                self.write_one(request, &mut tables, answers, &mut hooks)?;
            }
            let effects = mem::take(&mut tables.effects);
            drop(tables);
            if let Some(write) = hooks.write.take() {
                update_registry(write, &transaction)?;
            }
            transaction.commit()?;
            Ok(CommittedWrite { effects, view: View::of_now(&database)?, hooks })
        })();
        answers.extend(requests.map(only_answer));
        result
    }

    fn write_one(
        &mut self,
        request: Request,
        tables: &mut Tables<'_>,
        answers: &mut Vec<Answer>,
        hooks: &mut RegistryHooks,
    ) -> Result<(), QueueError> {
        match request {
            Request::Enqueue { mut task, reply } => {
                hooks.take(task.registry.take());
                self.enqueue(*task, reply, tables, answers)
            }
            Request::Amend { change, reply } => {
                answers.push(Box::new(move |result| send(&reply, result)));
                change(tables)
            }
            Request::Finish { finish, reply } => {
                answers.push(Box::new(move |result| send(&reply, result)));
                hooks.take(finish.registry);
                self.rename(&finish.tasks, &finish.renames, tables)?;
                tables.finish(finish.tasks)?;
                tables.store_batch(finish.record)
            }
            Request::Housekeep { batch, end, reply } => {
                answers.push(Box::new(move |result| send(&reply, result)));
                housekeeping::perform(&self.core, *batch, *end, tables)
            }
            Request::Transact { update, reply } => {
                answers.push(Box::new(move |result| send(&reply, result)));
                hooks.take(Some(update));
                Ok(())
            }
        }
    }

    fn enqueue(
        &mut self,
        new: NewTask,
        reply: Reply<Task>,
        tables: &mut Tables<'_>,
        answers: &mut Vec<Answer>,
    ) -> Result<(), QueueError> {
        let NewTask { mut content, custom_metadata, payload, network, registry: _ } = new;
        if let Err(refusal) = self.check_new(&content, payload.as_ref().map(SealedPayload::id)) {
            send(&reply, Err(refusal));
            return Ok(());
        }
        let details = Details::of(&content);
        if let Content::SettingsUpdate { details, .. } = &mut content {
            // The filters are the task's details from now on, and stored once.
            details.clear();
        }
        let taken_before = tables.taken_before(network.as_ref())?;
        let task = Task {
            uid: taken_before.unwrap_or(self.next_task_uid),
            batch_uid: None,
            status: Status::Enqueued,
            content,
            details,
            error: None,
            canceled_by: None,
            enqueued_at: self.now(),
            started_at: None,
            finished_at: None,
            custom_metadata,
            network,
        };
        if taken_before.is_some() {
            answers.push(Box::new(move |result| send(&reply, result.map(|()| task))));
            return Ok(());
        }
        self.next_task_uid += 1;
        let answered = task.clone();
        let written = tables.enqueue(&task, payload.as_ref());
        answers.push(Box::new(move |result| {
            // After a failed commit only a restart can tell whether the task is stored; it also
            // sweeps.
            if let Some(payload) = payload {
                payload.keep();
            }
            send(&reply, result.map(|()| answered));
        }));
        written
    }

    /// Rejects invalid requests before anything is written.
    fn check_new(&self, content: &Content, payload: Option<PayloadId>) -> Result<(), QueueError> {
        if content.payload() != payload.as_ref() {
            return Err(QueueError::Refused(ServiceError::internal(
                "a task and the payload it names do not match",
            )));
        }
        if self.next_task_uid == TaskUid::MAX {
            return Err(QueueError::StoreFull);
        }
        let frees_space = content.targets().is_some_and(|targets| !targets.is_empty());
        let stored = self.core.state.read().stored_bytes;
        if stored > self.core.options.max_stored_bytes && !frees_space {
            return Err(QueueError::StoreFull);
        }
        Ok(())
    }

    fn rename(
        &self,
        tasks: &[Task],
        renames: &[Rename],
        tables: &mut Tables<'_>,
    ) -> Result<(), QueueError> {
        let Some(first) = tasks.iter().map(|task| task.uid).min() else { return Ok(()) };
        let mut concerned = RoaringBitmap::new();
        {
            let state = self.core.state.read();
            for Rename { from, to, both_ways } in renames {
                concerned |= state.tasks.of_index(from);
                if *both_ways {
                    concerned |= state.tasks.of_index(to);
                }
            }
        }
        concerned.remove_range(first..);
        tables.rename(&concerned, renames)
    }

    fn publish(&mut self, (effects, view): (Effects, View)) {
        let core = &self.core;
        let is_addressed =
            effects.changes.iter().any(|change| matches!(change, Change::Addressed { .. }));
        let finished = core.finished_feed.among(&effects.changes);
        {
            let mut state = core.state.write();
            state.view = Arc::new(view);
            state.stored_bytes = state.stored_bytes.saturating_add_signed(effects.bytes);
            for change in &effects.changes {
                state.apply(change);
            }
            // Sent before anyone can act on the change, so that events come in order.
            if core.announcer.has_listeners() {
                effects.changes.into_iter().for_each(|change| self.announce(change));
            }
        }
        core.finished_feed.send(finished);
        core.signal.raise();
        if is_addressed {
            core.deliveries.raise();
        }
        for payload in &effects.removed_payloads {
            core.payloads.remove_file(payload);
        }
    }

    fn announce(&self, change: Change) {
        let event = match change {
            Change::Enqueued(task) | Change::Finished(task) => Event::Task(Arc::new(task)),
            Change::BatchStored(record) => Event::Batch(Arc::new(record.view)),
            _ => return,
        };
        self.core.announcer.send(&event);
    }

    /// Refuses writes after a failure; the first cause stays.
    fn check_not_stopped(&self) -> Result<(), QueueError> {
        match &self.core.state.read().stopped {
            Some(stopped) => Err(QueueError::Refused(stopped.error().into())),
            None => Ok(()),
        }
    }

    fn stop(&self, stopped: Stopped) {
        tracing::error!("the task queue stops accepting writes: {}", stopped.cause);
        self.core.state.write().stopped = Some(stopped);
        self.core.signal.raise();
    }

    fn now(&mut self) -> OffsetDateTime {
        self.last_date = date_after(self.last_date, model::timestamp::now());
        self.last_date
    }
}

/// Largest step back that counts as a clock correction.
const LARGEST_CORRECTION: time::Duration = time::Duration::seconds(60);

/// Returns the date of a task enqueued after one dated `last`. Small clock corrections do not
/// reorder dates; a clock that was far ahead is followed back at once, so that one wrong moment
/// does not date everything after it.
fn date_after(last: OffsetDateTime, clock: OffsetDateTime) -> OffsetDateTime {
    let is_correction = clock < last && last - clock <= LARGEST_CORRECTION;
    if is_correction { last } else { clock }
}

/// Runs the registry's write; neither its error nor its panic is the queue's.
fn update_registry(
    write: impl FnOnce(&redb::WriteTransaction) -> Result<(), redb::Error>,
    transaction: &redb::WriteTransaction,
) -> Result<(), QueueError> {
    let refused = |why: String| {
        let message = format!("the registry could not be written: {why}");
        QueueError::Refused(ServiceError::internal(message))
    };
    match panic::catch_unwind(AssertUnwindSafe(|| write(transaction))) {
        Ok(result) => result.map_err(|error| refused(error.to_string())),
        Err(crash) => Err(refused(panic_text(crash.as_ref()))),
    }
}

/// Runs the callback; the write stands whatever happens.
fn notify(committed: impl FnOnce()) {
    if let Err(crash) = panic::catch_unwind(AssertUnwindSafe(committed)) {
        tracing::error!("after a registry update: {}", panic_text(crash.as_ref()));
    }
}

/// Returns the answer of a request that was not executed.
fn only_answer(request: Request) -> Answer {
    match request {
        Request::Enqueue { reply, .. } => Box::new(move |result| {
            let error = result.err().unwrap_or(QueueError::Closed);
            send(&reply, Err(error));
        }),
        Request::Finish { reply, .. }
        | Request::Housekeep { reply, .. }
        | Request::Amend { reply, .. }
        | Request::Transact { reply, .. } => Box::new(move |result| send(&reply, result)),
    }
}

fn send<T>(reply: &Reply<T>, result: Result<T, QueueError>) {
    // The caller may be gone; the write stands.
    let _ = reply.send(result);
}

/// Copies a failure for each request that shared the transaction.
fn repeated(failure: &QueueError) -> QueueError {
    QueueError::Refused(ServiceError::new(failure.code(), failure.to_string()))
}

#[cfg(test)]
mod tests {
    use time::Duration;

    use super::*;

    #[test]
    fn dates_follow_clock_jumps_but_not_small_corrections() {
        let last = OffsetDateTime::UNIX_EPOCH + Duration::days(20_000);
        for (seconds, followed) in [(1, true), (0, true), (-1, false), (-60, false), (-61, true)] {
            let clock = last + Duration::seconds(seconds);
            let expected = if followed { clock } else { last };
            assert_eq!(date_after(last, clock), expected, "{seconds} s");
        }
        let before_1970 = OffsetDateTime::UNIX_EPOCH - Duration::days(1000);
        assert_eq!(date_after(last, before_1970), before_1970);
    }
}
