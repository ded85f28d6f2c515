//! Tests of damaged files: never a panic, never wrong data.

use model::Cancel;

use super::*;
use crate::damaged_file;
use crate::directory::FileBytes;
use crate::frame::{Frame, Tag};
use crate::inspect;

const NAME: &str = "3.geo.1";

fn assert_names_the_file(error: &SegmentError) {
    damaged_file::assert_names(NAME, error);
}

fn bytes_of(model: &Model) -> Vec<u8> {
    let directory = MemoryDirectory::new();
    model.write(&directory, NAME);
    directory.open(NAME).unwrap().to_vec()
}

fn small_model() -> Model {
    let mut model = Model::sample(7, 48);
    model.shapes = model.shapes.into_iter().take(10).collect();
    model
}

/// Checks that everything a damaged file still returns is true.
fn matches_model(bytes: Vec<u8>, model: &Model) -> bool {
    let reader = match GeoReader::from_bytes(NAME, FileBytes::from(bytes)) {
        Ok(reader) => reader,
        Err(error) => {
            assert_names_the_file(&error);
            return false;
        }
    };
    let centre = at(45.0, 4.0);
    let polygon = line(&[(0.0, 0.0), (80.0, 0.0), (0.0, 80.0)]);
    let mut answers = vec![
        (
            reader.points_within(centre, 5e6),
            model.points_where(|point| distance(centre, point) <= 5e6),
        ),
        (
            reader.points_in_box(at(90.0, 180.0), at(-90.0, -180.0)),
            model.points_where(|it| it.lat.abs() <= 90.0 && it.lng.abs() <= 180.0),
        ),
        (reader.shapes_in_polygon(&polygon), model.shapes_in(&region::Region::polygon(&polygon))),
    ];
    for (doc_id, point) in &model.points {
        let found = reader.point_of(*doc_id).map(|found| {
            assert_eq!(found, Some(*point));
            RoaringBitmap::new()
        });
        answers.push((found, RoaringBitmap::new()));
    }
    let sorted = reader.nearest(centre, false).collect::<crate::error::Result<Vec<_>>>();
    let sorted = sorted.map(|found| {
        assert_eq!(found, model.by_distance(centre, false));
        RoaringBitmap::new()
    });
    answers.push((sorted, RoaringBitmap::new()));

    let mut sound = true;
    for (found, expected) in answers {
        match found {
            Ok(found) => assert_eq!(found, expected),
            Err(error) => {
                assert_names_the_file(&error);
                sound = false;
            }
        }
    }
    let problems = reader.verify();
    assert!(problems.iter().all(|problem| problem.file == NAME));
    assert!(sound || !problems.is_empty(), "a verification finds what a read finds");
    problems.is_empty()
}

#[test]
fn every_flipped_byte_is_noticed() {
    let model = small_model();
    let is_sound = |bytes| matches_model(bytes, &model);
    damaged_file::every_flip_is_noticed(&bytes_of(&model), &[0x01, 0xff], is_sound);
}

#[test]
fn every_missing_end_is_noticed() {
    let model = small_model();
    let is_sound = |bytes| matches_model(bytes, &model);
    damaged_file::every_missing_end_is_noticed(&bytes_of(&model), NAME, is_sound);
}

/// Sections that are checked in pages, with their checksums.
const PAGED: [(Tag, Tag); 6] = [
    (format::POINTS, format::POINT_PAGES),
    (format::POINT_BOXES, format::POINT_BOX_PAGES),
    (format::POINT_PLACES, format::POINT_PLACE_PAGES),
    (format::SHAPES, format::SHAPE_PAGES),
    (format::SHAPE_ENTRIES, format::SHAPE_ENTRY_PAGES),
    (format::SHAPE_BOXES, format::SHAPE_BOX_PAGES),
];

fn with_section(bytes: &[u8], tag: Tag, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    damaged_file::with_section(bytes, tag, &PAGED, change)
}

fn problems_of(bytes: Vec<u8>) -> Vec<String> {
    match GeoReader::from_bytes(NAME, FileBytes::from(bytes)) {
        Ok(reader) => reader.verify().into_iter().map(|it| it.what).collect(),
        Err(error) => vec![error.to_string()],
    }
}

#[test]
fn a_verification_finds_what_checksums_cannot() {
    let mut model = Model::default();
    model.points.extend([(1, at(10.0, 10.0)), (2, at(50.0, 50.0))]);
    let mut shape = Shape::new();
    shape.line(&line(&[(1.0, 1.0), (2.0, 3.0)]));
    model.shapes.insert(5, shape);
    let intact = bytes_of(&model);
    assert_eq!(with_section(&intact, format::POINTS, |_| ()), intact);

    let expect = |tag, change: &dyn Fn(&mut Vec<u8>), what: &str| {
        let problems = problems_of(with_section(&intact, tag, change));
        assert!(problems.iter().any(|problem| problem == what), "{what}: {problems:?}");
    };
    expect(format::POINTS, &|bytes| bytes[16] = 2, "point 1 is not in order");
    expect(
        format::POINTS,
        &|bytes| bytes[16] = 9,
        "the documents with a point are not those listed",
    );
    expect(
        format::POINTS,
        &|bytes| bytes[..8].copy_from_slice(&f64::NAN.to_le_bytes()),
        "point 0 is nowhere",
    );
    expect(
        format::POINT_BOXES,
        &|bytes| bytes[1] ^= 1,
        "a box around points does not contain its entries",
    );
    expect(
        format::POINT_PLACES,
        &|bytes| bytes[0] = 1,
        "the point of document 1 is not in its place",
    );
    expect(
        format::POINT_PLACES,
        &|bytes| bytes[3] = 200,
        "the point of document 1 is not in its place",
    );
    expect(format::SHAPES, &|bytes| bytes[0] = 7, "shape 0 is malformed");
    expect(
        format::SHAPES,
        &|bytes| {
            let end = bytes.len();
            bytes[end - 8..].copy_from_slice(&9_f64.to_le_bytes());
        },
        "shape 0 is not within its bounds",
    );
    expect(
        format::SHAPE_ENTRIES,
        &|bytes| bytes[24] = 6,
        "the documents with a shape are not those listed",
    );
    expect(
        format::SHAPE_BOXES,
        &|bytes| bytes[1] ^= 1,
        "a box around shapes does not contain its entries",
    );
    let longer = with_section(&intact, format::POINT_PLACES, |bytes| bytes.extend([0; 4]));
    assert!(problems_of(longer)[0].ends_with("the sections of points do not belong together"));
    let longer = with_section(&intact, format::SHAPE_ENTRIES, |bytes| bytes.push(0));
    assert!(problems_of(longer)[0].ends_with("the sections of shapes do not belong together"));
}

/// Sections with random contents may read as damaged but must not panic.
#[test]
fn nonsense_under_right_checksums_does_no_harm() {
    let model = Model::sample(9, 120);
    let intact = bytes_of(&model);
    let frame = Frame::read(NAME, FileBytes::from(intact.clone())).unwrap();
    let mut random = Random(11);
    for section in frame.sections() {
        for round in 0..60 {
            let bytes = with_section(&intact, section.tag, |bytes| {
                let length = bytes.len() as u64;
                for _ in 0..1 + round % 5 {
                    bytes[random.number(length) as usize] = random.number(256) as u8;
                }
            });
            let Ok(reader) = GeoReader::from_bytes(NAME, FileBytes::from(bytes)) else {
                continue;
            };
            reader.verify();
            let live: RoaringBitmap = (0..1000).collect();
            let inputs = [GeoMergeInput { reader: &reader, live: &live }];
            let _ = merge(&inputs, &MemoryDirectory::new(), "merged", &Cancel::default());
            let _ = reader.points_within(at(45.0, 4.0), 1e6);
            let _ = reader.points_in_box(at(80.0, 80.0), at(0.0, 0.0));
            let _ = reader.shapes_within(at(45.0, 4.0), 1e6);
            let _ = reader.shapes_in_box(at(80.0, 80.0), at(0.0, 0.0));
            let _ = reader.nearest(at(45.0, 4.0), true).count();
            model.points.keys().for_each(|doc_id| drop(reader.point_of(*doc_id)));
        }
    }
}

#[test]
fn a_file_is_explained() {
    let model = Model::sample(1, 8);
    let explained = inspect(&FileBytes::from(bytes_of(&model)), NAME);
    assert!(explained.contains("kind: GEOM, version 2"), "{explained}");
    assert!(explained.contains("points: 6, DocIds 1 to 22"), "{explained}");
    assert!(explained.contains("shapes: 4, DocIds 1 to 16"), "{explained}");
}
