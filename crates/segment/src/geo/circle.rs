//! Circle on the Earth, computed exactly: it is not approximated by a polygon, which would be wrong
//! at the poles and coarse everywhere.

use super::plane::{edges, steps};
use super::region::TURNS;
use super::shape::{Area, Shape, ShapePart};
use super::sphere::{self, Point, distance};

/// Most evaluations per edge. A typical edge takes a few dozen.
const MOST_LOOKS: u32 = 4096;
/// Radians, a fraction of a millimetre: shorter stretches are not examined.
const TINY: f64 = 1e-10;

#[derive(Debug, Clone, Copy)]
pub struct Circle {
    pub centre: Point,
    pub metres: f64,
    /// The centre in radians.
    radians: (f64, f64),
    /// The haversine of the radius.
    haversine: f64,
}

impl Circle {
    pub fn new(centre: Point, metres: f64) -> Self {
        let haversine = sphere::haversine_at_most(metres);
        Self { centre, metres, radians: centre.radians(), haversine }
    }

    pub fn contains(&self, point: Point) -> bool {
        distance(self.centre, point) <= self.metres
    }

    pub fn meets(&self, shape: &Shape) -> bool {
        shape.parts().any(|part| match part {
            ShapePart::Points(points) => points.iter().any(|&point| self.contains(point)),
            ShapePart::Line([point]) => self.contains(*point),
            ShapePart::Line(points) => self.meets_any(steps(points)),
            ShapePart::Area(area) => self.meets_area(area),
        })
    }

    /// Returns whether a border crosses the circle, or contains all of it.
    fn meets_area(&self, area: Area<'_>) -> bool {
        area.rings().any(|ring| self.meets_any(edges(ring))) || self.is_inside(area)
    }

    fn is_inside(&self, area: Area<'_>) -> bool {
        let centre = self.centre;
        TURNS.iter().any(|turn| area.contains(Point { lng: centre.lng + turn, ..centre }))
    }

    fn meets_any(&self, mut edges: impl Iterator<Item = (Point, Point)>) -> bool {
        edges.any(|(from, to)| {
            self.contains(from) || self.contains(to) || self.meets_between(from, to)
        })
    }

    /// Returns whether the straight line on the map between two points comes close enough. Bisects
    /// the parts that could still be close: the haversine along the line is a sum of three waves,
    /// which bounds its curvature.
    fn meets_between(&self, from: Point, to: Point) -> bool {
        let way = StraightLine::new(self.radians, from, to);
        let mut pieces = vec![(0.5, 0.5)];
        let mut looks = 0;
        while let Some((middle, half)) = pieces.pop() {
            let (height, slope) = way.at(middle);
            if height <= self.haversine {
                return true;
            }
            let lowest = height - slope.abs() * half - way.bend / 2.0 * half * half;
            looks += 1;
            if lowest > self.haversine || half * way.length < TINY {
                continue;
            }
            if looks >= MOST_LOOKS {
                return false;
            }
            pieces.push((middle - half / 2.0, half / 2.0));
            pieces.push((middle + half / 2.0, half / 2.0));
        }
        false
    }
}

/// A straight line on the map, relative to a centre; in radians, parametrized from 0 to 1.
struct StraightLine {
    centre: (f64, f64),
    from: (f64, f64),
    step: (f64, f64),
    length: f64,
    /// Upper bound of the second derivative of the haversine.
    bend: f64,
}

impl StraightLine {
    fn new(centre: (f64, f64), from: Point, to: Point) -> Self {
        let step = ((to.lat - from.lat).to_radians(), (to.lng - from.lng).to_radians());
        let (lat, lng) = (step.0 * step.0, step.1 * step.1);
        Self {
            centre,
            from: from.radians(),
            step,
            length: (lat + lng).sqrt(),
            bend: (centre.0.sin().abs() * lat + centre.0.cos().abs() * (lat + lng)) / 2.0,
        }
    }

    /// Returns the haversine and its derivative.
    fn at(&self, time: f64) -> (f64, f64) {
        let lat = self.from.0 + time * self.step.0;
        let lng = self.from.1 + time * self.step.1;
        let height = sphere::haversine(self.centre, (lat, lng));
        let (lng_sin, cos) = ((lng - self.centre.1).sin(), self.centre.0.cos());
        let half_sin = ((lng - self.centre.1) / 2.0).sin();
        let by_lat = (lat - self.centre.0).sin() - 2.0 * cos * lat.sin() * half_sin * half_sin;
        let by_lng = cos * lat.cos() * lng_sin;
        (height, (self.step.0 * by_lat + self.step.1 * by_lng) / 2.0)
    }
}
