//! Puts entries into the stash of the queue, and reads them.

use model::ServiceError;
use redb::ReadableDatabase;
use serde_json::Value;

use super::Queue;
use crate::store::payloads::SealedPayload;
use crate::store::schema::STASH;
use crate::store::stash::{self, StashEntry, StashRecord};
use crate::task::error::QueueError;

impl Queue {
    /// Stores an entry, replacing the one under its key. Returns once it is durable.
    pub fn stash(
        &self,
        key: &str,
        value: Value,
        payload: Option<SealedPayload>,
    ) -> Result<(), ServiceError> {
        let id = payload.as_ref().map(SealedPayload::id);
        let in_database = payload.as_ref().and_then(SealedPayload::database_entry);
        let in_database = in_database.map(|(key, bytes)| (key, bytes.to_vec()));
        let (key, entry) = (key.to_owned(), StashRecord { value, payload: id });
        let written = self.amend(move |tables| {
            if let Some((key, bytes)) = in_database {
                tables.put_payload(key, &bytes)?;
            }
            let replaced = stash::put(&mut *tables.stash()?, &key, &entry)?;
            match replaced.and_then(|replaced| replaced.payload) {
                Some(payload) => tables.remove_payload(&payload),
                None => Ok(()),
            }
        });
        // After a failed commit only a restart can tell whether it is stored; it also sweeps.
        if let Some(payload) = payload {
            payload.keep();
        }
        written
    }

    /// Returns the entries whose keys have the prefix, ordered by key.
    pub fn stashed(&self, prefix: &str) -> Result<Vec<StashEntry>, ServiceError> {
        Ok(self.read_stash(prefix)?)
    }

    fn read_stash(&self, prefix: &str) -> Result<Vec<StashEntry>, QueueError> {
        let database = self.core().database.now();
        let table = database.begin_read()?.open_table(STASH)?;
        let mut found = Vec::new();
        for entry in table.range(prefix..)? {
            let (key, bytes) = entry?;
            if !key.value().starts_with(prefix) {
                break;
            }
            let StashRecord { value, payload } = stash::read(key.value(), bytes.value())?;
            found.push(StashEntry { key: key.value().to_owned(), value, payload });
        }
        Ok(found)
    }

    /// Removes the entries whose keys have the prefix.
    pub fn unstash(&self, prefix: &str) -> Result<(), ServiceError> {
        let entries = self.read_stash(prefix)?;
        if entries.is_empty() {
            return Ok(());
        }
        self.amend(move |tables| {
            for StashEntry { key, payload, .. } in entries {
                tables.stash()?.remove(key.as_str())?;
                if let Some(payload) = payload {
                    tables.remove_payload(&payload)?;
                }
            }
            Ok(())
        })
    }
}
