//! Compares random documents with the model: written, read and merged.

use ::model::Cancel;
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn item() -> impl Strategy<Value = Item> {
    prop_oneof![
        1 => Just(Item::Null),
        1 => Just(Item::Empty),
        1 => Just(Item::Exists),
        6 => (-8..8_i8).prop_map(|number| Item::Number(f64::from(number) / 2.0)),
        6 => (0..24_u8).prop_map(|number| Item::Text(string(number))),
    ]
}

/// Strings with long and with short common prefixes, empty and long ones. Each has one spelling, so
/// that a merge can tell it.
fn string(number: u8) -> String {
    match number {
        0 => String::new(),
        1..6 => "é".repeat(usize::from(number)),
        6..9 => "e".repeat(usize::from(number) - 4),
        9 => "X".repeat(470),
        10 => format!("{}x", "X".repeat(400)),
        11..16 => format!("{}", number - 10),
        _ => format!("W{number}"),
    }
}

fn items() -> impl Strategy<Value = Vec<(String, Item)>> {
    vec((0..4_u8, item()), 0..7).prop_map(|items| {
        items.into_iter().map(|(name, item)| (format!("field{name}"), item)).collect()
    })
}

fn model() -> impl Strategy<Value = Model> {
    vec((0..60_u32, items()), 0..40).prop_map(|documents| {
        // Runs and gaps, and more than one container of a set.
        let spread = |doc_id: u32| doc_id + doc_id / 20 * 30_000;
        let documents =
            documents.into_iter().map(|(doc_id, items)| (spread(doc_id), items)).collect();
        Model { documents }
    })
}

/// Files of a segment, of which later ones win, and its live documents.
struct Segment {
    readers: Vec<ColumnsReader>,
    live: RoaringBitmap,
}

fn inputs(segments: &[Segment]) -> Vec<ColumnsMergeInput<'_>> {
    segments
        .iter()
        .map(|segment| ColumnsMergeInput {
            readers: segment.readers.iter().collect(),
            live: &segment.live,
        })
        .collect()
}

/// Returns the documents with only some of their columns.
fn only(model: &Model, wanted: impl Fn(&str) -> bool) -> Model {
    let mut model = model.clone();
    model.documents.values_mut().for_each(|items| items.retain(|(name, _)| wanted(name)));
    model
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(23),
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_file_holds_what_the_model_holds(model in model()) {
        let reader = model.write(&memory(), "x");
        model.check(&reader);
        for (name, column) in model.columns() {
            column.check_spellings(reader.column(&name).unwrap().unwrap());
        }
    }

    /// Every model becomes a segment of two files that replaces the same documents of earlier ones.
    /// Segments are merged two by two, then all together; either way the file equals one written at
    /// once.
    #[test]
    fn a_merge_holds_what_the_model_holds(models in vec(model(), 1..5), dead in vec(0..200_u32, 0..8)) {
        let directory = memory();
        let mut expected = Model::default();
        let mut segments: Vec<Segment> = Vec::new();
        for (number, model) in models.iter().enumerate() {
            segments.iter_mut().for_each(|segment| segment.live -= model.doc_ids());
            // `field1` is in both files; its values in the first must not matter.
            let mut first = only(model, |name| name < "field2");
            first.documents.values_mut().for_each(|items| {
                items.iter_mut().filter(|(name, _)| name == "field1").for_each(|(_, item)| {
                    *item = Item::Number(99.0);
                });
            });
            let second = only(model, |name| name > "field0");
            segments.push(Segment {
                readers: vec![
                    first.write(&directory, &format!("{number}-first")),
                    second.write(&directory, &format!("{number}-second")),
                ],
                live: model.doc_ids(),
            });
            expected.documents.extend(model.documents.clone());
        }
        for doc_id in dead {
            expected.documents.remove(&doc_id);
            for segment in &mut segments {
                segment.live.remove(doc_id);
            }
        }
        let wanted = |name: &str| name != "field3";
        let expected = only(&expected, wanted);
        let (all, cancel) = (|_: &str| true, Cancel::default());
        let mut half_merged = Vec::new();
        for (number, pair) in segments.chunks(2).enumerate() {
            let name = format!("half-{number}");
            merge(&inputs(pair), &all, &fold, &directory, &name, &cancel).unwrap();
            let live = pair.iter().fold(RoaringBitmap::new(), |live, it| live | &it.live);
            half_merged.push(Segment {
                readers: vec![ColumnsReader::open(&directory, &name).unwrap()],
                live,
            });
        }
        merge(&inputs(&half_merged), &wanted, &fold, &directory, "stepwise", &cancel).unwrap();
        merge(&inputs(&segments), &wanted, &fold, &directory, "at-once", &cancel).unwrap();
        expected.check(&ColumnsReader::open(&directory, "stepwise").unwrap());
        expected.write(&directory, "fresh");
        prop_assert_eq!(directory.open("fresh").unwrap(), directory.open("at-once").unwrap());
        prop_assert_eq!(directory.open("fresh").unwrap(), directory.open("stepwise").unwrap());
    }
}
