//! Search regions for shapes: a circle, a box or a polygon on the map. A region also classifies
//! parts of the map, so that a tree is searched instead of scanned.
//!
//! The map continues beyond the antimeridian: shapes drawn from 170 to 190 degrees and from -190 to
//! -170 are in the same place. Regions are therefore searched on three turns.

use super::circle::Circle;
use super::plane::{Position, edges, position, segments_meet, steps};
use super::shape::{Shape, ShapePart};
use super::sphere::{self, Point};
use super::tree::{Bounds, Verdict};

/// Offsets of the longitudes of a region.
pub const TURNS: [f64; 3] = [-360.0, 0.0, 360.0];

/// Degrees, an upper bound of the rounding error of a circle's bounds.
const SLACK: f64 = 1e-9;

#[derive(Debug)]
pub enum Region {
    Circle { circle: Circle, windows: Vec<Window> },
    Box { sides: Vec<FilledRing> },
    Polygon { turned: Vec<FilledRing> },
}

impl Region {
    pub fn circle(circle: Circle) -> Self {
        Self::Circle { windows: windows_of(&circle), circle }
    }

    /// Creates a box, which crosses the antimeridian if its right side is on the left of its left.
    pub fn of_box(top_right: Point, bottom_left: Point) -> Self {
        let right = if top_right.lng < bottom_left.lng { 360.0 } else { 0.0 } + top_right.lng;
        let window =
            Window { lat: [bottom_left.lat, top_right.lat], lng: [bottom_left.lng, right] };
        Self::Box { sides: FilledRing::turned(&window.corners()) }
    }

    pub fn polygon(corners: &[Point]) -> Self {
        Self::Polygon { turned: FilledRing::turned(corners) }
    }

    pub fn judge(&self, bounds: &Bounds<2>) -> Verdict {
        let found = Window::of_bounds(bounds);
        match self {
            Self::Circle { circle, .. } if sphere::reaches_everything(circle.metres) => {
                Verdict::Inside
            }
            // Distances continue around the Earth, windows do not.
            Self::Circle { .. } if !found.is_ordinary() => Verdict::Unsure,
            Self::Circle { windows, .. } => {
                Verdict::unsure_if(windows.iter().any(|w| w.meets(found)))
            }
            Self::Box { sides } if sides.iter().any(|side| side.window.contains(found)) => {
                Verdict::Inside
            }
            Self::Box { sides: rings } | Self::Polygon { turned: rings } => {
                Verdict::unsure_if(rings.iter().any(|ring| ring.window.meets(found)))
            }
        }
    }

    /// Returns whether a shape and the region have a point in common.
    pub fn meets(&self, shape: &Shape) -> bool {
        match self {
            Self::Circle { circle, .. } => circle.meets(shape),
            Self::Box { sides: rings } | Self::Polygon { turned: rings } => {
                rings.iter().any(|ring| shape.parts().any(|part| ring.meets(part)))
            }
        }
    }
}

/// A part of the map: minimum and maximum latitude and longitude.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    lat: [f64; 2],
    lng: [f64; 2],
}

impl Window {
    fn around(points: impl Iterator<Item = Point>) -> Self {
        let none = [f64::INFINITY, f64::NEG_INFINITY];
        let widen = |[low, high]: [f64; 2], value: f64| [low.min(value), high.max(value)];
        points.fold(Self { lat: none, lng: none }, |window, point| Self {
            lat: widen(window.lat, point.lat),
            lng: widen(window.lng, point.lng),
        })
    }

    fn of_bounds(bounds: &Bounds<2>) -> Self {
        let [lat, lng] = bounds.ranges();
        Self { lat, lng }
    }

    fn corners(self) -> [Point; 4] {
        let ([bottom, top], [left, right]) = (self.lat, self.lng);
        [(bottom, left), (bottom, right), (top, right), (top, left)]
            .map(|(lat, lng)| Point { lat, lng })
    }

    fn meets(self, other: Self) -> bool {
        let meet = |one: [f64; 2], other: [f64; 2]| one[0] <= other[1] && other[0] <= one[1];
        meet(self.lat, other.lat) && meet(self.lng, other.lng)
    }

    fn contains(self, other: Self) -> bool {
        let within = |outer: [f64; 2], [low, high]: [f64; 2]| outer[0] <= low && high <= outer[1];
        within(self.lat, other.lat) && within(self.lng, other.lng)
    }

    /// Returns whether the window is on the Earth as maps show it, or half a turn to either side:
    /// as far as the three turns of a circle reach, wherever its centre is.
    fn is_ordinary(self) -> bool {
        Self { lat: [-90.0, 90.0], lng: [-360.0, 360.0] }.contains(self)
    }
}

/// Returns the windows that a circle can reach on the ordinary map.
fn windows_of(circle: &Circle) -> Vec<Window> {
    let angle = sphere::angle_at_least(circle.metres).to_degrees() + 2.0 * SLACK;
    let Point { lat, lng } = circle.centre;
    let lng = (lng + 180.0).rem_euclid(360.0) - 180.0;
    let lats = [lat - angle, lat + angle];
    if lats[0] <= -90.0 || lats[1] >= 90.0 {
        return vec![Window { lat: lats, lng: [f64::NEG_INFINITY, f64::INFINITY] }];
    }
    let sideways = (angle.to_radians().sin() / lat.to_radians().cos()).min(1.0).asin();
    let sideways = sideways.to_degrees() + SLACK;
    let turned = |turn| Window { lat: lats, lng: [lng + turn - sideways, lng + turn + sideways] };
    TURNS.map(turned).to_vec()
}

/// A ring with its inside.
#[derive(Debug)]
pub struct FilledRing {
    ring: Vec<Point>,
    window: Window,
}

impl FilledRing {
    /// Returns the ring on all turns.
    fn turned(ring: &[Point]) -> Vec<Self> {
        let turned = |turn: f64| {
            let ring: Vec<Point> =
                ring.iter().map(|point| Point { lng: point.lng + turn, ..*point }).collect();
            Self { window: Window::around(ring.iter().copied()), ring }
        };
        TURNS.map(turned).into()
    }

    fn contains(&self, point: Point) -> bool {
        self.window.contains(Window::around([point].into_iter()))
            && position(point, &self.ring) != Position::Outside
    }

    /// Returns whether borders cross, or one is inside the other.
    fn meets(&self, part: ShapePart<'_>) -> bool {
        match part {
            ShapePart::Points(points) => points.iter().any(|&point| self.contains(point)),
            ShapePart::Line(points) => {
                points.first().is_some_and(|&first| self.contains(first))
                    || self.border_meets(steps(points))
            }
            ShapePart::Area(area) => {
                let has_corner = |ring: &[Point]| ring.first().is_some_and(|&it| self.contains(it));
                area.rings().next().is_some_and(has_corner)
                    || area.rings().any(|ring| self.border_meets(edges(ring)))
                    || self.ring.first().is_some_and(|&corner| area.contains(corner))
            }
        }
    }

    fn border_meets(&self, mut others: impl Iterator<Item = (Point, Point)>) -> bool {
        others.any(|(from, to)| {
            self.window.meets(Window::around([from, to].into_iter()))
                && edges(&self.ring).any(|edge| segments_meet(edge, (from, to)))
        })
    }
}
