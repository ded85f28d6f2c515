//! Collects the locations of documents in memory until a file is written.

use super::format::{PointEntry, ShapeEntry};
use super::shape::Shape;
use super::sphere::Point;
use super::tree::Bounds;
use crate::DocId;

#[derive(Debug, Default)]
pub struct GeoBuffer {
    pub(super) points: Vec<PointEntry>,
    pub(super) shapes: Vec<ShapeEntry>,
    /// Concatenated bytes of the shapes.
    pub(super) bytes: Vec<u8>,
}

impl GeoBuffer {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the point of a document, which has at most one.
    pub fn point(&mut self, doc_id: DocId, point: Point) {
        self.points.push(PointEntry { doc_id, point });
    }

    /// Adds the shape of a document, which has at most one; an empty shape is left out.
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

    /// Returns the memory held, in bytes.
    pub fn memory_used(&self) -> usize {
        self.points.capacity() * size_of::<PointEntry>()
            + self.shapes.capacity() * size_of::<ShapeEntry>()
            + self.bytes.capacity()
    }

    /// Returns the bytes of a shape, by its position in the list.
    pub(super) fn bytes_of(&self, place: usize) -> &[u8] {
        let start = self.shapes[place].start as usize;
        let end = self.shapes.get(place + 1).map_or(self.bytes.len(), |next| next.start as usize);
        &self.bytes[start..end]
    }
}
