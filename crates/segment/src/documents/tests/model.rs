//! Compares random operations with a plain map: written, read and merged.

use ::model::Cancel;
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Change {
    Add { doc_id: DocId, external_id: u8, length: usize, fields: u8 },
    Remove(DocId),
}

fn change() -> impl Strategy<Value = Change> {
    let add = (0..60_u32, 0..60_u8, 0..900_usize, 0..8_u8);
    prop_oneof![
        6 => add.prop_map(|(doc_id, external_id, length, fields)| Change::Add {
            doc_id: spread(doc_id),
            external_id,
            length,
            fields,
        }),
        1 => (0..60_u32).prop_map(|doc_id| Change::Remove(spread(doc_id))),
    ]
}

/// Runs and gaps, and more than one container of a set.
fn spread(doc_id: u32) -> DocId {
    doc_id + doc_id / 10 * 30_000
}

impl Model {
    fn apply(&mut self, change: &Change, number: usize) {
        match change {
            Change::Remove(doc_id) => {
                self.documents.remove(doc_id);
            }
            Change::Add { doc_id, external_id, length, fields } => {
                let external_id = format!("id{external_id}");
                self.documents.retain(|_, document| document.external_id != external_id);
                let document = Expected {
                    json: format!("{number}{}", "text ".repeat(length / 5)),
                    fields: (0..3)
                        .filter(|bit| fields & (1 << bit) != 0)
                        .map(|bit| format!("field{bit}"))
                        .collect(),
                    external_id,
                };
                self.documents.insert(*doc_id, document);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(20),
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_file_holds_what_the_map_holds(changes in vec(change(), 0..120)) {
        let mut model = Model::default();
        let mut writer = DocumentsWriter::new();
        for (number, change) in changes.iter().enumerate() {
            model.apply(change, number);
            match change {
                Change::Remove(doc_id) => {
                    writer.remove(*doc_id);
                }
                Change::Add { doc_id, .. } => model.documents[doc_id].add_to(&mut writer, *doc_id),
            }
        }
        prop_assert_eq!(writer.len(), model.documents.len());
        for (doc_id, document) in &model.documents {
            prop_assert_eq!(writer.get(*doc_id), Some(document.json.as_str()));
            prop_assert_eq!(writer.find(&document.external_id), Some(*doc_id));
        }
        let directory = memory();
        writer.finish(&directory, "x").unwrap();
        model.check(&DocumentsReader::open(&directory, "x").unwrap());
    }

    /// Every group of changes becomes a segment; the live sets select the latest segment of each
    /// document. Segments are merged two by two, then all together.
    #[test]
    fn a_merge_holds_what_the_map_holds(groups in vec(vec(change(), 0..40), 1..5)) {
        let directory = memory();
        let mut model = Model::default();
        let mut segments: Vec<(DocumentsReader, RoaringBitmap)> = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            let before = model.clone();
            for (place, change) in group.iter().enumerate() {
                model.apply(change, number * 1000 + place);
            }
            let mut changed = model.clone();
            changed
                .documents
                .retain(|doc_id, document| before.documents.get(doc_id) != Some(document));
            for (_, live) in &mut segments {
                *live &= model.doc_ids();
                *live -= changed.doc_ids();
            }
            let reader = changed.write(&directory, &format!("segment-{number}"));
            segments.push((reader, changed.doc_ids()));
        }

        let mut half_merged = Vec::new();
        for (number, pair) in segments.chunks(2).enumerate() {
            let name = format!("half-{number}");
            merge(&inputs(pair), &directory, &name, &Cancel::default()).unwrap();
            let reader = DocumentsReader::open(&directory, &name).unwrap();
            let live = reader.doc_ids().clone();
            half_merged.push((reader, live));
        }
        merge(&inputs(&half_merged), &directory, "stepwise", &Cancel::default()).unwrap();
        merge(&inputs(&segments), &directory, "at-once", &Cancel::default()).unwrap();
        model.check(&DocumentsReader::open(&directory, "stepwise").unwrap());
        model.check(&DocumentsReader::open(&directory, "at-once").unwrap());
    }
}

fn inputs(segments: &[(DocumentsReader, RoaringBitmap)]) -> Vec<MergeInput<'_>> {
    segments.iter().map(|(reader, live)| MergeInput { reader, live }).collect()
}
