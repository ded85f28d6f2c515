//! An opened geo file. Trees and lists are read in place, page by page on access; only the document
//! sets are kept in memory.

use roaring::RoaringBitmap;

use super::circle::Circle;
use super::format;
use super::nearest::Nearest;
use super::points::Points;
use super::region::Region;
use super::shapes::Shapes;
use super::sphere::Point;
use crate::DocId;
use crate::directory::{Directory, FileBytes};
use crate::error::Result;
use crate::frame::Frame;

pub struct GeoReader {
    pub(super) frame: Frame,
    pub(super) points: Points,
    pub(super) shapes: Shapes,
}

impl GeoReader {
    pub fn open(directory: &dyn Directory, name: &str) -> Result<Self> {
        Self::from_bytes(name, directory.open(name)?)
    }

    pub fn from_bytes(name: &str, bytes: FileBytes) -> Result<Self> {
        let frame = Frame::open(name, bytes, format::KIND, format::VERSION)?;
        Ok(Self { points: Points::open(&frame)?, shapes: Shapes::open(&frame)?, frame })
    }

    pub fn name(&self) -> &str {
        self.frame.name()
    }

    pub fn file_bytes(&self) -> u64 {
        self.frame.length()
    }

    pub fn documents_with_point(&self) -> &RoaringBitmap {
        &self.points.doc_ids
    }

    pub fn documents_with_shape(&self) -> &RoaringBitmap {
        &self.shapes.doc_ids
    }

    pub fn point_of(&self, doc_id: DocId) -> Result<Option<Point>> {
        self.points.of_document(doc_id, &self.frame)
    }

    /// Returns the documents whose point is within a distance.
    pub fn points_within(&self, centre: Point, metres: f64) -> Result<RoaringBitmap> {
        if is_nothing(metres) {
            return Ok(RoaringBitmap::new());
        }
        self.points.within(&Circle::new(centre, metres), &self.frame)
    }

    /// Returns the documents whose point is in a box or on its border. The box crosses the
    /// antimeridian if its right side has the lower longitude. Coordinates out of range are
    /// compared unchanged.
    pub fn points_in_box(&self, top_right: Point, bottom_left: Point) -> Result<RoaringBitmap> {
        self.points.in_box(top_right, bottom_left, &self.frame)
    }

    /// Returns the documents with a point, nearest first or farthest first.
    pub fn nearest(&self, centre: Point, farthest_first: bool) -> Nearest<'_> {
        Nearest::new(self, centre, farthest_first)
    }

    /// Returns the documents whose shape comes within a distance.
    pub fn shapes_within(&self, centre: Point, metres: f64) -> Result<RoaringBitmap> {
        if is_nothing(metres) {
            return Ok(RoaringBitmap::new());
        }
        self.shapes.in_region(&Region::circle(Circle::new(centre, metres)), &self.frame)
    }

    /// Returns the documents whose shape has a point in common with a box.
    pub fn shapes_in_box(&self, top_right: Point, bottom_left: Point) -> Result<RoaringBitmap> {
        if top_right.lat < bottom_left.lat {
            return Ok(RoaringBitmap::new());
        }
        self.shapes.in_region(&Region::of_box(top_right, bottom_left), &self.frame)
    }

    /// Returns the documents whose shape has a point in common with a polygon.
    pub fn shapes_in_polygon(&self, corners: &[Point]) -> Result<RoaringBitmap> {
        self.shapes.in_region(&Region::polygon(corners), &self.frame)
    }
}

/// Returns whether a radius is negative, which finds nothing, not even the centre.
fn is_nothing(metres: f64) -> bool {
    metres < 0.0 || metres.is_nan()
}

impl std::fmt::Debug for GeoReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GeoReader")
            .field("name", &self.name())
            .field("points", &self.points.count())
            .field("shapes", &self.shapes.count())
            .finish_non_exhaustive()
    }
}
