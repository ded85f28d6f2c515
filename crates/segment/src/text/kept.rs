//! Memory of what was found out about a file, which never changes: results are kept for those who
//! ask the same again, as people do who type on. It is bounded, and what is not asked for goes
//! first. Nobody waits for it: where another thread has it, the work is done again.

use std::collections::HashMap;

use parking_lot::Mutex;

/// What an entry takes beside its subject and its value.
const ENTRY_BYTES: usize = 128;

/// What a value is about, in numbers that say it all.
type Subject = Box<[u32]>;

#[derive(Debug)]
pub(super) struct Kept<V>(Mutex<Generations<V>>);

/// Entries that are asked for move to the young; when those have grown too large, they become the
/// old ones and what was old and not asked for is forgotten.
#[derive(Debug)]
struct Generations<V> {
    young: HashMap<Subject, Entry<V>>,
    young_bytes: usize,
    old: HashMap<Subject, Entry<V>>,
}

#[derive(Debug)]
struct Entry<V> {
    value: V,
    bytes: usize,
}

impl<V> Default for Kept<V> {
    fn default() -> Self {
        let generations =
            Generations { young: HashMap::new(), young_bytes: 0, old: HashMap::new() };
        Self(Mutex::new(generations))
    }
}

impl<V: Clone> Kept<V> {
    /// `limit`: the most bytes that are kept.
    pub fn get(&self, subject: &[u32], limit: usize) -> Option<V> {
        self.0.try_lock()?.get(subject, limit)
    }

    /// `bytes`: what the value takes.
    pub fn keep(&self, subject: &[u32], value: &V, bytes: usize, limit: usize) {
        if let Some(mut generations) = self.0.try_lock() {
            let bytes = ENTRY_BYTES + size_of_val(subject) + bytes;
            generations.keep(subject.into(), Entry { value: value.clone(), bytes }, limit);
        }
    }
}

impl<V: Clone> Generations<V> {
    fn get(&mut self, subject: &[u32], limit: usize) -> Option<V> {
        if let Some(known) = self.young.get(subject) {
            return Some(known.value.clone());
        }
        let (subject, entry) = self.old.remove_entry(subject)?;
        let value = entry.value.clone();
        self.keep(subject, entry, limit);
        Some(value)
    }

    fn keep(&mut self, subject: Subject, entry: Entry<V>, limit: usize) {
        let bytes = entry.bytes;
        if bytes > limit / 2 {
            return;
        }
        if self.young_bytes + bytes > limit / 2 {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        if self.young.insert(subject, entry).is_none() {
            self.young_bytes += bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_stays_and_the_rest_is_forgotten() {
        let limit = 20 * (ENTRY_BYTES + 4 + 1000);
        let kept = Kept::default();
        for number in 0..100_u32 {
            kept.keep(&[number], &number, 1000, limit);
            assert_eq!(kept.get(&[0], limit), Some(0), "{number}");
            let generations = kept.0.lock();
            assert!(generations.young.len() + generations.old.len() <= 20);
        }
        assert_eq!(kept.get(&[99], limit), Some(99));
        assert_eq!(kept.get(&[50], limit), None);
        // What is larger than all that may be kept is not.
        kept.keep(&[1000], &1000, 1000, 100);
        assert_eq!(kept.get(&[1000], limit), None);
    }
}
