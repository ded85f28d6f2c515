//! Tests of points: circles, boxes, and documents by distance.

use super::*;

#[test]
fn empty_files_find_nothing() {
    let reader = Model::default().reader();
    assert!(reader.documents_with_point().is_empty() && reader.documents_with_shape().is_empty());
    assert!(reader.points_within(at(0.0, 0.0), f64::MAX).unwrap().is_empty());
    assert!(reader.points_in_box(at(90.0, 180.0), at(-90.0, -180.0)).unwrap().is_empty());
    assert!(reader.shapes_within(at(0.0, 0.0), f64::MAX).unwrap().is_empty());
    assert_eq!(reader.nearest(at(0.0, 0.0), false).count(), 0);
    assert_eq!(reader.point_of(0).unwrap(), None);
    assert!(GeoBuffer::new().is_empty());
}

#[test]
fn every_document_has_its_point() {
    for documents in [1, 31, 32, 33, 1024, 1025, 5000] {
        let mut model = Model::sample(1, documents);
        model.shapes.clear();
        let reader = model.reader();
        let expected: RoaringBitmap = model.points.keys().copied().collect();
        assert_eq!(*reader.documents_with_point(), expected);
        for doc_id in 0..documents * 3 + 3 {
            assert_eq!(reader.point_of(doc_id).unwrap().as_ref(), model.points.get(&doc_id));
        }
    }
}

#[test]
fn a_document_has_one_point() {
    let mut buffer = GeoBuffer::new();
    buffer.point(7, at(1.0, 2.0));
    buffer.point(7, at(3.0, 4.0));
    assert!(!buffer.is_empty() && buffer.memory_used() >= 48);
    let error = finish(vec![buffer], &MemoryDirectory::new(), "twice").unwrap_err();
    assert_eq!(error.to_string(), "document 7 comes twice");
}

#[test]
fn the_order_of_buffers_does_not_matter() {
    let model = Model::sample(2, 300);
    let directory = MemoryDirectory::new();
    model.write(&directory, "whole");
    let mut buffers: Vec<GeoBuffer> = (0..3).map(|_| GeoBuffer::new()).collect();
    for (number, (doc_id, point)) in model.points.iter().rev().enumerate() {
        buffers[number % 3].point(*doc_id, *point);
    }
    for (number, (doc_id, shape)) in model.shapes.iter().rev().enumerate() {
        buffers[number % 2].shape(*doc_id, shape);
    }
    finish(buffers, &directory, "parts").unwrap();
    assert_eq!(directory.open("whole").unwrap()[..], directory.open("parts").unwrap()[..]);
}

#[test]
fn ties_come_by_document() {
    let mut model = Model::default();
    for doc_id in (0..200).rev() {
        model.points.insert(doc_id, at(f64::from(doc_id % 3), 0.0));
    }
    let reader = model.reader();
    for farthest_first in [false, true] {
        let found: Vec<DocId> =
            reader.nearest(at(0.0, 0.0), farthest_first).map(|it| it.unwrap().doc_id).collect();
        let mut remainders: Vec<u32> = vec![0, 1, 2];
        if farthest_first {
            remainders.reverse();
        }
        let expected: Vec<DocId> = remainders
            .iter()
            .flat_map(|&remainder| (0..200).filter(move |doc_id| doc_id % 3 == remainder))
            .collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn a_hand_is_not_too_close_to_call() {
    let mut model = Model::default();
    model.points.extend([(0, at(0.0, 0.0)), (1, at(0.0, 5e-7)), (2, at(0.0, 1e-7))]);
    let reader = model.reader();
    let centre = at(0.0, 0.0);
    assert_eq!(reader.points_within(centre, 0.02).unwrap(), RoaringBitmap::from([0, 2]));
    for farthest_first in [false, true] {
        let found: Vec<Neighbour> =
            reader.nearest(centre, farthest_first).map(Result::unwrap).collect();
        assert_eq!(found, model.by_distance(centre, farthest_first));
    }
}

/// The cost of the first results must not depend on the number of documents.
#[test]
fn the_nearest_are_found_without_reading_all() {
    let mut random = Random(5);
    let mut model = Model::default();
    for doc_id in 0..40_000 {
        let point = at(random.between(-85.0, 85.0), random.between(-180.0, 180.0));
        model.points.insert(doc_id, point);
    }
    let directory = MemoryDirectory::new();
    model.write(&directory, "many");
    let intact = directory.open("many").unwrap();
    let frame = crate::frame::Frame::read("many", intact.clone()).unwrap();
    let section = frame.sections().iter().find(|it| it.tag == format::POINTS).unwrap();
    // Damages everything that a search around one place should not read: all pages but one in four,
    // so that whole searches fail and short ones mostly do not.
    let mut bytes = intact.to_vec();
    let pages = section.length as usize / 65_536;
    for page in (0..pages).filter(|page| page % 4 != 0) {
        bytes[section.offset as usize + page * 65_536] ^= 1;
    }
    let damaged = GeoReader::from_bytes("many", bytes.into()).unwrap();
    let whole = GeoReader::from_bytes("many", intact).unwrap();
    let (mut answered, mut failed) = (0, 0);
    for number in 0..100 {
        let centre =
            at(f64::from(number % 10) * 15.0 - 70.0, f64::from(number / 10) * 30.0 - 140.0);
        let expected: Vec<Neighbour> =
            whole.nearest(centre, false).take(20).map(Result::unwrap).collect();
        match damaged.nearest(centre, false).take(20).collect::<crate::error::Result<Vec<_>>>() {
            Ok(found) => {
                assert_eq!(found, expected);
                answered += 1;
            }
            Err(error) => {
                assert!(error.is_damaged());
                failed += 1;
            }
        }
    }
    assert!(answered >= 10 && failed >= 10, "{answered} answered, {failed} failed");
    let mut all = damaged.nearest(at(0.0, 0.0), true);
    assert!(all.any(|it| it.is_err()) && all.next().is_none(), "an error is the end");
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn circles_and_distances_are_those_of_every_point(
        seed in 0_u32..1000,
        documents in 0_u32..400,
        centre in place(),
        metres in radius(),
        farthest_first: bool,
    ) {
        let model = Model::sample(seed, documents);
        let reader = model.reader();
        let expected = model.points_where(|point| distance(centre, point) <= metres);
        prop_assert_eq!(reader.points_within(centre, metres).unwrap(), expected);

        let found: Vec<Neighbour> =
            reader.nearest(centre, farthest_first).map(Result::unwrap).collect();
        prop_assert_eq!(found, model.by_distance(centre, farthest_first));
        // Borders are inside.
        if let Some((doc_id, point)) = model.points.iter().next() {
            let near = reader.points_within(centre, distance(centre, *point)).unwrap();
            prop_assert!(near.contains(*doc_id));
        }
    }

    #[test]
    fn boxes_are_those_of_every_point(
        seed in 0_u32..1000,
        documents in 0_u32..400,
        (top_right, bottom_left) in (place(), place()),
    ) {
        let model = Model::sample(seed, documents);
        let expected = model.points_where(|point| {
            let lng = if top_right.lng < bottom_left.lng {
                point.lng >= bottom_left.lng || point.lng <= top_right.lng
            } else {
                bottom_left.lng <= point.lng && point.lng <= top_right.lng
            };
            bottom_left.lat <= point.lat && point.lat <= top_right.lat && lng
        });
        prop_assert_eq!(model.reader().points_in_box(top_right, bottom_left).unwrap(), expected);
    }
}
