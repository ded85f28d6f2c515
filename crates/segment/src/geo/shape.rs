//! Simplified GeoJSON of a document: sets of points, lines and areas with holes. The geometries
//! they came from do not matter to a search.

use super::plane::{Position, position};
use super::sphere::Point;
use crate::varint;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shape {
    runs: Vec<Run>,
    points: Vec<Point>,
}

/// Consecutive points of one kind.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Run {
    kind: Kind,
    length: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// Single points.
    Points,
    Line,
    /// The outer ring of an area.
    Outer,
    /// A hole in the last area.
    Hole,
}

/// One part of a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ShapePart<'s> {
    Points(&'s [Point]),
    Line(&'s [Point]),
    Area(Area<'s>),
}

/// The outer ring of an area, and its holes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area<'s> {
    runs: &'s [Run],
    points: &'s [Point],
}

impl<'s> Area<'s> {
    /// Returns the rings, the outer one first.
    pub fn rings(self) -> impl Iterator<Item = &'s [Point]> {
        let mut rest = self.points;
        self.runs.iter().filter_map(move |run| rest.split_off(..run.length))
    }

    pub fn contains(self, point: Point) -> bool {
        let mut rings = self.rings();
        rings.next().is_some_and(|outer| position(point, outer) != Position::Outside)
            && rings.all(|hole| position(point, hole) != Position::Inside)
    }
}

impl Shape {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    pub fn point(&mut self, point: Point) {
        self.add(Kind::Points, &[point]);
    }

    pub fn line(&mut self, points: &[Point]) {
        self.add(Kind::Line, points);
    }

    /// Adds an area: outer ring, then holes. Rings may repeat their first point at their end.
    pub fn area<'r>(&mut self, rings: impl IntoIterator<Item = &'r [Point]>) {
        let mut kind = Kind::Outer;
        for ring in rings {
            let open = match ring {
                [first, middle @ .., last] if first == last => &ring[..=middle.len()],
                _ => ring,
            };
            if open.is_empty() && kind == Kind::Outer {
                return;
            }
            self.add(kind, open);
            kind = Kind::Hole;
        }
    }

    fn add(&mut self, kind: Kind, points: &[Point]) {
        if points.is_empty() {
            return;
        }
        self.points.extend_from_slice(points);
        match self.runs.last_mut() {
            Some(Run { kind: Kind::Points, length }) if kind == Kind::Points => {
                *length += points.len();
            }
            _ => self.runs.push(Run { kind, length: points.len() }),
        }
    }

    pub(super) fn points(&self) -> &[Point] {
        &self.points
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = ShapePart<'_>> {
        let mut points = &self.points[..];
        self.runs.chunk_by(|_, next| next.kind == Kind::Hole).filter_map(move |runs| {
            let length = runs.iter().map(|run| run.length).sum();
            let points = points.split_off(..length)?;
            Some(match runs.first()?.kind {
                Kind::Points => ShapePart::Points(points),
                Kind::Line => ShapePart::Line(points),
                Kind::Outer | Kind::Hole => ShapePart::Area(Area { runs, points }),
            })
        })
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        varint::write(out, self.runs.len() as u64);
        for run in &self.runs {
            varint::write(out, (run.length as u64) << 2 | run.kind as u64);
        }
        for point in &self.points {
            out.extend_from_slice(&point.lat.to_le_bytes());
            out.extend_from_slice(&point.lng.to_le_bytes());
        }
    }

    /// Reads into this shape, reusing its memory. `None` if the bytes are not a shape.
    pub(super) fn read(&mut self, mut bytes: &[u8]) -> Option<()> {
        self.runs.clear();
        self.points.clear();
        let runs = varint::read(&mut bytes)?;
        let mut count = 0_usize;
        for _ in 0..runs {
            let number = varint::read(&mut bytes)?;
            let kind = match number & 3 {
                0 => Kind::Points,
                1 => Kind::Line,
                2 => Kind::Outer,
                _ if self.runs.last().is_some_and(|run| run.kind as u8 >= 2) => Kind::Hole,
                _ => return None,
            };
            let length = usize::try_from(number >> 2).ok().filter(|&length| length > 0)?;
            count = count.checked_add(length)?;
            self.runs.push(Run { kind, length });
        }
        let (numbers, []) = bytes.as_chunks::<8>() else {
            return None;
        };
        let (pairs, []) = numbers.as_chunks::<2>() else {
            return None;
        };
        let point = |&[lat, lng]: &[[u8; 8]; 2]| Point {
            lat: f64::from_le_bytes(lat),
            lng: f64::from_le_bytes(lng),
        };
        self.points.extend(pairs.iter().map(point));
        (self.points.len() == count).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(numbers: &[(f64, f64)]) -> Vec<Point> {
        numbers.iter().map(|&(lat, lng)| Point { lat, lng }).collect()
    }

    fn everything() -> Shape {
        let mut shape = Shape::new();
        let square = points(&[(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0), (0.0, 0.0)]);
        let hole = points(&[(1.0, 1.0), (2.0, 1.0), (2.0, 2.0), (1.0, 1.0)]);
        shape.area([&square[..], &hole, &hole]);
        shape.area([&square[..]]);
        shape.point(square[0]);
        shape.point(square[1]);
        shape.line(&hole);
        shape.line(&[]);
        shape.area([&[][..], &hole]);
        shape
    }

    #[test]
    fn parts_come_out_as_they_went_in() {
        let shape = everything();
        let square = points(&[(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]);
        let hole = points(&[(1.0, 1.0), (2.0, 1.0), (2.0, 2.0), (1.0, 1.0)]);
        let parts: Vec<ShapePart<'_>> = shape.parts().collect();
        let [
            ShapePart::Area(first),
            ShapePart::Area(second),
            ShapePart::Points(dots),
            ShapePart::Line(line),
        ] = parts[..]
        else {
            panic!("{parts:?}");
        };
        let rings: Vec<&[Point]> = first.rings().collect();
        assert_eq!(rings, [&square[..], &hole[..3], &hole[..3]]);
        assert_eq!(second.rings().collect::<Vec<_>>(), [&square[..]]);
        assert_eq!(dots, &square[..2]);
        assert_eq!(line, &hole[..]);
    }

    #[test]
    fn bytes_give_the_same_shape() {
        let shape = everything();
        let mut bytes = Vec::new();
        shape.write(&mut bytes);
        let mut copy = Shape::new();
        copy.point(Point { lat: 9.0, lng: 9.0 });
        copy.read(&bytes).unwrap();
        assert_eq!(copy, shape);
        for end in 0..bytes.len() {
            assert_eq!(copy.read(&bytes[..end]), None, "{end}");
        }
        bytes[1] |= 3;
        assert_eq!(copy.read(&bytes), None, "a hole in nothing");
    }
}
