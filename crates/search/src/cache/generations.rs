//! A bounded map in two generations. Entries are inserted into the young one, and entries of the
//! old one move there when they are used. When the young one fills half of the bytes, it becomes
//! the old one, and the previous old one is evicted. So entries in use remain, without an LRU list.

use std::hash::Hash;

use hashbrown::HashMap;

#[derive(Debug)]
pub(super) struct Generations<K, V> {
    /// Maximum size of one generation in bytes.
    half_bytes: usize,
    young: HashMap<K, CacheEntry<V>>,
    young_bytes: usize,
    old: HashMap<K, CacheEntry<V>>,
}

#[derive(Debug)]
struct CacheEntry<V> {
    value: V,
    bytes: usize,
}

impl<K: Hash + Eq, V: Clone> Generations<K, V> {
    /// Bytes of an entry in the hash table. A table that has just grown uses 7/16 of its slots.
    const SLOT_BYTES: usize = (size_of::<(K, CacheEntry<V>)>() + 1) * 16 / 7;

    pub fn new(limit_bytes: usize) -> Self {
        Self {
            half_bytes: limit_bytes / 2,
            young: HashMap::new(),
            young_bytes: 0,
            old: HashMap::new(),
        }
    }

    pub fn get(&mut self, key: &K) -> Option<V> {
        if let Some(entry) = self.young.get(key) {
            return Some(entry.value.clone());
        }
        let (key, entry) = self.old.remove_entry(key)?;
        let value = entry.value.clone();
        self.put(key, entry);
        Some(value)
    }

    /// Inserts an entry. `heap_bytes` is the memory of key and value beyond their slot in the map.
    /// Entries larger than half of the map are ignored.
    pub fn insert(&mut self, key: K, value: V, heap_bytes: usize) {
        self.put(key, CacheEntry { value, bytes: Self::SLOT_BYTES + heap_bytes });
    }

    fn put(&mut self, key: K, entry: CacheEntry<V>) {
        let bytes = entry.bytes;
        if bytes > self.half_bytes {
            return;
        }
        if self.young_bytes + bytes > self.half_bytes {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += bytes;
        if let Some(replaced) = self.young.insert(key, entry) {
            self.young_bytes -= replaced.bytes;
        }
    }

    /// Returns the memory of all entries, counted one by one.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.young.values().chain(self.old.values()).map(|entry| entry.bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY_BYTES: usize = Generations::<u32, u32>::SLOT_BYTES + 1000;
    const LIMIT_BYTES: usize = 20 * ENTRY_BYTES;

    #[test]
    fn an_entry_that_is_used_again_stays_and_others_are_evicted() {
        let mut map = Generations::new(LIMIT_BYTES);
        for number in 0..100_u32 {
            map.insert(number, number * 3, 1000);
            assert_eq!(map.get(&0), Some(0), "{number}");
            assert!(map.bytes() <= LIMIT_BYTES, "{} bytes", map.bytes());
        }
        assert_eq!(map.get(&99), Some(297));
        assert_eq!(map.get(&50), None);
        assert!(map.bytes() > LIMIT_BYTES / 2, "{} bytes", map.bytes());
    }

    #[test]
    fn an_entry_that_is_too_large_evicts_nothing() {
        let mut map = Generations::new(LIMIT_BYTES);
        map.insert(1, 3, 1000);
        map.insert(2, 6, LIMIT_BYTES / 2);
        assert_eq!((map.get(&1), map.get(&2)), (Some(3), None));
    }

    /// Two searches may have found the same at the same time.
    #[test]
    fn an_entry_that_is_inserted_again_counts_once() {
        let mut map = Generations::new(LIMIT_BYTES);
        map.insert(1, 3, 1000);
        for _ in 0..100 {
            map.insert(2, 6, 1000);
        }
        assert_eq!(map.bytes(), 2 * ENTRY_BYTES);
        assert_eq!((map.get(&1), map.get(&2)), (Some(3), Some(6)));
    }
}
