//! Tests of what a region meets, and that a tree finds all of it.

use super::circle::Circle;
use super::plane::{Position, position};
use super::region::Region;
use super::shape::ShapePart;
use super::*;

fn shape_of(make: impl FnOnce(&mut Shape)) -> Shape {
    let mut shape = Shape::new();
    make(&mut shape);
    shape
}

fn square(low: (f64, f64), high: (f64, f64)) -> Vec<Point> {
    line(&[low, (low.0, high.1), high, (high.0, low.1)])
}

fn box_meets(top_right: (f64, f64), bottom_left: (f64, f64), shape: &Shape) -> bool {
    let [top_right, bottom_left] = [top_right, bottom_left].map(|(lat, lng)| at(lat, lng));
    let mut model = Model::default();
    model.shapes.insert(0, shape.clone());
    let found = model.reader().shapes_in_box(top_right, bottom_left).unwrap();
    assert_eq!(!found.is_empty(), Region::of_box(top_right, bottom_left).meets(shape));
    !found.is_empty()
}

fn circle_meets(centre: (f64, f64), metres: f64, shape: &Shape) -> bool {
    let mut model = Model::default();
    model.shapes.insert(0, shape.clone());
    let centre = at(centre.0, centre.1);
    let found = model.reader().shapes_within(centre, metres).unwrap();
    assert_eq!(!found.is_empty(), Circle::new(centre, metres).meets(shape));
    !found.is_empty()
}

#[test]
fn touching_shapes_meet() {
    let area = shape_of(|shape| shape.area([&square((0.0, 0.0), (4.0, 4.0))[..]]));
    assert!(box_meets((8.0, 8.0), (4.0, 4.0), &area), "a corner");
    assert!(!box_meets((8.0, 8.0), (4.000_001, 4.0), &area));
    assert!(box_meets((2.0, 2.0), (2.0, 2.0), &area), "a box without a size");
    assert!(box_meets((2.0, 8.0), (1.0, -8.0), &area), "across");
    assert!(box_meets((90.0, 180.0), (-90.0, -180.0), &area), "all around");
    let point = shape_of(|shape| shape.point(at(1.0, 1.0)));
    assert!(box_meets((1.0, 1.0), (0.0, 0.0), &point));
    let crossing = shape_of(|shape| shape.line(&line(&[(-9.0, 2.0), (9.0, 2.0)])));
    assert!(box_meets((4.0, 4.0), (0.0, 0.0), &crossing), "through, with both ends outside");
    let corner_cut = shape_of(|shape| shape.line(&line(&[(-2.0, 1.0), (1.0, -2.0)])));
    assert!(!box_meets((4.0, 4.0), (0.0, 0.0), &corner_cut));
}

#[test]
fn holes_are_outside_and_their_borders_are_not() {
    let outer = square((0.0, 0.0), (10.0, 10.0));
    let hole = square((2.0, 2.0), (8.0, 8.0));
    let ring = shape_of(|shape| shape.area([&outer[..], &hole]));
    assert!(!box_meets((6.0, 6.0), (4.0, 4.0), &ring));
    assert!(box_meets((8.0, 8.0), (4.0, 4.0), &ring));
    assert!(box_meets((9.0, 9.0), (1.0, 1.0), &ring));
    assert!(!circle_meets((5.0, 5.0), 300_000.0, &ring));
    assert!(circle_meets((5.0, 5.0), 340_000.0, &ring));
    assert!(circle_meets((1.0, 1.0), 1.0, &ring));
}

#[test]
fn the_antimeridian_is_no_border() {
    let east = shape_of(|shape| shape.area([&square((0.0, 170.0), (4.0, 180.0))[..]]));
    let over = shape_of(|shape| shape.area([&square((0.0, 170.0), (4.0, 190.0))[..]]));
    // A box from 175 to -175.
    assert!(box_meets((2.0, -175.0), (1.0, 175.0), &east));
    assert!(box_meets((2.0, -175.0), (1.0, 175.0), &over));
    assert!(box_meets((2.0, -175.0), (1.0, -178.0), &over));
    assert!(!box_meets((2.0, -160.0), (1.0, -165.0), &over));
    assert!(circle_meets((2.0, -179.9), 20_000.0, &east));
    assert!(circle_meets((2.0, -179.9), 1.0, &over));
    assert!(!circle_meets((2.0, -179.9), 1_000.0, &east));
    let polygon = Region::polygon(&line(&[(1.0, -179.0), (1.0, -172.0), (3.0, -172.0)]));
    assert!(polygon.meets(&over) && !polygon.meets(&east));
}

#[test]
fn circles_reach_over_poles() {
    let far_side = shape_of(|shape| shape.point(at(89.0, 180.0)));
    assert!(circle_meets((89.5, 0.0), 170_000.0, &far_side));
    assert!(!circle_meets((89.5, 0.0), 160_000.0, &far_side));
    // The whole cap, which holds the pole that none of its corners is near.
    let cap = shape_of(|shape| shape.area([&square((80.0, -180.0), (90.0, 180.0))[..]]));
    assert!(circle_meets((90.0, 0.0), 0.0, &cap));
    assert!(circle_meets((85.0, 77.0), 0.0, &cap));
    assert!(circle_meets((79.0, 77.0), 112_000.0, &cap));
    assert!(!circle_meets((79.0, 77.0), 110_000.0, &cap));
}

#[test]
fn an_edge_is_near_between_its_ends() {
    // Along a parallel of latitude: the middle is far from both ends.
    let parallel = shape_of(|shape| shape.line(&line(&[(45.0, -60.0), (45.0, 60.0)])));
    assert!(circle_meets((45.0, 0.0), 0.0, &parallel));
    assert!(circle_meets((44.0, 10.0), 111_500.0, &parallel));
    assert!(!circle_meets((44.0, 10.0), 110_500.0, &parallel));
    // Coordinates that no map has do no harm.
    let absurd = shape_of(|shape| shape.line(&line(&[(-1e300, -1e300), (1e300, 1e305)])));
    circle_meets((44.0, 10.0), 1000.0, &absurd);
    box_meets((44.0, 10.0), (0.0, 0.0), &absurd);
}

/// Returns whether a point belongs to a shape.
fn holds(shape: &Shape, point: Point) -> bool {
    shape.parts().any(|part| match part {
        ShapePart::Area(area) => area.contains(point),
        _ => false,
    })
}

/// A circle around the antimeridian reaches shapes that were drawn a whole turn away.
#[test]
fn trees_find_what_is_farther_than_a_turn_away() {
    let model = Model::sample(220, 6);
    let (centre, metres) = (at(0.0, -180.0), 4_049_231.406_719_165_4);
    let expected = model.shapes_in(&Region::circle(Circle::new(centre, metres)));
    assert_eq!(model.reader().shapes_within(centre, metres).unwrap(), expected);
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn trees_find_what_every_shape_gives(
        seed in 0_u32..1000,
        documents in 0_u32..300,
        centre in place(),
        metres in radius(),
        corners in prop::collection::vec(place(), 1..6),
    ) {
        let model = Model::sample(seed, documents);
        let reader = model.reader();
        let circle = Region::circle(Circle::new(centre, metres));
        let expected =
            if metres >= 0.0 { model.shapes_in(&circle) } else { RoaringBitmap::new() };
        prop_assert_eq!(reader.shapes_within(centre, metres).unwrap(), expected);

        let expected = model.shapes_in(&Region::polygon(&corners));
        prop_assert_eq!(reader.shapes_in_polygon(&corners).unwrap(), expected);

        let other = corners[0];
        let expected = if centre.lat < other.lat {
            RoaringBitmap::new()
        } else {
            model.shapes_in(&Region::of_box(centre, other))
        };
        prop_assert_eq!(reader.shapes_in_box(centre, other).unwrap(), expected);
    }

    /// Lines as fine rows of points.
    #[test]
    fn edges_are_as_near_as_their_points(
        (from, to) in (place(), place()),
        scale in prop_oneof![Just(1.0), Just(0.1), Just(0.001)],
        centre in place(),
        share in 0.0_f64..1.5,
    ) {
        const STEPS: u32 = 5000;
        let to = at(from.lat + (to.lat - from.lat) * scale, from.lng + (to.lng - from.lng) * scale);
        let between = |step: u32| {
            let time = f64::from(step) / f64::from(STEPS);
            at(from.lat + (to.lat - from.lat) * time, from.lng + (to.lng - from.lng) * time)
        };
        let least = (0..=STEPS)
            .map(|step| distance(centre, between(step)))
            .fold(f64::INFINITY, f64::min);
        let line = shape_of(|shape| shape.line(&[from, to]));
        prop_assert!(Circle::new(centre, least).meets(&line));
        // No point of the line is farther from one of the row than half of a step.
        let length = (to.lat - from.lat).hypot(to.lng - from.lng);
        let error = length * 111_200.0 / f64::from(STEPS) + 0.01;
        let less = least - error;
        if less > 0.0 {
            prop_assert!(!Circle::new(centre, less).meets(&line));
            prop_assert!(!Circle::new(centre, less * share.min(1.0)).meets(&line));
        }
        prop_assert!(Circle::new(centre, least * (1.0 + share)).meets(&line));
    }

    /// A common point of two areas proves that they meet; if a fine grid has none and no borders
    /// cross, they do not.
    #[test]
    fn areas_meet_where_they_have_a_point_in_common(
        corners in prop::collection::vec((-10_i32..10, -10_i32..10), 3..6),
        others in prop::collection::vec((-10_i32..10, -10_i32..10), 3..6),
        hole in prop::collection::vec((-10_i32..10, -10_i32..10), 0..4),
    ) {
        let [ring, other, hole] = [&corners, &others, &hole].map(|it| {
            it.iter().map(|&(lat, lng)| at(lat.into(), lng.into())).collect::<Vec<Point>>()
        });
        let shape = shape_of(|shape| shape.area([&ring[..], &hole]));
        let region = Region::polygon(&other);
        let mut common = false;
        for lat in -20..=20 {
            for lng in -20..=20 {
                let point = at(f64::from(lat) / 2.0, f64::from(lng) / 2.0);
                common |= position(point, &other) != Position::Outside && holds(&shape, point);
            }
        }
        if common {
            prop_assert!(region.meets(&shape));
        }
        let shape_is_area = hole.is_empty();
        let back = shape_of(|shape| shape.area([&other[..]]));
        if shape_is_area {
            prop_assert_eq!(region.meets(&shape), Region::polygon(&ring).meets(&back));
        }
        if !region.meets(&shape) {
            // Points between the corners of the two, which is where they would meet.
            for (one, two) in ring.iter().zip(&other) {
                let middle = at((one.lat + two.lat) / 2.0, (one.lng + two.lng) / 2.0);
                prop_assert!(position(middle, &other) == Position::Outside || !holds(&shape, middle));
            }
        }
    }
}
