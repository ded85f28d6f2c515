//! Where documents are, collected in memory until a file is made of it.

use super::format::{PointEntry, ShapeEntry};
use super::shape::Shape;
use super::sphere::Point;
use super::tree::Bounds;
use crate::DocId;

#[derive(Debug, Default)]
pub struct GeoBuffer {
    pub(super) points: Vec<PointEntry>,
    pub(super) shapes: Vec<ShapeEntry>,
    /// The bytes of the shapes, one after the other.
    pub(super) bytes: Vec<u8>,
}

impl GeoBuffer {
    pub fn new() -> Self {
        Self::default()
    }

    /// A document has one point.
    pub fn point(&mut self, doc_id: DocId, point: Point) {
        self.points.push(PointEntry { doc_id, point });
    }

    /// A document has one shape, of any number of parts; one without any is left out.
    pub fn shape(&mut self, doc_id: DocId, shape: &Shape) {
        if shape.is_empty() {
            return;
        }
        let mut bounds = Bounds::NOTHING;
        shape.points().iter().for_each(|point| bounds.include([point.lat, point.lng]));
        self.shapes.push(ShapeEntry { doc_id, bounds, start: self.bytes.len() as u64 });
        shape.write(&mut self.bytes);
    }

    pub fn is_empty(&self) -> bool {
        self.points.is_empty() && self.shapes.is_empty()
    }

    /// Bytes that it holds on to.
    pub fn memory_used(&self) -> usize {
        self.points.capacity() * size_of::<PointEntry>()
            + self.shapes.capacity() * size_of::<ShapeEntry>()
            + self.bytes.capacity()
    }

    /// The bytes of a shape, by its place in the list.
    pub(super) fn bytes_of(&self, place: usize) -> &[u8] {
        let start = self.shapes[place].start as usize;
        let end = self.shapes.get(place + 1).map_or(self.bytes.len(), |next| next.start as usize);
        &self.bytes[start..end]
    }
}
