//! Merges several geo files into one, without deleted documents. All of them are sorted along the
//! curve, so they are read in parallel and nothing is sorted.

use model::{Cancel, CancelCheck};
use roaring::RoaringBitmap;

use super::format;
use super::reader::GeoReader;
use super::writer::{write_points, write_shapes};
use crate::DocId;
use crate::directory::Directory;
use crate::error::Result;
use crate::frame::FrameWriter;
use crate::live_once::check_live_once;

#[derive(Debug, Clone, Copy)]
pub struct GeoMergeInput<'a> {
    pub reader: &'a GeoReader,
    /// Documents to keep; documents that the reader does not have are ignored.
    pub live: &'a RoaringBitmap,
}

/// Writes and syncs one file with the live documents of all inputs, and returns its length. A DocId
/// may be live in one input only. A cancelled merge ends with
/// [`crate::SegmentError::Stopped`], and the unfinished file can be deleted.
pub fn merge(
    inputs: &[GeoMergeInput<'_>],
    directory: &dyn Directory,
    name: &str,
    cancel: &Cancel,
) -> Result<u64> {
    check_live_once(
        inputs
            .iter()
            .map(|GeoMergeInput { reader, live }| (reader.name(), &reader.points.doc_ids & *live)),
    )?;
    check_live_once(
        inputs
            .iter()
            .map(|GeoMergeInput { reader, live }| (reader.name(), &reader.shapes.doc_ids & *live)),
    )?;
    let mut frame = FrameWriter::create(directory, name, format::KIND, format::VERSION)?;

    let points = inputs.iter().map(|input| {
        let GeoReader { points, frame, .. } = input.reader;
        in_steps(points.count(), cancel)
            .map(|place| points.entry(place?, frame))
            .filter(|entry| is_live(input, entry.as_ref().map(|entry| entry.doc_id)))
            .map(|entry| entry.map(|entry| (entry.order(), entry)))
    });
    write_points(&mut frame, CurveMerge::new(points))?;

    let shapes = inputs.iter().map(|input| {
        let GeoReader { shapes, frame, .. } = input.reader;
        in_steps(shapes.count(), cancel)
            .map(|place| {
                let place = place?;
                Ok((shapes.entry(place, frame)?, shapes.bytes_of(place, frame)?))
            })
            .filter(|shape| is_live(input, shape.as_ref().map(|(entry, _)| entry.doc_id)))
            .map(|shape| shape.map(|(entry, bytes)| (entry.order(), (entry, bytes))))
    });
    write_shapes(&mut frame, CurveMerge::new(shapes))?;
    frame.finish()
}

/// Returns whether an item is live. Errors are passed on to the writer.
fn is_live<E>(input: &GeoMergeInput<'_>, doc_id: Result<DocId, E>) -> bool {
    doc_id.map_or(true, |doc_id| input.live.contains(doc_id))
}

/// Iterates over the positions of a list, checking for cancellation in between.
fn in_steps(count: usize, cancel: &Cancel) -> impl Iterator<Item = Result<usize>> {
    let mut cancel = CancelCheck::new(cancel);
    (0..count).map(move |place| {
        cancel.step()?;
        Ok(place)
    })
}

/// Position along the curve, with ties broken by document.
type Order = (u64, DocId);

/// Merges several sorted lists. They are few, so the first one is found by a linear search.
struct CurveMerge<T, I> {
    lists: Vec<CurveList<T, I>>,
}

struct CurveList<T, I> {
    head: Option<Result<(Order, T)>>,
    rest: I,
}

impl<T, I> CurveList<T, I> {
    /// Returns the sort key; errors come first.
    fn order(&self) -> Option<Option<Order>> {
        self.head.as_ref().map(|head| head.as_ref().ok().map(|(order, _)| *order))
    }
}

impl<T, I: Iterator<Item = Result<(Order, T)>>> CurveMerge<T, I> {
    fn new(lists: impl Iterator<Item = I>) -> Self {
        Self { lists: lists.map(|mut rest| CurveList { head: rest.next(), rest }).collect() }
    }
}

impl<T, I: Iterator<Item = Result<(Order, T)>>> Iterator for CurveMerge<T, I> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        let waiting = self.lists.iter_mut().filter(|list| list.head.is_some());
        let first = waiting.min_by_key(|list| list.order())?;
        let head = std::mem::replace(&mut first.head, first.rest.next())?;
        Some(head.map(|(_, thing)| thing))
    }
}
