//! Embedders with the same model share what is large about it, for as long as one of them is there.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::SystemTime;

use parking_lot::Mutex;

use super::encoder::Encoder;

/// Files as they were when they were read: a model that was replaced is another one.
type Files = Vec<(PathBuf, u64, Option<SystemTime>)>;

static LOADED: Mutex<Option<HashMap<Files, Weak<Encoder>>>> = Mutex::new(None);

/// The encoder from these files. One at a time is loaded, which takes twice its size for a moment.
pub(super) fn encoder<E>(
    files: impl IntoIterator<Item = PathBuf>,
    load: impl FnOnce() -> Result<Encoder, E>,
) -> Result<Arc<Encoder>, E> {
    let files: Files = files
        .into_iter()
        .map(|path| match fs::metadata(&path) {
            Ok(file) => (path, file.len(), file.modified().ok()),
            Err(_) => (path, 0, None),
        })
        .collect();
    let mut loaded = LOADED.lock();
    let loaded = loaded.get_or_insert_default();
    loaded.retain(|_, encoder| encoder.strong_count() > 0);
    if let Some(encoder) = loaded.get(&files).and_then(Weak::upgrade) {
        return Ok(encoder);
    }
    let encoder = Arc::new(load()?);
    loaded.insert(files, Arc::downgrade(&encoder));
    Ok(encoder)
}
