//! Compares files with a scan over every document.

mod damage;
mod faults;
mod merging;
mod points;
mod recorded;
mod shapes;

use std::collections::BTreeMap;

use proptest::prelude::*;
use roaring::RoaringBitmap;

use super::*;
use crate::DocId;
use crate::directory::{Directory, MemoryDirectory};
use crate::error::SegmentError;

fn at(lat: f64, lng: f64) -> Point {
    Point { lat, lng }
}

fn line(points: &[(f64, f64)]) -> Vec<Point> {
    points.iter().map(|&(lat, lng)| at(lat, lng)).collect()
}

/// Locations of documents in plain maps.
#[derive(Debug, Clone, Default, PartialEq)]
struct Model {
    points: BTreeMap<DocId, Point>,
    shapes: BTreeMap<DocId, Shape>,
}

impl Model {
    /// Points and shapes all over the Earth, many of them in difficult places.
    fn sample(seed: u32, documents: u32) -> Self {
        let mut random = Random(u64::from(seed));
        let mut model = Self::default();
        for number in 0..documents {
            let doc_id = number * 3 + seed % 3;
            if number % 4 != 1 {
                model.points.insert(doc_id, random.point());
            }
            if number % 4 < 2 {
                model.shapes.insert(doc_id, random.shape());
            }
        }
        model
    }

    fn buffer(&self) -> GeoBuffer {
        let mut buffer = GeoBuffer::new();
        self.points.iter().for_each(|(doc_id, point)| buffer.point(*doc_id, *point));
        self.shapes.iter().for_each(|(doc_id, shape)| buffer.shape(*doc_id, shape));
        buffer
    }

    fn write(&self, directory: &dyn Directory, name: &str) {
        let length = finish(vec![self.buffer()], directory, name).unwrap();
        assert_eq!(length, directory.open(name).unwrap().len() as u64);
    }

    fn reader(&self) -> GeoReader {
        let directory = MemoryDirectory::new();
        self.write(&directory, "1.geo.1");
        let reader = GeoReader::open(&directory, "1.geo.1").unwrap();
        assert_eq!(reader.verify(), []);
        reader
    }

    fn points_where(&self, matches: impl Fn(Point) -> bool) -> RoaringBitmap {
        self.points
            .iter()
            .filter(|(_, point)| matches(**point))
            .map(|(doc_id, _)| *doc_id)
            .collect()
    }

    fn shapes_in(&self, region: &region::Region) -> RoaringBitmap {
        self.shapes
            .iter()
            .filter(|(_, shape)| region.meets(shape))
            .map(|(doc_id, _)| *doc_id)
            .collect()
    }

    fn by_distance(&self, centre: Point, farthest_first: bool) -> Vec<Neighbour> {
        let mut all: Vec<Neighbour> = self
            .points
            .iter()
            .map(|(&doc_id, &point)| Neighbour { doc_id, metres: distance(centre, point), point })
            .collect();
        let direction = if farthest_first { -1.0 } else { 1.0 };
        all.sort_by(|left, right| (direction * left.metres).total_cmp(&(direction * right.metres)));
        all
    }
}

/// Generates the same numbers in every run.
struct Random(u64);

impl Random {
    fn number(&mut self, below: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.number(1 << 30) as f64 / f64::from(1 << 30)
    }

    fn point(&mut self) -> Point {
        match self.number(8) {
            0 => at(self.between(88.0, 90.0), self.between(-180.0, 180.0)),
            1 => at(self.between(-90.0, 90.0), self.between(179.0, 180.0)),
            2 => at(self.between(-90.0, 90.0), self.between(-180.0, -179.0)),
            // Out of range.
            3 => at(self.between(-400.0, 400.0), self.between(-800.0, 800.0)),
            // In the same few places.
            4 => at(self.number(3) as f64 * 45.0, self.number(3) as f64 * 90.0 - 180.0),
            5 => at(self.between(45.0, 45.1), self.between(4.0, 4.1)),
            _ => at(self.between(-90.0, 90.0), self.between(-180.0, 180.0)),
        }
    }

    fn shape(&mut self) -> Shape {
        let mut shape = Shape::new();
        for _ in 0..=self.number(2) {
            let centre = self.point();
            let size = [0.001, 1.0, 20.0, 100.0][self.number(4) as usize];
            let corners: Vec<Point> = (0..3 + self.number(5))
                .map(|_| {
                    let (lat, lng) = (self.between(-size, size), self.between(-size, size));
                    at(centre.lat + lat, centre.lng + lng)
                })
                .collect();
            let hole: Vec<Point> = corners
                .iter()
                .map(|it| at((it.lat + centre.lat) / 2.0, (it.lng + centre.lng) / 2.0))
                .collect();
            match self.number(4) {
                0 => shape.point(centre),
                1 => shape.line(&corners),
                2 => shape.area([&corners[..]]),
                _ => shape.area([&corners[..], &hole]),
            }
        }
        shape
    }
}

/// A place for a query.
fn place() -> impl Strategy<Value = Point> {
    let lat = prop_oneof![4 => -90.0..=90.0, 1 => Just(90.0), 1 => Just(-90.0), 1 => Just(0.0)];
    let lng = prop_oneof![4 => -180.0..=180.0, 1 => Just(180.0), 1 => Just(-180.0), 1 => Just(0.0)];
    (lat, lng).prop_map(|(lat, lng)| at(lat, lng))
}

fn radius() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(-1.0),
        Just(f64::NAN),
        Just(20_015_086.796),
        Just(f64::MAX),
        0.0..1000.0,
        0.0..1e6,
        0.0..2.1e7
    ]
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, cases, ..ProptestConfig::default() }
}
