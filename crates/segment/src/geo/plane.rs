//! Segments and areas on the map, where longitude and latitude are plane coordinates, as GeoJSON
//! defines a line between two positions. All of them include their borders, and which side of a
//! line a point is on is computed exactly.

use super::sphere::Point;

/// A ring of corners; the last is joined to the first.
pub type Ring<'a> = &'a [Point];

/// Returns a positive number if the third point is on the left of the line through the others.
fn side(from: Point, to: Point, point: Point) -> f64 {
    let coordinate = |point: Point| robust::Coord { x: point.lng, y: point.lat };
    robust::orient2d(coordinate(from), coordinate(to), coordinate(point))
}

/// Returns whether two segments have a point in common.
pub fn segments_meet((a, b): (Point, Point), (c, d): (Point, Point)) -> bool {
    let apart = |a: f64, b: f64, c: f64, d: f64| a.max(b) < c.min(d) || c.max(d) < a.min(b);
    if apart(a.lat, b.lat, c.lat, d.lat) || apart(a.lng, b.lng, c.lng, d.lng) {
        return false;
    }
    let same_side =
        |first: f64, second: f64| (first > 0.0 && second > 0.0) || (first < 0.0 && second < 0.0);
    !same_side(side(a, b, c), side(a, b, d)) && !same_side(side(c, d, a), side(c, d, b))
}

pub fn edges(ring: Ring<'_>) -> impl Iterator<Item = (Point, Point)> {
    ring.iter().copied().zip(ring.iter().copied().cycle().skip(1))
}

pub fn steps(line: &[Point]) -> impl Iterator<Item = (Point, Point)> {
    line.iter().copied().zip(line.iter().copied().skip(1))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    Outside,
    Border,
    Inside,
}

/// Locates a point. Inside is everything that the ring winds around, however often.
pub fn position(point: Point, ring: Ring<'_>) -> Position {
    let mut turns = 0;
    for (from, to) in edges(ring) {
        let is_level = from.lat == to.lat;
        let (low, high) = if from.lat <= to.lat { (from, to) } else { (to, from) };
        if point.lat < low.lat || high.lat < point.lat {
            continue;
        }
        if is_level {
            if from.lng.min(to.lng) <= point.lng && point.lng <= from.lng.max(to.lng) {
                return Position::Border;
            }
            continue;
        }
        let side = side(low, high, point);
        if side == 0.0 {
            return Position::Border;
        }
        // Edges on the right of the point count, with their lower end and without the upper one.
        if side > 0.0 && point.lat < high.lat {
            turns += if from.lat < to.lat { 1 } else { -1 };
        }
    }
    if turns == 0 { Position::Outside } else { Position::Inside }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(numbers: &[(f64, f64)]) -> Vec<Point> {
        numbers.iter().map(|&(lng, lat)| Point { lat, lng }).collect()
    }

    fn meet(numbers: [(f64, f64); 4]) -> bool {
        let [a, b, c, d] = numbers.map(|(lng, lat)| Point { lat, lng });
        let all = [
            segments_meet((a, b), (c, d)),
            segments_meet((b, a), (c, d)),
            segments_meet((c, d), (a, b)),
            segments_meet((d, c), (b, a)),
        ];
        assert!(all.iter().all(|&meet| meet == all[0]));
        all[0]
    }

    #[test]
    fn segments_with_a_common_point_meet() {
        assert!(meet([(0.0, 0.0), (4.0, 4.0), (0.0, 4.0), (4.0, 0.0)]));
        assert!(!meet([(0.0, 0.0), (1.0, 1.0), (0.0, 4.0), (4.0, 0.0)]));
        // An end on the other, a common end, a common stretch, parallels.
        assert!(meet([(0.0, 0.0), (4.0, 0.0), (2.0, 0.0), (2.0, 3.0)]));
        assert!(meet([(0.0, 0.0), (4.0, 1.0), (4.0, 1.0), (9.0, 9.0)]));
        assert!(meet([(0.0, 0.0), (4.0, 4.0), (3.0, 3.0), (9.0, 9.0)]));
        assert!(!meet([(0.0, 0.0), (4.0, 4.0), (5.0, 5.0), (9.0, 9.0)]));
        assert!(!meet([(0.0, 0.0), (4.0, 4.0), (0.0, 1.0), (4.0, 5.0)]));
        // Segments that are points.
        assert!(meet([(2.0, 2.0), (2.0, 2.0), (0.0, 0.0), (4.0, 4.0)]));
        assert!(!meet([(2.0, 2.1), (2.0, 2.1), (0.0, 0.0), (4.0, 4.0)]));
        assert!(meet([(2.0, 2.0), (2.0, 2.0), (2.0, 2.0), (2.0, 2.0)]));
        assert!(!meet([(2.0, 2.0), (2.0, 2.0), (3.0, 2.0), (3.0, 2.0)]));
    }

    #[test]
    fn a_ring_of_any_form_has_an_inside() {
        // A hook, with a corner and an edge level with points to be looked for.
        let hook = points(&[
            (0.0, 0.0),
            (6.0, 0.0),
            (6.0, 6.0),
            (4.0, 6.0),
            (4.0, 2.0),
            (2.0, 2.0),
            (2.0, 4.0),
            (0.0, 4.0),
        ]);
        let mut backwards = hook.clone();
        backwards.reverse();
        let expected = [
            ((1.0, 1.0), Position::Inside),
            ((1.0, 2.0), Position::Inside),
            ((3.0, 2.0), Position::Border),
            ((3.0, 3.0), Position::Outside),
            ((5.0, 4.0), Position::Inside),
            ((4.0, 4.0), Position::Border),
            ((-1.0, 4.0), Position::Outside),
            ((-1.0, 2.0), Position::Outside),
            ((7.0, 2.0), Position::Outside),
            ((3.0, 4.0), Position::Outside),
            ((0.0, 0.0), Position::Border),
            ((6.0, 6.0), Position::Border),
            ((5.0, 7.0), Position::Outside),
        ];
        for ((lng, lat), expected) in expected {
            assert_eq!(position(Point { lat, lng }, &hook), expected, "{lng} {lat}");
            assert_eq!(position(Point { lat, lng }, &backwards), expected, "{lng} {lat}");
        }
    }

    #[test]
    fn a_flat_ring_is_all_border() {
        let flat = points(&[(0.0, 0.0), (4.0, 2.0)]);
        assert_eq!(position(Point { lat: 1.0, lng: 2.0 }, &flat), Position::Border);
        assert_eq!(position(Point { lat: 1.1, lng: 2.0 }, &flat), Position::Outside);
        let dot = points(&[(1.0, 1.0)]);
        assert_eq!(position(Point { lat: 1.0, lng: 1.0 }, &dot), Position::Border);
        assert_eq!(position(Point { lat: 1.0, lng: 1.5 }, &dot), Position::Outside);
        assert_eq!(position(Point { lat: 1.0, lng: 1.0 }, &[]), Position::Outside);
    }

    #[test]
    fn points_wound_around_twice_are_inside() {
        let star = points(&[(0.0, 3.0), (2.0, -3.0), (-3.0, 1.0), (3.0, 1.0), (-2.0, -3.0)]);
        assert_eq!(position(Point { lat: 0.0, lng: 0.0 }, &star), Position::Inside);
        assert_eq!(position(Point { lat: -2.9, lng: 0.0 }, &star), Position::Outside);
    }
}
