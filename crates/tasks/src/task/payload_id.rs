//! Identifies a payload, the body of a task.

use serde::{Deserialize, Serialize};
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_64;

use super::error::QueueError;

/// Location and length of a body; part of the task's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayloadId {
    key: Uuid,
    bytes: u64,
    checksum: u64,
    #[serde(rename = "place")]
    storage: Storage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Storage {
    Database,
    File,
}

impl PayloadId {
    pub(crate) fn in_database(key: Uuid, bytes: u64, checksum: u64) -> Self {
        Self { key, bytes, checksum, storage: Storage::Database }
    }

    pub(crate) fn in_file(key: Uuid, bytes: u64, checksum: u64) -> Self {
        Self { key, bytes, checksum, storage: Storage::File }
    }

    pub(crate) fn key(&self) -> Uuid {
        self.key
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the id for the body of a finished task, which is never read.
    pub fn empty() -> Self {
        Self { key: Uuid::nil(), bytes: 0, checksum: xxh3_64(&[]), storage: Storage::Database }
    }

    /// Checks that these are the bytes that were received.
    pub(crate) fn check(&self, found: &[u8]) -> Result<(), QueueError> {
        if found.len() as u64 != self.bytes || xxh3_64(found) != self.checksum {
            return Err(QueueError::damaged(format!("payloads/{} is not as received", self.key)));
        }
        Ok(())
    }

    /// Returns the key in the database, if the body is there.
    pub(crate) fn database_key(&self) -> Option<u128> {
        (self.storage == Storage::Database).then_some(self.key.as_u128())
    }

    /// Returns the name in the payload folder, if it is a file.
    pub(crate) fn file_name(&self) -> Option<String> {
        (self.storage == Storage::File).then(|| self.key.to_string())
    }
}
