//! Stash: durable entries under a key, with a body or without, for other modules. Bodies are
//! payloads like those of tasks. Only the writer of an entry knows its meaning.

use redb::{ReadTransaction, ReadableDatabase, ReadableTable, Table, WriteTransaction};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::record_bytes::{Reader, Record, put_json, seal};
use super::schema::STASH;
use crate::task::error::QueueError;
use crate::task::payload_id::PayloadId;

#[derive(Debug, Clone, PartialEq)]
pub struct StashEntry {
    pub key: String,
    pub value: Value,
    pub payload: Option<PayloadId>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct StashRecord {
    pub value: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<PayloadId>,
}

/// Returns the payloads of all entries.
pub(crate) fn payloads(database: &redb::Database) -> Result<Vec<PayloadId>, QueueError> {
    payloads_of(&database.begin_read()?)
}

pub(crate) fn payloads_of(transaction: &ReadTransaction) -> Result<Vec<PayloadId>, QueueError> {
    let table = transaction.open_table(STASH)?;
    let mut payloads = Vec::new();
    for entry in table.iter()? {
        let (key, bytes) = entry?;
        payloads.extend(read(key.value(), bytes.value())?.payload);
    }
    Ok(payloads)
}

pub(crate) type StashTable<'txn> = Table<'txn, &'static str, &'static [u8]>;

pub(crate) fn open(transaction: &WriteTransaction) -> Result<StashTable<'_>, QueueError> {
    Ok(transaction.open_table(STASH)?)
}

/// Puts an entry and returns the one it replaces.
pub(crate) fn put(
    table: &mut StashTable<'_>,
    key: &str,
    entry: &StashRecord,
) -> Result<Option<StashRecord>, QueueError> {
    let mut bytes = Vec::new();
    put_json(&mut bytes, entry)?;
    let bytes = seal(bytes, Record::Stashed(key));
    let replaced = table.insert(key, bytes.as_slice())?;
    replaced.map(|replaced| read(key, replaced.value())).transpose()
}

pub(crate) fn read(key: &str, bytes: &[u8]) -> Result<StashRecord, QueueError> {
    Reader::open(bytes, Record::Stashed(key))?.json()
}
