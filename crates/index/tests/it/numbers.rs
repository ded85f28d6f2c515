//! Numbers of documents that several instances share: the same on whichever instance, whatever
//! tasks were applied together there.

use std::collections::BTreeMap;
use std::sync::Arc;

use index::{Index, Writer};
use segment::{Directory, MemoryDirectory};

use crate::support::at;

enum Change {
    Add(Vec<u32>),
    Delete(Vec<u32>),
    Clear,
}

/// Applies a change as an instance does that stores the documents that `owns` says.
fn apply(writer: &mut Writer<'_>, change: &Change, owns: impl Fn(u32) -> bool) {
    match change {
        Change::Add(ids) => {
            let first = writer.take_numbers(ids.len() as u64).unwrap();
            for (place, id) in ids.iter().enumerate().filter(|(_, id)| owns(**id)) {
                let name = id.to_string();
                writer.reserve_number(&name, first + place as u32);
                writer.upsert(&name, &format!("{{\"id\":{id}}}"), ["id"]).unwrap();
            }
        }
        Change::Delete(ids) => {
            for id in ids {
                writer.delete(&id.to_string()).unwrap();
            }
        }
        Change::Clear => drop(writer.clear().unwrap()),
    }
}

fn numbers(index: &Index) -> BTreeMap<String, u32> {
    let mut numbers = BTreeMap::new();
    let snapshot = index.snapshot();
    for segment in snapshot.segments() {
        segment
            .documents()
            .for_each_id(|id, doc_id| {
                if segment.has(doc_id) {
                    numbers.insert(id.to_owned(), doc_id);
                }
            })
            .unwrap();
    }
    numbers
}

fn changes() -> Vec<Change> {
    let mut state = 7_u64;
    let mut random = move |bound: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    (0..200)
        .map(|_| {
            let some: Vec<u32> = (0..1 + random(6)).map(|_| random(60) as u32).collect();
            match random(40) {
                0 => Change::Clear,
                1..10 => Change::Delete(some),
                _ => Change::Add(some),
            }
        })
        .collect()
}

#[test]
fn instances_agree_on_numbers_however_they_batch() {
    let changes = changes();
    // Each instance with its part of the documents, and how many changes it applies at a time.
    let instances = [(0..60, 1), (0..20, 3), (20..40, 7), (40..60, 50), (10..60, 200)];
    let mut all: Vec<BTreeMap<String, u32>> = Vec::new();
    for (owned, together) in instances {
        let directory: Arc<dyn Directory> = Arc::new(MemoryDirectory::new());
        let mut index =
            Index::create_with(directory.clone(), at(0), crate::support::small_options()).unwrap();
        for batch in changes.chunks(together) {
            let mut writer = index.writer().unwrap();
            for change in batch {
                apply(&mut writer, change, |id| owned.contains(&id));
            }
            writer.commit(b"", at(1)).unwrap();
            index = Index::open_with(directory.clone(), crate::support::small_options()).unwrap();
        }
        all.push(numbers(&index));
    }
    let [whole, parts @ ..] = &all[..] else { panic!() };
    assert!(whole.len() > 20);
    for part in parts {
        for (id, number) in part {
            assert_eq!(whole.get(id), Some(number), "document {id}");
        }
    }
    let owned: usize = parts[..3].iter().map(BTreeMap::len).sum();
    assert_eq!(owned, whole.len());
}

#[test]
fn a_number_that_is_taken_is_not_given_again_and_the_last_ones_give_way() {
    let (_, index) = crate::support::in_memory();
    let mut writer = index.writer().unwrap();
    writer.upsert("a", "{}", []).unwrap();
    writer.reserve_number("b", 0);
    assert_eq!(writer.upsert("b", "{}", []).unwrap(), 1);
    writer.reserve_number("c", 70);
    assert_eq!(writer.upsert("c", "{}", []).unwrap(), 70);
    writer.raise_numbers(u64::from(u32::MAX));
    writer.commit(b"", at(1)).unwrap();

    let mut writer = index.writer().unwrap();
    assert_eq!(writer.take_numbers(1), Some(u32::MAX));
    assert_eq!(writer.take_numbers(1), None);
    assert_eq!(writer.upsert("d", "{}", []).unwrap(), 2);
    writer.commit(b"", at(2)).unwrap();
    assert_eq!(index.snapshot().next_doc_id(), 1 << 32);
}

/// A moved document may have a number that another document has: the number that it gets instead is
/// not that of another document of the batch.
#[test]
fn a_number_that_was_reserved_in_the_batch_is_no_gap() {
    let (_, index) = crate::support::in_memory();
    let mut writer = index.writer().unwrap();
    for (name, number) in [("a", 0), ("b", 1), ("c", 5)] {
        writer.reserve_number(name, number);
        assert_eq!(writer.upsert(name, "{}", []).unwrap(), number);
    }
    writer.reserve_number("d", 5);
    assert_eq!(writer.upsert("d", "{}", []).unwrap(), 2);
    writer.commit(b"", at(1)).unwrap();
    assert_eq!(numbers(&index).len(), 4);
}
