//! Compares the table of external ids with a plain map.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::frame::{Frame, FrameWriter, Tag};

const KIND: Tag = Tag(*b"TEST");

fn table_of(ids: &BTreeMap<Vec<u8>, DocId>) -> id_table::IdTable {
    let directory = memory();
    let mut form = id_form::IdForm::default();
    ids.keys().for_each(|id| form.add(id));
    let mut frame = FrameWriter::create(&directory, "x", KIND, 1).unwrap();
    let count = ids.len() as u64;
    let mut writer = id_table_writer::IdTableWriter::new(&mut frame, count, &form).unwrap();
    for (id, doc_id) in ids {
        writer.add(id, *doc_id).unwrap();
    }
    writer.finish().unwrap();
    frame.finish().unwrap();
    let frame = Frame::open("x", directory.open("x").unwrap(), KIND, 1).unwrap();
    let section = |tag| frame.section(tag).unwrap();
    id_table::IdTable::new(section(format::IDS), section(format::ID_GROUPS)).unwrap()
}

fn check(ids: &BTreeMap<Vec<u8>, DocId>) {
    let table = table_of(ids);
    assert_eq!(table.len(), ids.len() as u64);
    let mut cursor = table.cursor();
    let mut listed = BTreeMap::new();
    while let Some((id, doc_id)) = cursor.next() {
        listed.insert(id.to_vec(), doc_id);
    }
    assert!(cursor.is_done());
    assert_eq!(listed, *ids);

    let find = |id: &[u8]| {
        let found = table.find(id).expect("a well-formed table");
        assert_eq!(found, ids.get(id).copied(), "{}", id.escape_ascii());
    };
    find(b"");
    find(b"\xff\xff");
    for id in ids.keys() {
        find(id);
        find(&id[..id.len().saturating_sub(1)]);
        find(&[id, &id[..1.min(id.len())]].concat());
        let mut near = id.clone();
        if let Some(last) = near.last_mut() {
            *last = last.wrapping_add(1);
            find(&near);
        }
    }
}

fn numbered<T: AsRef<[u8]>>(ids: impl Iterator<Item = T>) -> BTreeMap<Vec<u8>, DocId> {
    ids.zip(0..).map(|(id, doc_id)| (id.as_ref().to_vec(), doc_id)).collect()
}

#[test]
fn ids_of_all_sorts_are_found() {
    check(&BTreeMap::new());
    check(&numbered(["only"].iter()));
    check(&numbered([""].iter()));
    check(&numbered(["", "a", "aa", "aaa"].iter()));
    check(&numbered((0..5000).map(|number| number.to_string())));
    check(&numbered(
        (0..200).map(|number| format!("a-long-start-that-is-always-the-same-{number:05}")),
    ));
    check(&numbered((0..300).map(|length| "x".repeat(length))));
    check(&numbered((0..500_u32).map(|number| {
        let mixed = u128::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        format!("{mixed:032x}")
    })));
    check(&numbered((0..=255_u8).map(|byte| vec![byte, 255 - byte])));
}

#[test]
fn doc_ids_may_be_anything() {
    let doc_ids = [0, DocId::MAX, 7, DocId::MAX - 1, 1 << 31];
    let ids =
        (0..200).map(|number| (format!("{number}").into_bytes(), doc_ids[number % 5])).collect();
    check(&ids);
}

#[test]
fn ids_must_rise_and_be_as_many_as_announced() {
    let directory = memory();
    let mut form = id_form::IdForm::default();
    form.add(b"ab");
    let mut frame = FrameWriter::create(&directory, "x", KIND, 1).unwrap();
    let mut writer = id_table_writer::IdTableWriter::new(&mut frame, 2, &form).unwrap();
    writer.add(b"b", 1).unwrap();
    assert!(writer.add(b"b", 2).is_err());
    assert!(writer.add(b"a", 2).is_err());
    assert!(writer.finish().is_err());
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(21),
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_ids_are_found(
        ids in proptest::collection::btree_map("[ab]{0,6}|[a-c0-2_-]{0,12}", any::<u32>(), 0..150)
    ) {
        let ids = ids.into_iter().map(|(id, doc_id)| (id.into_bytes(), doc_id)).collect();
        check(&ids);
    }
}
