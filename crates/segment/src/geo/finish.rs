//! Writes one file from several buffers, sorted along the Hilbert curve.

use super::buffer::GeoBuffer;
use super::format::{self, PointEntry, ShapeEntry};
use super::writer::{write_points, write_shapes};
use crate::DocId;
use crate::directory::Directory;
use crate::error::{Result, SegmentError};
use crate::frame::FrameWriter;

/// Writes and syncs the file, and returns its length. The caller syncs the directory.
pub fn finish(buffers: Vec<GeoBuffer>, directory: &dyn Directory, name: &str) -> Result<u64> {
    check_once(buffers.iter().flat_map(|buffer| &buffer.points).map(|entry| entry.doc_id))?;
    check_once(buffers.iter().flat_map(|buffer| &buffer.shapes).map(|entry| entry.doc_id))?;
    let mut frame = FrameWriter::create(directory, name, format::KIND, format::VERSION)?;

    let mut points: Vec<PointEntry> =
        buffers.iter().flat_map(|buffer| &buffer.points).copied().collect();
    points.sort_by_cached_key(PointEntry::order);
    write_points(&mut frame, points.into_iter().map(Ok))?;

    let mut shapes: Vec<(ShapeEntry, &[u8])> = Vec::new();
    for buffer in &buffers {
        let entries = buffer.shapes.iter().enumerate();
        shapes.extend(entries.map(|(place, entry)| (*entry, buffer.bytes_of(place))));
    }
    shapes.sort_by_cached_key(|(entry, _)| entry.order());
    write_shapes(&mut frame, shapes.into_iter().map(Ok))?;
    frame.finish()
}

fn check_once(doc_ids: impl Iterator<Item = DocId>) -> Result<()> {
    let mut doc_ids: Vec<DocId> = doc_ids.collect();
    doc_ids.sort_unstable();
    match doc_ids.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(twice) => {
            Err(SegmentError::Inconsistent(format!("document {} comes twice", twice[0])))
        }
        None => Ok(()),
    }
}
