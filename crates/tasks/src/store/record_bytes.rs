//! Encoding of record fields, little-endian: dates, uids, names, sets, JSON. Reading never goes
//! past the end and never panics, whatever the bytes.

use roaring::RoaringBitmap;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::task::error::QueueError;
use crate::task::ids::{BatchUid, TaskUid};

pub(crate) const RECORD_VERSION: u8 = 1;
const NO_UID: u32 = u32::MAX;
const NO_DATE: i128 = i128::MIN;

pub(crate) fn put_uid(bytes: &mut Vec<u8>, uid: Option<u32>) {
    bytes.extend(uid.unwrap_or(NO_UID).to_le_bytes());
}

pub(crate) fn put_set(bytes: &mut Vec<u8>, set: &RoaringBitmap) -> Result<(), QueueError> {
    let length = u32::try_from(set.serialized_size())
        .map_err(|_| QueueError::damaged("a set of too many tasks"))?;
    bytes.extend(length.to_le_bytes());
    set.serialize_into(bytes).map_err(|error| QueueError::damaged(error.to_string()))
}

pub(crate) fn put_date(bytes: &mut Vec<u8>, date: Option<OffsetDateTime>) {
    let nanoseconds = date.map_or(NO_DATE, OffsetDateTime::unix_timestamp_nanos);
    bytes.extend(nanoseconds.to_le_bytes());
}

pub(crate) fn put_names<'a>(
    bytes: &mut Vec<u8>,
    names: impl ExactSizeIterator<Item = &'a str>,
) -> Result<(), QueueError> {
    let too_long = |_| QueueError::damaged("too many or too long index names");
    bytes.extend(u32::try_from(names.len()).map_err(too_long)?.to_le_bytes());
    for name in names {
        bytes.extend(u16::try_from(name.len()).map_err(too_long)?.to_le_bytes());
        bytes.extend(name.as_bytes());
    }
    Ok(())
}

pub(crate) fn put_json(bytes: &mut Vec<u8>, body: &impl Serialize) -> Result<(), QueueError> {
    serde_json::to_writer(bytes, body).map_err(|error| QueueError::damaged(error.to_string()))
}

const CHECKSUM_BYTES: usize = 8;

/// Appends the checksum of a record; the database does not verify its own checksums on reads.
pub(crate) fn seal(mut bytes: Vec<u8>, record: Record<'_>) -> Vec<u8> {
    let sum = checksum(&bytes, record);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// Computes the checksum with the uid as seed, so that a record under another's key is detected.
fn checksum(bytes: &[u8], record: Record<'_>) -> u64 {
    let seed = match record {
        Record::Task(uid) | Record::Batch(uid) => uid,
        Record::Stashed(key) => xxh3_64(key.as_bytes()) as u32,
    };
    xxh3_64_with_seed(bytes, u64::from(seed))
}

/// Identifies the record being read, for error messages.
#[derive(Clone, Copy)]
pub(crate) enum Record<'k> {
    Task(TaskUid),
    Batch(BatchUid),
    /// A stash entry, by its key.
    Stashed(&'k str),
}

/// Reads a record from its start, never past its end.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    record: Record<'a>,
}

impl<'a> Reader<'a> {
    /// Verifies the checksum before anything is read.
    pub fn open(bytes: &'a [u8], record: Record<'a>) -> Result<Self, QueueError> {
        let Some((rest, sum)) = bytes.split_last_chunk::<CHECKSUM_BYTES>() else {
            return Err(Self { rest: bytes, record }.damaged("it is cut short"));
        };
        let reader = Self { rest, record };
        if u64::from_le_bytes(*sum) != checksum(rest, record) {
            return Err(reader.damaged("its checksum does not match"));
        }
        Ok(reader)
    }

    pub fn damaged(&self, what: &str) -> QueueError {
        QueueError::damaged(match self.record {
            Record::Task(uid) => format!("the record of task {uid}: {what}"),
            Record::Batch(uid) => format!("the record of batch {uid}: {what}"),
            Record::Stashed(key) => format!("what was put aside as `{key}`: {what}"),
        })
    }

    pub fn take(&mut self, length: usize) -> Result<&'a [u8], QueueError> {
        let (taken, rest) =
            self.rest.split_at_checked(length).ok_or_else(|| self.damaged("it is cut short"))?;
        self.rest = rest;
        Ok(taken)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], QueueError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub fn byte(&mut self) -> Result<u8, QueueError> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    pub fn version(&mut self) -> Result<(), QueueError> {
        match self.byte()? {
            RECORD_VERSION => Ok(()),
            found => Err(QueueError::UnknownFormat {
                found: u32::from(found),
                known: u32::from(RECORD_VERSION),
            }),
        }
    }

    pub fn uid(&mut self) -> Result<Option<u32>, QueueError> {
        let uid = u32::from_le_bytes(self.array()?);
        Ok((uid != NO_UID).then_some(uid))
    }

    pub fn date(&mut self) -> Result<Option<OffsetDateTime>, QueueError> {
        let nanoseconds = i128::from_le_bytes(self.array()?);
        if nanoseconds == NO_DATE {
            return Ok(None);
        }
        let date = OffsetDateTime::from_unix_timestamp_nanos(nanoseconds);
        date.map(Some).map_err(|_| self.damaged("a date out of range"))
    }

    pub fn names(&mut self) -> Result<Vec<String>, QueueError> {
        let count = u32::from_le_bytes(self.array()?);
        let mut names = Vec::new();
        for _ in 0..count {
            let length = u16::from_le_bytes(self.array()?);
            let name = str::from_utf8(self.take(usize::from(length))?);
            names.push(name.map_err(|_| self.damaged("an index name is no text"))?.to_owned());
        }
        Ok(names)
    }

    pub fn set(&mut self) -> Result<RoaringBitmap, QueueError> {
        let length = u32::from_le_bytes(self.array()?);
        let bytes = self.take(length as usize)?;
        RoaringBitmap::deserialize_from(bytes)
            .map_err(|error| self.damaged(&format!("its set of tasks: {error}")))
    }

    pub fn json<T: for<'de> Deserialize<'de>>(&mut self) -> Result<T, QueueError> {
        serde_json::from_slice(self.rest).map_err(|error| self.damaged(&error.to_string()))
    }
}
