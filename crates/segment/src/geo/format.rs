//! Section names of a geo file, and the entries of its two lists. FORMAT.md has the diagrams.

use roaring::RoaringBitmap;

use super::hilbert::place_on_curve;
use super::sphere::Point;
use super::tree::Bounds;
use crate::DocId;
use crate::documents::parse_set;
use crate::error::Result;
use crate::frame::{Frame, Tag};

pub const KIND: Tag = Tag(*b"GEOM");
pub const VERSION: u16 = 2;

/// Points with their documents, along the curve; and checksums of its pages, as for the others.
pub const POINTS: Tag = Tag(*b"PNTS");
pub const POINT_PAGES: Tag = Tag(*b"PPAG");
/// Boxes around groups of points.
pub const POINT_BOXES: Tag = Tag(*b"PBOX");
pub const POINT_BOX_PAGES: Tag = Tag(*b"PBPG");
/// Position of the point of each document, in DocId order.
pub const POINT_PLACES: Tag = Tag(*b"PLAC");
pub const POINT_PLACE_PAGES: Tag = Tag(*b"PLPG");
/// Documents that have a point.
pub const POINT_DOC_IDS: Tag = Tag(*b"PIDS");
/// Shapes, along the curve.
pub const SHAPES: Tag = Tag(*b"SHPS");
pub const SHAPE_PAGES: Tag = Tag(*b"SPAG");
/// Bounds and documents of shapes.
pub const SHAPE_ENTRIES: Tag = Tag(*b"SENT");
pub const SHAPE_ENTRY_PAGES: Tag = Tag(*b"SEPG");
/// Boxes around groups of shapes.
pub const SHAPE_BOXES: Tag = Tag(*b"SBOX");
pub const SHAPE_BOX_PAGES: Tag = Tag(*b"SBPG");
/// Documents that have a shape.
pub const SHAPE_DOC_IDS: Tag = Tag(*b"SIDS");

/// Returns a set, empty if its section is missing.
pub fn optional_set(frame: &Frame, tag: Tag) -> Result<RoaringBitmap> {
    let Some(bytes) = frame.optional_section(tag) else {
        return Ok(RoaringBitmap::new());
    };
    parse_set(&bytes).ok_or_else(|| frame.unreadable(format_args!("section {tag}")))
}

/// A point and its document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointEntry {
    pub doc_id: DocId,
    pub point: Point,
}

impl PointEntry {
    /// latitude 8 | longitude 8 | DocId 4
    pub const LENGTH: usize = 20;

    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.point.lat.to_le_bytes());
        out.extend_from_slice(&self.point.lng.to_le_bytes());
        out.extend_from_slice(&self.doc_id.to_le_bytes());
    }

    pub fn read(bytes: &[u8; Self::LENGTH]) -> Self {
        let [lat, lng] = [0, 8].map(|at| f64::from_le_bytes(part(bytes, at)));
        Self { doc_id: u32::from_le_bytes(part(bytes, 16)), point: Point { lat, lng } }
    }

    /// Returns its bounds in space, for circles, and on the map, for boxes.
    pub fn bounds(&self) -> Bounds<5> {
        let [x, y, z] = self.point.in_space();
        let mut bounds = Bounds::NOTHING;
        bounds.include([x, y, z, self.point.lat, self.point.lng]);
        bounds
    }

    pub fn order(&self) -> (u64, DocId) {
        (place_on_curve(self.point), self.doc_id)
    }
}

/// Location of a shape on the map and in the bytes of all shapes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeEntry {
    pub doc_id: DocId,
    /// Latitude, then longitude.
    pub bounds: Bounds<2>,
    pub start: u64,
}

impl ShapeEntry {
    /// bounds 16 | start 8 | DocId 4
    pub const LENGTH: usize = 28;

    pub fn write(&self, out: &mut Vec<u8>) {
        self.bounds.write(out);
        out.extend_from_slice(&self.start.to_le_bytes());
        out.extend_from_slice(&self.doc_id.to_le_bytes());
    }

    pub fn read(bytes: &[u8; Self::LENGTH]) -> Self {
        Self {
            bounds: Bounds::read(&bytes[..16]),
            start: u64::from_le_bytes(part(bytes, 16)),
            doc_id: u32::from_le_bytes(part(bytes, 24)),
        }
    }

    pub fn order(&self) -> (u64, DocId) {
        (shape_place(&self.bounds), self.doc_id)
    }
}

/// Returns the position of a shape on the curve: that of the middle of its bounds.
fn shape_place(bounds: &Bounds<2>) -> u64 {
    let [lat, lng] = bounds.ranges().map(|[low, high]| low / 2.0 + high / 2.0);
    place_on_curve(Point { lat, lng })
}

fn part<const LENGTH: usize>(bytes: &[u8], start: usize) -> [u8; LENGTH] {
    let mut part = [0; LENGTH];
    part.copy_from_slice(&bytes[start..start + LENGTH]);
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back() {
        let entry = PointEntry { doc_id: 7, point: Point { lat: 45.764, lng: -171.75 } };
        let mut bytes = Vec::new();
        entry.write(&mut bytes);
        assert_eq!(PointEntry::read(bytes.as_slice().try_into().unwrap()), entry);

        let mut bounds = Bounds::NOTHING;
        bounds.include([1.5, 2.5]);
        bounds.include([-3.0, 4.0]);
        let entry = ShapeEntry { doc_id: 9, bounds, start: 1 << 40 };
        bytes.clear();
        entry.write(&mut bytes);
        assert_eq!(ShapeEntry::read(bytes.as_slice().try_into().unwrap()), entry);
    }
}
