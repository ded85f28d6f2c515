//! How this crate uses the frame of `segment`: the kinds of its files, files of one section, and
//! document sets as bytes.

use roaring::RoaringBitmap;
use segment::{Directory, FileBytes, Frame, FrameWriter, SegmentError, Tag};

/// Format version of every file of this crate.
pub(crate) const VERSION: u16 = 1;

pub(crate) const MANIFEST: Tag = Tag(*b"MANI");
pub(crate) const DELETED: Tag = Tag(*b"DELE");
pub(crate) const FIELDS: Tag = Tag(*b"FIEL");
pub(crate) const SETTINGS: Tag = Tag(*b"SETT");

/// Sections of a manifest; a file of one section uses the tag of its kind.
pub(crate) const HEAD: Tag = Tag(*b"HEAD");
pub(crate) const RECEIPT: Tag = Tag(*b"RECE");
/// Missing if there are no embedders.
pub(crate) const EMBEDDERS: Tag = Tag(*b"EMBE");

/// Writes a file with a single section.
pub(crate) fn write_single(
    directory: &dyn Directory,
    name: &str,
    kind: Tag,
    bytes: &[u8],
) -> segment::Result<u64> {
    let mut frame = FrameWriter::create(directory, name, kind, VERSION)?;
    frame.section(kind, bytes)?;
    frame.finish()
}

/// Reads the section of such a file; also returns the length of the file.
pub(crate) fn read_single(
    directory: &dyn Directory,
    name: &str,
    kind: Tag,
) -> segment::Result<(FileBytes, u64)> {
    let frame = Frame::open(name, directory.open(name)?, kind, VERSION)?;
    Ok((frame.section(kind)?, frame.length()))
}

pub(crate) fn bitmap_to_bytes(ids: &RoaringBitmap) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(ids.serialized_size());
    // Writing to memory cannot fail.
    let _ = ids.serialize_into(&mut bytes);
    bytes
}

pub(crate) fn bitmap_from_bytes(file: &str, bytes: &[u8]) -> segment::Result<RoaringBitmap> {
    RoaringBitmap::deserialize_from(bytes)
        .map_err(|error| SegmentError::damaged(file, format!("set of document ids: {error}")))
}
