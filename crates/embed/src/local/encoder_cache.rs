//! Cache of encoders: embedders with the same model share it while one of them exists.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::SystemTime;

use parking_lot::Mutex;

use super::encoder::Encoder;

/// Cache key: files as they were when read; a replaced model is another one.
type Files = Vec<(PathBuf, u64, Option<SystemTime>)>;

static ENCODERS: Mutex<Option<HashMap<Files, Weak<Encoder>>>> = Mutex::new(None);

/// Returns the encoder from these files. Loads one at a time, which briefly takes twice its size.
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
    let mut loaded = ENCODERS.lock();
    let loaded = loaded.get_or_insert_default();
    loaded.retain(|_, encoder| encoder.strong_count() > 0);
    if let Some(encoder) = loaded.get(&files).and_then(Weak::upgrade) {
        return Ok(encoder);
    }
    let encoder = Arc::new(load()?);
    loaded.insert(files, Arc::downgrade(&encoder));
    Ok(encoder)
}
