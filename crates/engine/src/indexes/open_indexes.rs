//! Open indexes. An index is opened on first use and closed when many others have been used since,
//! so that thousands of idle indexes cost neither memory nor descriptors.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use index::Index;
use model::ServiceError;
use parking_lot::Mutex;
use segment::DiskDirectory;
use uuid::Uuid;

use crate::common::failure::index_failure;

/// Capacity: enough that a busy instance never reopens what it uses; small enough for any machine.
pub(crate) const MAX_OPEN: usize = 512;

#[derive(Debug)]
pub(crate) struct OpenIndexes {
    inner: Mutex<Inner>,
    options: index::Options,
}

#[derive(Debug, Default)]
struct Inner {
    open: HashMap<Uuid, Slot>,
    clock: u64,
}

/// Slot of an index. Its lock is held while the index is opened, so that a slow one (damaged or
/// very large) holds up only its own users.
#[derive(Debug, Clone)]
struct Slot {
    index: Arc<Mutex<Option<Arc<Index>>>>,
    last_use: u64,
}

/// First bytes of common ideographs.
const IDEOGRAPHS: RangeInclusive<u8> = 0xE4..=0xE9;

/// Returns whether an index has words that begin with an ideograph.
fn has_ideographs(index: &Index) -> bool {
    index.snapshot().segments().iter().any(|segment| {
        IDEOGRAPHS.into_iter().any(|byte| !segment.text().prefix_range(&[byte]).is_empty())
    })
}

impl OpenIndexes {
    pub fn new(options: index::Options) -> Self {
        Self { inner: Mutex::default(), options }
    }

    pub fn options(&self) -> index::Options {
        self.options
    }

    pub fn get(&self, id: Uuid, folder: &Path) -> Result<Arc<Index>, ServiceError> {
        let slot = self.slot(id);
        let mut opened = slot.lock();
        if let Some(index) = opened.as_ref() {
            // The index stays open: a second copy would be a second writer.
            index.check_maps().map_err(index_failure)?;
            return Ok(Arc::clone(index));
        }
        let directory = DiskDirectory::existing(folder).map_err(index_failure)?;
        let index = Index::open_with(Arc::new(directory), self.options).map_err(index_failure)?;
        let index = Arc::new(index);
        *opened = Some(Arc::clone(&index));
        if has_ideographs(&index) {
            text::load_chinese_dictionary();
        }
        Ok(index)
    }

    /// Returns the index if it is open, without counting as a use.
    pub fn peek(&self, id: Uuid) -> Option<Arc<Index>> {
        let slot = Arc::clone(&self.inner.lock().open.get(&id)?.index);
        let opened = slot.try_lock()?;
        opened.clone()
    }

    /// Inserts an index that was just created.
    pub fn insert(&self, id: Uuid, index: Arc<Index>) {
        *self.slot(id).lock() = Some(index);
    }

    /// Drops a deleted index. Its users keep it until they are done, but merge it no more.
    pub fn remove(&self, id: Uuid) {
        let removed = self.inner.lock().open.remove(&id);
        let opened = removed.as_ref().and_then(|slot| slot.index.try_lock());
        if let Some(index) = opened.as_deref().and_then(Option::as_ref) {
            index.note_deletion();
        }
    }

    fn slot(&self, id: Uuid) -> Arc<Mutex<Option<Arc<Index>>>> {
        let mut inner = self.inner.lock();
        inner.clock += 1;
        let now = inner.clock;
        let slot =
            inner.open.entry(id).or_insert_with(|| Slot { index: Arc::default(), last_use: now });
        slot.last_use = now;
        let index = Arc::clone(&slot.index);
        if inner.open.len() > MAX_OPEN {
            inner.close_idle();
        }
        index
    }
}

impl Inner {
    /// Closes the least recently used quarter, except indexes in use: two open copies of one index
    /// would be two writers.
    fn close_idle(&mut self) {
        let mut by_age: Vec<(u64, Uuid)> =
            self.open.iter().map(|(id, slot)| (slot.last_use, *id)).collect();
        by_age.sort_unstable();
        for (_, id) in by_age.into_iter().take(MAX_OPEN / 4) {
            if self.open.get(&id).is_some_and(Slot::is_idle) {
                self.open.remove(&id);
            }
        }
    }
}

impl Slot {
    fn is_idle(&self) -> bool {
        // A second holder of the slot is about to use or open the index.
        if Arc::strong_count(&self.index) > 1 {
            return false;
        }
        let Some(opened) = self.index.try_lock() else {
            return false;
        };
        // Background work holds the index weakly and may upgrade at any time.
        opened
            .as_ref()
            .is_none_or(|index| Arc::strong_count(index) == 1 && Arc::weak_count(index) == 0)
    }
}
