//! The settings of an index as one JSON value whose meaning this crate does not know. Long ones
//! (lists of synonyms, say) have their own file, written only when they change.

use std::sync::Arc;

use segment::{Directory, SegmentError};
use serde_json::Value;

use crate::error::Result;
use crate::file_name::FileName;
use crate::section;
use crate::tracked_file::TrackedFile;

#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    value: Arc<Value>,
    filed: Option<Arc<Filed>>,
}

#[derive(Debug)]
struct Filed {
    generation: u64,
    file: TrackedFile,
}

impl Settings {
    pub fn new(value: Value) -> Self {
        Self { value: Arc::new(value), filed: None }
    }

    pub fn open(directory: &Arc<dyn Directory>, generation: u64) -> Result<Self> {
        let name = FileName::settings(generation);
        let (value, length) = read(&**directory, &name.to_string())?;
        let file = TrackedFile::committed(directory, &name, length);
        Ok(Self { value: Arc::new(value), filed: Some(Arc::new(Filed { generation, file })) })
    }

    pub fn value(&self) -> &Value {
        &self.value
    }

    pub fn generation(&self) -> Option<u64> {
        self.filed.as_ref().map(|filed| filed.generation)
    }

    pub fn file(&self) -> Option<&TrackedFile> {
        self.filed.as_ref().map(|filed| &filed.file)
    }

    /// Moves the value to a file of this generation when the manifest may not hold it.
    pub fn move_to_file_if_large(
        &mut self,
        directory: &Arc<dyn Directory>,
        generation: u64,
        limit_bytes: usize,
    ) -> Result<()> {
        if self.filed.is_some() {
            return Ok(());
        }
        let json = self.value.to_string();
        if json.len() <= limit_bytes {
            return Ok(());
        }
        let name = FileName::settings(generation);
        let file = TrackedFile::write(directory, &name, |directory, name| {
            section::write_single(directory, name, section::SETTINGS, json.as_bytes())
        })?;
        self.filed = Some(Arc::new(Filed { generation, file }));
        Ok(())
    }
}

/// The value in a file, and the length of the file.
pub(crate) fn read(directory: &dyn Directory, name: &str) -> segment::Result<(Value, u64)> {
    let (bytes, length) = section::read_single(directory, name, section::SETTINGS)?;
    let value = serde_json::from_slice(&bytes)
        .map_err(|error| SegmentError::damaged(name, format!("settings: {error}")))?;
    Ok((value, length))
}
