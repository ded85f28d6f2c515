//! What is put aside durably under a name, with a body or without, until it is asked for. Bodies
//! are payloads like those of tasks. What it means is known to those who put it there.

use model::ServiceError;
use redb::{ReadTransaction, ReadableDatabase, ReadableTable, Table, WriteTransaction};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::QueueError;
use crate::payloads::{PayloadId, SealedPayload};
use crate::queue::Queue;
use crate::record_bytes::{Reader, Record, put_json, seal};
use crate::store::STASH;

#[derive(Debug, Clone, PartialEq)]
pub struct Stashed {
    pub key: String,
    pub value: Value,
    pub payload: Option<PayloadId>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    value: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    payload: Option<PayloadId>,
}

impl Queue {
    /// Puts something aside, in the place of what was there under the key. Returns once it is
    /// durable.
    pub fn stash(
        &self,
        key: &str,
        value: Value,
        payload: Option<SealedPayload>,
    ) -> Result<(), ServiceError> {
        let id = payload.as_ref().map(SealedPayload::id);
        let in_database = payload.as_ref().and_then(SealedPayload::database_entry);
        let in_database = in_database.map(|(key, bytes)| (key, bytes.to_vec()));
        let (key, entry) = (key.to_owned(), Entry { value, payload: id });
        let written = self.amend(move |tables| {
            if let Some((key, bytes)) = in_database {
                tables.put_payload(key, &bytes)?;
            }
            let replaced = put(&mut *tables.stash()?, &key, &entry)?;
            match replaced.and_then(|replaced| replaced.payload) {
                Some(payload) => tables.remove_payload(&payload),
                None => Ok(()),
            }
        });
        // After a failed commit only a restart tells whether it is there; it also sweeps.
        if let Some(payload) = payload {
            payload.keep();
        }
        written
    }

    /// Everything whose key begins so, in the order of the keys.
    pub fn stashed(&self, prefix: &str) -> Result<Vec<Stashed>, ServiceError> {
        Ok(self.read_stash(prefix)?)
    }

    fn read_stash(&self, prefix: &str) -> Result<Vec<Stashed>, QueueError> {
        let database = self.core().database.now();
        let table = database.begin_read()?.open_table(STASH)?;
        let mut found = Vec::new();
        for entry in table.range(prefix..)? {
            let (key, bytes) = entry?;
            if !key.value().starts_with(prefix) {
                break;
            }
            let Entry { value, payload } = read(key.value(), bytes.value())?;
            found.push(Stashed { key: key.value().to_owned(), value, payload });
        }
        Ok(found)
    }

    /// Removes everything whose key begins so.
    pub fn unstash(&self, prefix: &str) -> Result<(), ServiceError> {
        let doomed = self.read_stash(prefix)?;
        if doomed.is_empty() {
            return Ok(());
        }
        self.amend(move |tables| {
            for Stashed { key, payload, .. } in doomed {
                tables.stash()?.remove(key.as_str())?;
                if let Some(payload) = payload {
                    tables.remove_payload(&payload)?;
                }
            }
            Ok(())
        })
    }
}

/// The payloads of what is put aside.
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

/// Gives what was there before.
fn put(table: &mut StashTable<'_>, key: &str, entry: &Entry) -> Result<Option<Entry>, QueueError> {
    let mut bytes = Vec::new();
    put_json(&mut bytes, entry)?;
    let bytes = seal(bytes, Record::Stashed(key));
    let replaced = table.insert(key, bytes.as_slice())?;
    replaced.map(|replaced| read(key, replaced.value())).transpose()
}

fn read(key: &str, bytes: &[u8]) -> Result<Entry, QueueError> {
    Reader::open(bytes, Record::Stashed(key))?.json()
}
