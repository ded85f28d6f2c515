//! Queries with answers that users rely on.

use super::*;

fn cafes() -> GeoReader {
    let mut model = Model::default();
    let points = [
        (1, at(45.764, 4.8357)),
        (2, at(45.77, 4.83)),
        (3, at(52.52, 13.405)),
        (4, at(-36.8485, 174.7633)),
        (5, at(-13.8333, -171.75)),
        (7, at(0.0, 0.0)),
        (8, at(45.75, 4.85)),
    ];
    model.points.extend(points);
    model.reader()
}

fn list(set: &RoaringBitmap) -> Vec<DocId> {
    set.iter().collect()
}

#[test]
fn circles() {
    let reader = cafes();
    let within = |lat, lng, metres| list(&reader.points_within(at(lat, lng), metres).unwrap());
    assert_eq!(within(45.764, 4.8357, 0.0), [1]);
    assert_eq!(within(45.764, 4.8357, 100.0), [1]);
    assert_eq!(within(45.764, 4.8357, 1e3), [1, 2]);
    assert_eq!(within(45.764, 4.8357, 2500.0), [1, 2, 8]);
    assert_eq!(within(45.764, 4.8357, -5.0), []);
    assert_eq!(within(45.764, 4.8357, 20_100_000.0), [1, 2, 3, 4, 5, 7, 8]);
    assert_eq!(within(-0.0, 0.0, 10.0), [7]);
    assert_eq!(within(-13.8, -171.75, 10_000.0), [5]);
}

#[test]
fn boxes() {
    let reader = cafes();
    let inside = |top_right: (f64, f64), bottom_left: (f64, f64)| {
        let [top_right, bottom_left] = [top_right, bottom_left].map(|(lat, lng)| at(lat, lng));
        list(&reader.points_in_box(top_right, bottom_left).unwrap())
    };
    assert_eq!(inside((46.0, 5.0), (45.0, 4.0)), [1, 2, 8]);
    assert_eq!(inside((45.764, 4.8357), (45.764, 4.8357)), [1]);
    assert_eq!(inside((90.0, 180.0), (-90.0, -180.0)), [1, 2, 3, 4, 5, 7, 8]);
    assert_eq!(inside((0.0, -170.0), (-40.0, 170.0)), [4, 5]);
    assert_eq!(inside((0.0, 180.0), (-40.0, 170.0)), [4]);
    assert_eq!(inside((0.0, 175.0), (-40.0, -175.0)), [4, 5, 7]);
    assert_eq!(inside((46.0, 4.0), (45.0, 5.0)), []);
}

#[test]
fn order_by_distance() {
    let reader = cafes();
    let order = |lat, lng, farthest_first| -> Vec<DocId> {
        reader.nearest(at(lat, lng), farthest_first).map(|it| it.unwrap().doc_id).collect()
    };
    assert_eq!(order(45.764, 4.8357, false), [1, 2, 8, 3, 7, 5, 4]);
    assert_eq!(order(45.764, 4.8357, true), [4, 5, 7, 3, 8, 2, 1]);
    assert_eq!(order(0.0, 180.0, false), [5, 4, 3, 2, 1, 8, 7]);
    assert_eq!(order(0.0, -180.0, false), [5, 4, 3, 2, 1, 8, 7]);
    assert_eq!(order(-90.0, 0.0, false)[..3], [4, 5, 7]);
}

#[test]
fn shapes() {
    let square = |low: f64, high: f64| line(&[(low, low), (low, high), (high, high), (high, low)]);
    let mut model = Model::default();
    let mut add = |doc_id, make: &dyn Fn(&mut Shape)| {
        let mut shape = Shape::new();
        make(&mut shape);
        model.shapes.insert(doc_id, shape);
    };
    add(1, &|shape| shape.area([&square(0.0, 4.0)[..]]));
    add(2, &|shape| shape.area([&square(20.0, 24.0)[..]]));
    add(3, &|shape| shape.point(at(2.0, 2.0)));
    let reader = model.reader();
    let polygon = line(&[(19.0, 19.0), (19.0, 25.0), (25.0, 25.0), (25.0, 19.0)]);
    assert_eq!(list(&reader.shapes_in_polygon(&polygon).unwrap()), [2]);
    let within = |lat, lng, metres| list(&reader.shapes_within(at(lat, lng), metres).unwrap());
    assert_eq!(within(22.0, 22.0, 500_000.0), [2]);
    assert_eq!(within(2.0, 2.0, 1000.0), [1, 3]);
    assert_eq!(within(60.0, 60.0, 1000.0), []);
    assert_eq!(within(2.0, 2.0, -1.0), []);
}
