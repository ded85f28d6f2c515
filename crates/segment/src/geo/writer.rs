//! Writes the sections of points and of shapes, which come in the order of the curve. Without items
//! the sections are missing.

use super::format::{self, PointEntry, ShapeEntry};
use super::tree::TreeWriter;
use crate::DocId;
use crate::documents::set_to_bytes;
use crate::encoding::pages::PagesWriter;
use crate::encoding::union::set_of;
use crate::error::Result;
use crate::frame::{FrameWriter, Tag};

pub fn write_points(
    frame: &mut FrameWriter,
    points: impl Iterator<Item = Result<PointEntry>>,
) -> Result<()> {
    let mut points = points.peekable();
    if points.peek().is_none() {
        return Ok(());
    }
    let mut entries = PagesWriter::begin(frame, format::POINTS)?;
    let mut tree = TreeWriter::new();
    let mut places: Vec<(DocId, u32)> = Vec::new();
    for entry in points {
        let entry = entry?;
        places.push((entry.doc_id, places.len() as u32));
        tree.add(&entry.bounds());
        entry.write(&mut entries.pending);
        entries.flush(frame)?;
    }
    entries.finish(frame, format::POINT_PAGES)?;
    tree.finish(frame, format::POINT_BOXES, format::POINT_BOX_PAGES)?;

    places.sort_unstable();
    let mut out = PagesWriter::begin(frame, format::POINT_PLACES)?;
    for (_, place) in &places {
        out.pending.extend_from_slice(&place.to_le_bytes());
        out.flush(frame)?;
    }
    out.finish(frame, format::POINT_PLACE_PAGES)?;
    let mut doc_ids: Vec<DocId> = places.into_iter().map(|(doc_id, _)| doc_id).collect();
    write_set(frame, format::POINT_DOC_IDS, &mut doc_ids)
}

/// Writes each shape with its bytes, and sets their offsets.
pub fn write_shapes<'b>(
    frame: &mut FrameWriter,
    shapes: impl Iterator<Item = Result<(ShapeEntry, &'b [u8])>>,
) -> Result<()> {
    let mut shapes = shapes.peekable();
    if shapes.peek().is_none() {
        return Ok(());
    }
    let mut bytes = PagesWriter::begin(frame, format::SHAPES)?;
    let mut tree = TreeWriter::new();
    let mut entries = Vec::new();
    for shape in shapes {
        let (entry, shape) = shape?;
        tree.add(&entry.bounds);
        entries.push(ShapeEntry { start: bytes.length(), ..entry });
        bytes.pending.extend_from_slice(shape);
        bytes.flush(frame)?;
    }
    bytes.finish(frame, format::SHAPE_PAGES)?;
    let mut out = PagesWriter::begin(frame, format::SHAPE_ENTRIES)?;
    for entry in &entries {
        entry.write(&mut out.pending);
        out.flush(frame)?;
    }
    out.finish(frame, format::SHAPE_ENTRY_PAGES)?;
    tree.finish(frame, format::SHAPE_BOXES, format::SHAPE_BOX_PAGES)?;
    let mut doc_ids: Vec<DocId> = entries.iter().map(|entry| entry.doc_id).collect();
    write_set(frame, format::SHAPE_DOC_IDS, &mut doc_ids)
}

fn write_set(frame: &mut FrameWriter, tag: Tag, doc_ids: &mut [DocId]) -> Result<()> {
    let mut bytes = Vec::new();
    set_to_bytes(&set_of(doc_ids), &mut bytes);
    frame.section(tag, &bytes)
}
