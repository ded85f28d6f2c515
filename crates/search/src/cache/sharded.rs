//! A bounded map that all searches share. It consists of a few shards with a lock each, so that
//! searches seldom contend. It uses `try_lock`: contention is a miss, and an insertion under
//! contention is dropped.

use std::hash::{BuildHasher, Hash};

use hashbrown::DefaultHashBuilder;
use parking_lot::Mutex;

use super::generations::Generations;

/// More shards reduce contention, but limit the size of values.
const SHARDS: usize = 8;

pub(super) struct Sharded<K, V> {
    hasher: DefaultHashBuilder,
    shards: [Mutex<Generations<K, V>>; SHARDS],
}

impl<K: Hash + Eq, V: Clone> Sharded<K, V> {
    /// The limit is for all shards together.
    pub fn new(limit_bytes: usize) -> Self {
        let shard = |_| Mutex::new(Generations::new(limit_bytes / SHARDS));
        Self { hasher: DefaultHashBuilder::default(), shards: std::array::from_fn(shard) }
    }

    /// Values are cloned under the lock, so they should be cheap to clone.
    pub fn get(&self, key: &K) -> Option<V> {
        self.shard(key).try_lock()?.get(key)
    }

    /// Inserts an entry. `heap_bytes` is the memory of key and value beyond their slot in the map.
    pub fn insert(&self, key: K, value: V, heap_bytes: usize) {
        if let Some(mut shard) = self.shard(&key).try_lock() {
            shard.insert(key, value, heap_bytes);
        }
    }

    fn shard(&self, key: &K) -> &Mutex<Generations<K, V>> {
        &self.shards[self.hasher.hash_one(key) as usize % SHARDS]
    }

    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().bytes()).sum()
    }

    /// Runs `run` while all locks are taken.
    #[cfg(test)]
    pub fn while_locked<T>(&self, run: impl FnOnce() -> T) -> T {
        let _locks: Vec<_> = self.shards.iter().map(Mutex::lock).collect();
        run()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const LIMIT_BYTES: usize = 1 << 20;

    #[test]
    fn all_shards_together_stay_within_the_limit() {
        let map = Sharded::new(LIMIT_BYTES);
        for number in 0..10_000_u32 {
            map.insert(number, number, 1000);
        }
        let bytes = map.bytes();
        assert!(bytes <= LIMIT_BYTES && bytes > LIMIT_BYTES / 3, "{bytes} bytes");
        let last_ones = 9_900..10_000;
        assert!(last_ones.into_iter().all(|number| map.get(&number) == Some(number)));
    }

    #[test]
    fn two_threads_find_what_either_inserts() {
        let map = Sharded::new(LIMIT_BYTES);
        let hits = AtomicUsize::new(0);
        let work = |step: u32| {
            for number in 0..50_000_u32 {
                // One key often, others in an order of its own: more than there is room for.
                let key = if number % 4 == 0 { 0 } else { number * step % 1500 };
                match map.get(&key) {
                    Some(value) => {
                        assert_eq!(value, key * 3);
                        hits.fetch_add(1, Ordering::Relaxed);
                    }
                    None => map.insert(key, key * 3, 1000),
                }
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| work(1));
            scope.spawn(|| work(7));
        });
        assert!(hits.into_inner() > 0);
        assert!(map.bytes() <= LIMIT_BYTES, "{} bytes", map.bytes());
    }

    #[test]
    fn contended_lock_is_a_miss() {
        let map = Sharded::new(LIMIT_BYTES);
        map.insert(1, 3, 0);
        map.while_locked(|| {
            assert_eq!(map.get(&1), None);
            map.insert(2, 6, 0);
        });
        assert_eq!((map.get(&1), map.get(&2)), (Some(3), None));
    }
}
