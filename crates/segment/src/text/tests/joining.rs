//! Tests of joining files with different attributes of the same documents, and of leaving
//! attributes out: the file equals one written at once.

use ::model::Cancel;
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;

use super::model::model;
use super::*;

fn joined(directory: &dyn Directory, parts: &[TextPart<'_>], name: &str) -> TextReader {
    let length = join(parts, directory, name, &Cancel::default()).unwrap();
    let reader = TextReader::open(directory, name).unwrap();
    assert_eq!(reader.file_bytes(), length);
    reader
}

impl Model {
    /// Returns the documents with only the wanted attributes.
    fn with_attributes(&self, wanted: impl Fn(&str) -> bool) -> Self {
        let mut narrowed = self.clone();
        for leaves in narrowed.documents.values_mut() {
            leaves.retain(|(field, _)| wanted(field));
        }
        narrowed
    }
}

#[test]
fn words_go_with_their_last_attribute() {
    let directory = memory();
    let mut model = Model::default();
    model.add(1, &[("title", "both one"), ("body", "both two"), ("body", "one")]);
    model.add(2, &[("body", "both two")]);
    model.add(3, &[("title", "both")]);
    let reader = model.write(&directory, "all");
    let (all, without) = (model.doc_ids(), BTreeSet::from(["body", "nowhere"]));
    let part = TextPart { reader: &reader, live: &all, without: &without };
    let narrowed = joined(&directory, &[part], "narrowed");
    model.with_attributes(|name| name == "title").check(&narrowed);
    assert_eq!(narrowed.word_count(), 2);
    assert_eq!(narrowed.fields(), ["title"]);

    let without = BTreeSet::from(["body", "title"]);
    let bare = joined(&directory, &[TextPart { without: &without, ..part }], "bare");
    assert_eq!((bare.word_count(), bare.fields().len()), (0, 0));
    assert_eq!(*bare.doc_ids(), all, "documents without words are documents");
}

#[test]
fn attributes_of_a_document_are_put_together_in_order() {
    let directory = memory();
    let mut model = Model::default();
    for doc_id in 0..300 {
        let text = format!("word{} {doc_id}", doc_id % 7);
        model.add(doc_id, &[("b", &text), ("a", "x . y"), ("c", &text), ("d", "")]);
    }
    let halves = [["a", "c"], ["b", "d"]].map(|names| {
        let half = model.with_attributes(|name| names.contains(&name));
        half.write(&directory, names[0])
    });
    let (all, nothing) = (model.doc_ids(), BTreeSet::new());
    let parts = halves.each_ref().map(|reader| TextPart { reader, live: &all, without: &nothing });
    joined(&directory, &parts, "joined");
    model.write(&directory, "fresh");
    assert_eq!(directory.open("fresh").unwrap(), directory.open("joined").unwrap());
}

#[test]
fn an_attribute_of_a_document_comes_from_one_part() {
    let directory = memory();
    let model = Model::sample(0, 20);
    let (reader, all, nothing) = (model.write(&directory, "x"), model.doc_ids(), BTreeSet::new());
    let part = TextPart { reader: &reader, live: &all, without: &nothing };
    let twice = join(&[part, part], &directory, "y", &Cancel::default()).unwrap_err();
    assert!(matches!(twice, SegmentError::Inconsistent(_)), "{twice}");
}

#[test]
fn it_stops_when_asked() {
    let directory = memory();
    let model = Model::sample(0, 3000);
    let reader = model.write(&directory, "x");
    let (live, without) = (model.doc_ids(), BTreeSet::from(["title"]));
    let part = TextPart { reader: &reader, live: &live, without: &without };
    for stop_at in [1, 3, 5] {
        let (stop, _) = Cancel::at_check(stop_at);
        let stopped = join(&[part], &directory, &format!("joined-{stop_at}"), &stop);
        assert!(matches!(stopped, Err(SegmentError::Stopped)), "{stop_at}");
        let (stop, _) = Cancel::at_check(stop_at);
        let stopped = finish(vec![model.buffer()], &directory, &format!("fresh-{stop_at}"), &stop);
        assert!(matches!(stopped, Err(SegmentError::Stopped)), "{stop_at}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 96,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(22),
        ..ProptestConfig::default()
    })]

    /// Some attributes of a file are replaced by those of others, which share the documents; some
    /// are left out, and some documents are deleted.
    #[test]
    fn attributes_are_exchanged(
        old in model(),
        new in model(),
        replaced in btree_set(0..5_u8, 0..4),
        dropped in btree_set(0..5_u8, 0..3),
        dead in vec(0..200_u32, 0..8),
    ) {
        let directory = memory();
        let names = |numbers: &BTreeSet<u8>| -> BTreeSet<String> {
            numbers.iter().map(|number| format!("field{number}")).collect()
        };
        let (replaced, dropped) = (names(&replaced), names(&dropped));
        let mut expected = old.with_attributes(|name| !replaced.contains(name) && !dropped.contains(name));
        let added = new.with_attributes(|name| replaced.contains(name));
        for (doc_id, leaves) in &added.documents {
            expected.documents.entry(*doc_id).or_default().extend(leaves.clone());
        }
        let mut live = expected.doc_ids();
        for doc_id in dead {
            live.remove(doc_id);
            expected.documents.remove(&doc_id);
        }
        let old = old.write(&directory, "old");
        let halves = [true, false].map(|odd| {
            let mut half = added.clone();
            half.documents.retain(|doc_id, _| (doc_id % 2 == 1) == odd);
            half.write(&directory, if odd { "odd" } else { "even" })
        });
        let nothing = BTreeSet::new();
        let without: BTreeSet<&str> = replaced.union(&dropped).map(String::as_str).collect();
        let parts = [
            TextPart { reader: &halves[0], live: &live, without: &nothing },
            TextPart { reader: &old, live: &live, without: &without },
            TextPart { reader: &halves[1], live: &live, without: &nothing },
        ];
        joined(&directory, &parts, "joined");
        expected.check(&expected.write(&directory, "fresh"));
        prop_assert_eq!(directory.open("fresh").unwrap(), directory.open("joined").unwrap());
    }
}
