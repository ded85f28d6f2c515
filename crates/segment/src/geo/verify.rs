//! Reads a whole geo file and lists its problems: boxes must hold what is below them, lists must be
//! in order, and the index by document must match.

use roaring::RoaringBitmap;

use super::format::PointEntry;
use super::reader::GeoReader;
use super::shape::Shape;
use super::tree::{Bounds, Children, Tree};
use crate::DocId;
use crate::error::{Problem, Result};
use crate::frame::Frame;

/// Problems listed at most: a file with errors everywhere need not be described point by point.
const MAX_PROBLEMS: usize = 100;

impl GeoReader {
    /// Returns all problems; an empty list means that all is well.
    pub fn verify(&self) -> Vec<Problem> {
        let mut problems = self.frame.verify();
        if let Err(error) = self.verify_points(&mut problems) {
            problems.push(error.into());
        }
        if let Err(error) = self.verify_shapes(&mut problems) {
            problems.push(error.into());
        }
        problems.truncate(MAX_PROBLEMS);
        problems
    }

    fn verify_points(&self, problems: &mut Vec<Problem>) -> Result<()> {
        let Self { frame, points, .. } = self;
        let mut list = ListCheck::new("point");
        for place in 0..points.count() {
            let entry = points.entry(place, frame)?;
            list.next(place, entry.doc_id, entry.order(), problems, self);
            if !entry.point.is_finite() {
                problems.push(self.problem(format!("point {place} is nowhere")));
            }
        }
        list.compare(&points.doc_ids, problems, self);
        for (rank, doc_id) in points.doc_ids.iter().enumerate() {
            let place = points.place_of(rank, frame)?;
            if place >= points.count() || points.entry(place, frame)?.doc_id != doc_id {
                let what = format!("the point of document {doc_id} is not in its place");
                problems.push(self.problem(what));
            }
            if problems.len() >= MAX_PROBLEMS {
                return Ok(());
            }
        }
        let bounds = |place| Ok(PointEntry::bounds(&points.entry(place, frame)?));
        self.verify_tree("points", &points.tree, bounds, problems)
    }

    fn verify_shapes(&self, problems: &mut Vec<Problem>) -> Result<()> {
        let Self { frame, shapes, .. } = self;
        let mut list = ListCheck::new("shape");
        let mut shape = Shape::new();
        let mut end = 0;
        for place in 0..shapes.count() {
            let entry = shapes.entry(place, frame)?;
            list.next(place, entry.doc_id, entry.order(), problems, self);
            let length = shapes.bytes_of(place, frame)?.len();
            if entry.start != end {
                problems.push(self.problem(format!("shape {place} is not in its place")));
            }
            end = entry.start + length as u64;
            shapes.read(place, &mut shape, frame)?;
            let mut bounds = Bounds::NOTHING;
            shape.points().iter().for_each(|point| bounds.include([point.lat, point.lng]));
            if bounds != entry.bounds || !shape.points().iter().all(|point| point.is_finite()) {
                problems.push(self.problem(format!("shape {place} is not within its bounds")));
            }
            if problems.len() >= MAX_PROBLEMS {
                return Ok(());
            }
        }
        list.compare(&shapes.doc_ids, problems, self);
        let bounds = |place| Ok(shapes.entry(place, frame)?.bounds);
        self.verify_tree("shapes", &shapes.tree, bounds, problems)
    }

    /// Checks that every box is exactly as large as its contents.
    fn verify_tree<const AXES: usize>(
        &self,
        what: &str,
        tree: &Tree<AXES>,
        bounds_of: impl Fn(usize) -> Result<Bounds<AXES>>,
        problems: &mut Vec<Problem>,
    ) -> Result<()> {
        let frame: &Frame = &self.frame;
        let mut open: Vec<_> = tree.root().into_iter().collect();
        while let Some(node) = open.pop() {
            let mut all = Bounds::NOTHING;
            match tree.below(node, frame)? {
                Children::Nodes(nodes) => {
                    for (node, bounds) in nodes {
                        all.include_all(&bounds);
                        open.push(node);
                    }
                }
                Children::Things(places) => {
                    for place in places {
                        all.include_all(&bounds_of(place)?);
                    }
                }
            }
            if !tree.bounds(node, frame)?.is_close_to(&all) && problems.len() < MAX_PROBLEMS {
                let what = format!("a box around {what} does not contain its entries");
                problems.push(self.problem(what));
            }
        }
        Ok(())
    }

    fn problem(&self, what: String) -> Problem {
        Problem::new(self.name(), what)
    }
}

/// Checks that a list of points or shapes is in order and has each document once.
struct ListCheck {
    what: &'static str,
    last: Option<(u64, DocId)>,
    doc_ids: RoaringBitmap,
}

impl ListCheck {
    fn new(what: &'static str) -> Self {
        Self { what, last: None, doc_ids: RoaringBitmap::new() }
    }

    fn next(
        &mut self,
        place: usize,
        doc_id: DocId,
        order: (u64, DocId),
        problems: &mut Vec<Problem>,
        reader: &GeoReader,
    ) {
        let is_new = self.doc_ids.insert(doc_id);
        let in_order = self.last.replace(order) < Some(order);
        if !(is_new && in_order) && problems.len() < MAX_PROBLEMS {
            problems.push(reader.problem(format!("{} {place} is not in order", self.what)));
        }
    }

    fn compare(&self, doc_ids: &RoaringBitmap, problems: &mut Vec<Problem>, reader: &GeoReader) {
        if self.doc_ids != *doc_ids {
            let what = format!("the documents with a {} are not those listed", self.what);
            problems.push(reader.problem(what));
        }
    }
}
