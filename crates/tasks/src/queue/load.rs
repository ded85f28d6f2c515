//! Loads a queue: rebuilds the in-memory state from the records and removes what a crash left
//! behind.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use redb::{Database, ReadableDatabase, ReadableTable, ReadableTableMetadata};

use crate::memory::awaited_batches::AwaitedBatches;
use crate::memory::batch_index::BatchIndex;
use crate::memory::lanes::{Lanes, WaitingTask};
use crate::memory::outbox::Outbox;
use crate::memory::running_batch::RunningBatches;
use crate::memory::state::QueueState;
use crate::memory::task_index::TaskIndex;
use crate::store::payloads::PayloadStore;
use crate::store::record::{self, BatchHead, TaskHead};
use crate::store::schema::{OUTBOX, OUTBOX_WAITING, PAYLOADS, TASKS};
use crate::store::stash;
use crate::store::task_store::{self, View};
use crate::task::error::QueueError;
use crate::task::ids::TaskUid;
use crate::task::payload_id::PayloadId;
use crate::task::query::Query;
use crate::task::task_type::{Status, TaskType};

/// Loads the state and the uid of the next task.
pub(crate) fn load(
    database: &Arc<Database>,
    payloads: &PayloadStore,
) -> Result<(QueueState, TaskUid), QueueError> {
    task_store::prepare(database)?;
    task_store::check_sums(&database.begin_read()?)?;
    let view = View::of_now(database)?;
    let mut state = QueueState {
        view: Arc::new(view),
        tasks: TaskIndex::default(),
        batches: BatchIndex::default(),
        running: RunningBatches::default(),
        lanes: Lanes::default(),
        awaited: AwaitedBatches::default(),
        outbox: Outbox::default(),
        next_batch_uid: task_store::next_batch_uid(database)?,
        stored_bytes: 0,
        stopped: None,
        barrier_lifted: Instant::now(),
    };
    let mut kept = load_tasks(&mut state)?;
    load_outbox(database, &mut state, &mut kept)?;
    for payload in stash::payloads(database)? {
        count_payload(&mut state, &payload);
        kept.push(payload);
    }
    load_batches(&mut state)?;
    retry_failed_upgrades(database, &mut state)?;
    let orphans = payloads.remove_orphan_files(&kept)? + sweep_payload_table(database, &kept)?;
    if orphans > 0 {
        tracing::info!("{orphans} payloads that no task needs were removed");
    }
    let next_task_uid = state.tasks.all().max().map_or(0, |uid| uid.saturating_add(1));
    Ok((state, next_task_uid))
}

/// Loads the tasks and returns the payloads of waiting ones.
fn load_tasks(state: &mut QueueState) -> Result<Vec<PayloadId>, QueueError> {
    let mut payloads = Vec::new();
    let view = state.view.clone();
    for entry in view.tasks.iter()? {
        let (uid, bytes) = entry?;
        let (uid, bytes) = (uid.value(), bytes.value());
        let head = TaskHead::read(uid, bytes)?;
        state.stored_bytes += bytes.len() as u64;
        state.tasks.put(&head);
        if head.status == Status::Enqueued {
            let task = record::read_task(uid, bytes)?;
            if let Some(payload) = task.content.payload() {
                payloads.push(*payload);
                count_payload(state, payload);
            }
            state.lanes.insert(uid, WaitingTask::of(&task));
        }
    }
    Ok(payloads)
}

fn count_payload(state: &mut QueueState, payload: &PayloadId) {
    if payload.database_key().is_some() {
        state.stored_bytes += payload.bytes();
    }
}

/// Loads the tasks that other instances have not taken yet, and returns their payloads.
fn load_outbox(
    database: &Database,
    state: &mut QueueState,
    payloads: &mut Vec<PayloadId>,
) -> Result<(), QueueError> {
    let transaction = database.begin_read()?;
    for entry in transaction.open_table(OUTBOX_WAITING)?.iter()? {
        let (key, _) = entry?;
        let (recipient, uid) = key.value();
        state.outbox.add(recipient, uid);
    }
    for entry in transaction.open_table(OUTBOX)?.iter()? {
        let (uid, bytes) = entry?;
        state.stored_bytes += bytes.value().len() as u64;
        let task = record::read_task(uid.value(), bytes.value())?;
        // The payload of a waiting task is counted already.
        if let Some(payload) = task.content.payload()
            && state.lanes.get(task.uid).is_none()
        {
            count_payload(state, payload);
            payloads.push(*payload);
        }
    }
    Ok(())
}

fn load_batches(state: &mut QueueState) -> Result<(), QueueError> {
    let view = state.view.clone();
    for entry in view.batches.iter()? {
        let (uid, bytes) = entry?;
        state.stored_bytes += bytes.value().len() as u64;
        state.batches.put(&BatchHead::read(uid.value(), bytes.value())?);
    }
    let above_stored = state.batches.highest_uid().map_or(0, |uid| uid.saturating_add(1));
    state.next_batch_uid = state.next_batch_uid.max(above_stored);
    Ok(())
}

/// Enqueues a failed upgrade again, at every start.
fn retry_failed_upgrades(
    database: &Arc<Database>,
    state: &mut QueueState,
) -> Result<(), QueueError> {
    let query = Query {
        types: Some(vec![TaskType::UpgradeDatabase]),
        statuses: Some(vec![Status::Failed]),
        ..Query::default()
    };
    let failed = state.tasks.select(&query, None, &state.running);
    if failed.is_empty() {
        return Ok(());
    }
    let transaction = database.begin_write()?;
    {
        let mut tasks = transaction.open_table(TASKS)?;
        for uid in &failed {
            let mut task = state.view.known_task(uid)?;
            task.status = Status::Enqueued;
            task.batch_uid = None;
            task.error = None;
            task.started_at = None;
            task.finished_at = None;
            tasks.insert(uid, record::write_task(&task)?.as_slice())?;
            state.tasks.put(&TaskHead::of(&task));
            state.lanes.insert(uid, WaitingTask::of(&task));
        }
    }
    transaction.commit()?;
    state.view = Arc::new(View::of_now(database)?);
    Ok(())
}

/// Removes small payloads that no waiting task names.
fn sweep_payload_table(database: &Database, kept: &[PayloadId]) -> Result<u64, QueueError> {
    let kept: HashSet<u128> = kept.iter().filter_map(PayloadId::database_key).collect();
    let stored = database.begin_read()?.open_table(PAYLOADS)?.len()?;
    let orphans = stored.saturating_sub(kept.len() as u64);
    if orphans > 0 {
        let transaction = database.begin_write()?;
        transaction.open_table(PAYLOADS)?.retain(|key, _| kept.contains(&key))?;
        transaction.commit()?;
    }
    Ok(orphans)
}
