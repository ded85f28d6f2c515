//! The points of a file: searches by circle and box, and the point of a document.

use std::ops::Range;

use roaring::RoaringBitmap;

use super::circle::Circle;
use super::format::{self, PointEntry};
use super::sphere::{self, Point};
use super::tree::{Bounds, Tree, Verdict};
use crate::DocId;
use crate::encoding::pages::Pages;
use crate::encoding::runs::Runs;
use crate::encoding::union::set_of;
use crate::error::Result;
use crate::frame::Frame;

pub struct Points {
    entries: Pages,
    pub tree: Tree<5>,
    places: Pages,
    pub doc_ids: RoaringBitmap,
    runs: Runs,
}

impl Points {
    pub fn open(frame: &Frame) -> Result<Self> {
        let entries = Pages::open_optional(frame, format::POINTS, format::POINT_PAGES)?;
        let boxes = Pages::open_optional(frame, format::POINT_BOXES, format::POINT_BOX_PAGES)?;
        let places = Pages::open_optional(frame, format::POINT_PLACES, format::POINT_PLACE_PAGES)?;
        let doc_ids = format::optional_set(frame, format::POINT_DOC_IDS)?;
        let count = entries.len() / PointEntry::LENGTH;
        let disagree = || frame.damaged("the sections of points do not belong together");
        let tree = Tree::new(boxes, count).ok_or_else(disagree)?;
        if !entries.len().is_multiple_of(PointEntry::LENGTH)
            || places.len() != count * 4
            || doc_ids.len() != count as u64
        {
            return Err(disagree());
        }
        Ok(Self { entries, tree, places, runs: Runs::new(&doc_ids), doc_ids })
    }

    pub fn count(&self) -> usize {
        self.entries.len() / PointEntry::LENGTH
    }

    pub fn entries<'p>(
        &'p self,
        places: Range<usize>,
        frame: &Frame,
    ) -> Result<impl Iterator<Item = PointEntry> + use<'p>> {
        let bytes = places.start.saturating_mul(PointEntry::LENGTH)
            ..places.end.saturating_mul(PointEntry::LENGTH);
        let (entries, _) = self.entries.get(bytes, frame)?.as_chunks();
        Ok(entries.iter().map(PointEntry::read))
    }

    pub fn entry(&self, place: usize, frame: &Frame) -> Result<PointEntry> {
        let missing = || frame.damaged(format!("point {place} is missing"));
        self.entries(place..place.saturating_add(1), frame)?.next().ok_or_else(missing)
    }

    pub fn of_document(&self, doc_id: DocId, frame: &Frame) -> Result<Option<Point>> {
        let Some(rank) = self.runs.place(doc_id, &mut 0) else {
            return Ok(None);
        };
        let place = self.place_of(rank, frame)?;
        match self.entries(place..place + 1, frame)?.next() {
            Some(entry) if entry.doc_id == doc_id => Ok(Some(entry.point)),
            _ => Err(frame.damaged(format!("the point of document {doc_id} is not in its place"))),
        }
    }

    /// Returns the position of a document's point, by the rank of the document.
    pub fn place_of(&self, rank: usize, frame: &Frame) -> Result<usize> {
        let bytes = self.places.get(rank * 4..rank * 4 + 4, frame)?;
        Ok(bytes.first_chunk().map_or(0, |place| u32::from_le_bytes(*place)) as usize)
    }

    pub fn within(&self, circle: &Circle, frame: &Frame) -> Result<RoaringBitmap> {
        let centre = circle.centre.in_space();
        let near = sphere::chord_at_most(circle.metres);
        let far = sphere::chord_at_least(circle.metres);
        let everything = sphere::reaches_everything(circle.metres);
        let judge = |bounds: &Bounds<5>| {
            let [least, most] = chords(bounds, centre);
            if everything || most <= near {
                Verdict::Inside
            } else {
                Verdict::unsure_if(least <= far)
            }
        };
        self.search(judge, |point| circle.contains(point), frame)
    }

    /// Finds points in a box. Coordinates are compared unchanged: those out of range are in no box.
    pub fn in_box(
        &self,
        top_right: Point,
        bottom_left: Point,
        frame: &Frame,
    ) -> Result<RoaringBitmap> {
        let lats = [bottom_left.lat, top_right.lat];
        let lngs = if top_right.lng < bottom_left.lng {
            vec![[bottom_left.lng, f64::INFINITY], [f64::NEG_INFINITY, top_right.lng]]
        } else {
            vec![[bottom_left.lng, top_right.lng]]
        };
        let contains = |[low, high]: [f64; 2], inner: [f64; 2]| low <= inner[0] && inner[1] <= high;
        let meets = |[low, high]: [f64; 2], other: [f64; 2]| low <= other[1] && other[0] <= high;
        let judge = |bounds: &Bounds<5>| {
            let [.., lat, lng] = bounds.ranges();
            if contains(lats, lat) && lngs.iter().any(|&lngs| contains(lngs, lng)) {
                return Verdict::Inside;
            }
            Verdict::unsure_if(meets(lats, lat) && lngs.iter().any(|&lngs| meets(lngs, lng)))
        };
        let has = |point: Point| {
            contains(lats, [point.lat; 2])
                && lngs.iter().any(|&lngs| contains(lngs, [point.lng; 2]))
        };
        self.search(judge, has, frame)
    }

    fn search(
        &self,
        judge: impl Fn(&Bounds<5>) -> Verdict,
        has: impl Fn(Point) -> bool,
        frame: &Frame,
    ) -> Result<RoaringBitmap> {
        let mut found = Vec::new();
        self.tree.search(frame, judge, |places, verdict| {
            let entries = self.entries(places, frame)?;
            let matching = entries.filter(|entry| verdict == Verdict::Inside || has(entry.point));
            found.extend(matching.map(|entry| entry.doc_id));
            Ok(())
        })?;
        Ok(set_of(&mut found))
    }
}

/// Upper bound of the rounding error of a small square computed as a difference of large ones.
const SQUARE_ERROR: f64 = 1e-14;

/// Returns the least and the greatest distance in space between a place on the sphere and points on
/// it within some bounds. Corners of bounds stick out of the sphere, so the farthest is better
/// derived from the nearness to the opposite place: the two distances form a right angle.
pub fn chords(bounds: &Bounds<5>, place: [f64; 3]) -> [f64; 2] {
    let [x, y, z, ..] = bounds.ranges();
    let (mut least, mut most, mut opposite) = (0.0_f64, 0.0_f64, 0.0_f64);
    for ([low, high], value) in [x, y, z].into_iter().zip(place) {
        let beyond = |value: f64| (low - value).max(value - high).max(0.0).powi(2);
        least += beyond(value);
        opposite += beyond(-value);
        most += (value - low).abs().max((high - value).abs()).powi(2);
    }
    [least, most.min(4.0 - opposite + SQUARE_ERROR)].map(f64::sqrt)
}
