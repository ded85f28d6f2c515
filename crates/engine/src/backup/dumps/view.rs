//! The consistent view that a dump writes. All indexes are opened beforehand, so that the work on
//! the writer of the queue is quick: it reads memory and a few small tables.

use std::collections::HashMap;
use std::sync::Arc;

use auth::Key;
use index::{Index, Snapshot};
use model::{Cancel, ServiceError};
use redb::ReadableDatabase;
use serde_json::{Map, Value};
use tasks::instance_table;
use tasks::{Batch, QueueSnapshot, RunError, TaskOutcome};
use uuid::Uuid;

use super::contents::InstanceRecords;
use super::creation::DumpMaker;
use crate::indexes::catalog::Indexes;

/// The file in the data folder that holds the uid of the instance.
pub(super) const INSTANCE_UID_FILE: &str = "instance-uid";

pub(super) struct DumpView {
    pub queue: QueueSnapshot,
    /// Indexes in byte order of their names.
    pub indexes: Vec<(String, Arc<Snapshot>)>,
    pub records: InstanceRecords,
    /// True if document numbers are shared with other instances.
    pub shares_numbers: bool,
}

impl DumpView {
    pub fn take(maker: &DumpMaker, cancel: &Cancel) -> Result<Self, RunError> {
        let mut open = HashMap::new();
        for (uid, id) in maker.indexes.registry.all() {
            cancel.check()?;
            if let Some(index) = maker.indexes.find(&uid)? {
                open.insert(id, index);
            }
        }
        let maker = maker.clone();
        let (queue, looked) = maker.queue.clone().freeze(move || look(&maker, &open))?;
        Ok(looked.settled(queue)?)
    }

    /// Marks the batch of the dump itself as finished.
    pub fn end_batch(&mut self, batch: &Batch, outcome: TaskOutcome) -> Result<(), ServiceError> {
        self.queue.end_batch(batch, vec![outcome])
    }
}

/// A `DumpView` without the queue.
struct DumpInputs {
    indexes: Vec<(String, Arc<Snapshot>)>,
    records: InstanceRecords,
    shares_numbers: bool,
}

impl DumpInputs {
    /// Marks batches as finished that an index had applied but the queue had not recorded yet. A
    /// lane has at most one: the next begins only after the queue knows of the first.
    fn settled(self, mut queue: QueueSnapshot) -> Result<DumpView, ServiceError> {
        let Self { indexes, records, shares_numbers } = self;
        for (uid, snapshot) in &indexes {
            if !snapshot.receipt().is_empty() {
                queue.settle(snapshot.receipt()).map_err(|error| error.in_index(uid))?;
            }
        }
        Ok(DumpView { queue, indexes, records, shares_numbers })
    }
}

/// Collects the inputs of a dump. Runs on the writer of the queue.
fn look(maker: &DumpMaker, open: &HashMap<Uuid, Arc<Index>>) -> Result<DumpInputs, ServiceError> {
    let all = &maker.indexes;
    let mut indexes = Vec::new();
    for (uid, id) in all.registry.all() {
        let snapshot = match open.get(&id) {
            Some(index) => index.snapshot(),
            // The index was created after the others were opened.
            None => all.index(&uid)?.snapshot(),
        };
        indexes.push((uid, snapshot));
    }
    let webhooks = maker.webhooks.all();
    let chats = maker.chats.current();
    let chats = chats.iter().map(|(uid, settings)| (uid.clone(), (**settings).clone())).collect();
    let records = InstanceRecords {
        instance_uid: instance_uid(all),
        instance: stored_instance(all).map_err(ServiceError::internal)?,
        keys: Some(keys(maker)),
        webhooks,
        chats,
        rules: all.rules.rule_set().iter().cloned().collect(),
    };
    let shares_numbers = all.placements.current().is_sharded();
    Ok(DumpInputs { indexes, records, shares_numbers })
}

/// Returns the keys, oldest first, so that equal instances have equal dumps.
fn keys(maker: &DumpMaker) -> Vec<Key> {
    let mut keys: Vec<Key> =
        maker.keys.read(|ring| ring.keys().map(|key| Key::clone(key)).collect());
    keys.sort_unstable_by_key(|key| (key.created_at, key.uid));
    keys
}

/// Returns the uid used by telemetry. None if the instance has never sent any.
fn instance_uid(indexes: &Indexes) -> Option<Uuid> {
    let text = std::fs::read_to_string(indexes.folder.root().join(INSTANCE_UID_FILE)).ok()?;
    Uuid::parse_str(text.trim()).ok()
}

fn stored_instance(indexes: &Indexes) -> Result<Map<String, Value>, redb::Error> {
    let database = indexes.meta.now();
    instance_table::all(&database.begin_read()?)
}
