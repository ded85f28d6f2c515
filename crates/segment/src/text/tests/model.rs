//! Compares random documents with the model: written, read and merged.

use ::model::Cancel;
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn piece() -> impl Strategy<Value = Piece> {
    prop_oneof![
        8 => (0..40_u8).prop_map(|number| Piece::Word(word(number))),
        1 => Just(Piece::Skip),
        1 => Just(Piece::Gap),
    ]
}

/// Words with long and with short common prefixes, and one that is too long.
fn word(number: u8) -> String {
    match number {
        0..20 => format!("w{number}"),
        20..30 => "é".repeat(usize::from(number) - 19),
        30 => "x".repeat(251),
        _ => char::from(b'a' + number - 31).to_string(),
    }
}

fn leaves() -> impl Strategy<Value = Vec<(String, Vec<Piece>)>> {
    vec((0..5_u8, vec(piece(), 0..12)), 0..6).prop_map(|leaves| {
        leaves.into_iter().map(|(field, pieces)| (format!("field{field}"), pieces)).collect()
    })
}

pub(super) fn model() -> impl Strategy<Value = Model> {
    vec((0..60_u32, leaves()), 0..40).prop_map(|documents| {
        // Runs and gaps, and more than one container of a set.
        let spread = |doc_id: u32| doc_id + doc_id / 10 * 30_000;
        let documents =
            documents.into_iter().map(|(doc_id, leaves)| (spread(doc_id), leaves)).collect();
        Model { documents }
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 96,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(21),
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_file_holds_what_the_model_holds(model in model()) {
        model.check(&model.write(&memory(), "x"));
    }

    /// Every model becomes a segment that replaces the same documents of earlier ones. Segments are
    /// merged two by two, then all together; either way the file equals one written at once.
    #[test]
    fn a_merge_holds_what_the_model_holds(models in vec(model(), 1..5), dead in vec(0..200_u32, 0..8)) {
        let directory = memory();
        let mut expected = Model::default();
        let mut segments: Vec<(TextReader, RoaringBitmap)> = Vec::new();
        for (number, model) in models.iter().enumerate() {
            for (_, live) in &mut segments {
                *live -= model.doc_ids();
            }
            segments.push((model.write(&directory, &format!("segment-{number}")), model.doc_ids()));
            expected.documents.extend(model.documents.clone());
        }
        for doc_id in dead {
            expected.documents.remove(&doc_id);
            for (_, live) in &mut segments {
                live.remove(doc_id);
            }
        }
        let mut half_merged = Vec::new();
        for (number, pair) in segments.chunks(2).enumerate() {
            let name = format!("half-{number}");
            merge(&inputs(pair), &directory, &name, &Cancel::default()).unwrap();
            let reader = TextReader::open(&directory, &name).unwrap();
            let live = reader.doc_ids().clone();
            half_merged.push((reader, live));
        }
        merge(&inputs(&half_merged), &directory, "stepwise", &Cancel::default()).unwrap();
        merge(&inputs(&segments), &directory, "at-once", &Cancel::default()).unwrap();
        expected.check(&TextReader::open(&directory, "stepwise").unwrap());
        expected.write(&directory, "fresh");
        prop_assert_eq!(directory.open("fresh").unwrap(), directory.open("at-once").unwrap());
        prop_assert_eq!(directory.open("fresh").unwrap(), directory.open("stepwise").unwrap());
    }
}

fn inputs(segments: &[(TextReader, RoaringBitmap)]) -> Vec<TextMergeInput<'_>> {
    segments.iter().map(|(reader, live)| TextMergeInput { reader, live }).collect()
}
