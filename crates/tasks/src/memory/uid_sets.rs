//! Sets of uids by a shared property: the building block of the in-memory indexes.

use std::collections::HashMap;
use std::hash::Hash;

use roaring::RoaringBitmap;

pub(crate) type Sets<K> = HashMap<K, RoaringBitmap>;

pub(crate) fn insert_named(sets: &mut Sets<String>, name: &str, uid: u32) {
    match sets.get_mut(name) {
        Some(set) => {
            set.insert(uid);
        }
        None => {
            sets.insert(name.to_owned(), RoaringBitmap::from_iter([uid]));
        }
    }
}

pub(crate) fn remove_from<K: Hash + Eq>(sets: &mut Sets<K>, key: &K, uid: u32) {
    if let Some(set) = sets.get_mut(key) {
        set.remove(uid);
        if set.is_empty() {
            sets.remove(key);
        }
    }
}

pub(crate) fn union<K: Hash + Eq>(sets: &Sets<K>, keys: &[K]) -> RoaringBitmap {
    let mut all = RoaringBitmap::new();
    for set in keys.iter().filter_map(|key| sets.get(key)) {
        all |= set;
    }
    all
}

pub(crate) fn keep(found: &mut RoaringBitmap, wanted: impl Fn(u32) -> bool) {
    *found = found.iter().filter(|&uid| wanted(uid)).collect();
}
