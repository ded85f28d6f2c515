//! The bytes of an opened file, or a part of them. Cloning and slicing share the same memory
//! map (or buffer), which lives until the last of them is dropped.

use std::ops::{Deref, Range};

use bytes::Bytes;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileBytes(Bytes);

impl FileBytes {
    /// Wraps the owner of some bytes.
    pub fn from_owner(owner: impl AsRef<[u8]> + Send + 'static) -> Self {
        Self(Bytes::from_owner(owner))
    }

    /// Returns a range of these bytes, or `None` if it reaches past their end.
    pub fn slice(&self, range: Range<usize>) -> Option<Self> {
        if range.start > range.end || range.end > self.0.len() {
            return None;
        }
        Some(Self(self.0.slice(range)))
    }
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for FileBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Bytes::from(bytes))
    }
}
