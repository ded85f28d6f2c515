//! Cache of query embeddings: people search for the same things.

use std::fmt;
use std::num::NonZeroUsize;

use lru::LruCache;
use parking_lot::Mutex;

/// Cache of vectors by query; with a size of zero it holds nothing.
pub(crate) struct Cache {
    entries: Option<Mutex<LruCache<String, Vec<f32>>>>,
}

impl Cache {
    pub(crate) fn new(entries: usize) -> Self {
        let entries = NonZeroUsize::new(entries);
        Self { entries: entries.map(|entries| Mutex::new(LruCache::new(entries))) }
    }

    pub(crate) fn get(&self, key: &str) -> Option<Vec<f32>> {
        self.entries.as_ref()?.lock().get(key).cloned()
    }

    pub(crate) fn put(&self, key: String, vector: &[f32]) {
        if let Some(entries) = &self.entries {
            entries.lock().put(key, vector.to_vec());
        }
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").finish_non_exhaustive()
    }
}
