//! Reads documents out of an index, for work that can be stopped.

use index::{DocId, Snapshot};
use roaring::RoaringBitmap;
use segment::SegmentError;
use tasks::RunError;

use crate::failure::index_failure;

/// Wraps a `RunError`, which belongs to another crate and cannot implement the conversion.
struct ReadError(RunError);

impl From<SegmentError> for ReadError {
    fn from(error: SegmentError) -> Self {
        Self(RunError::Failed(index_failure(error)))
    }
}

/// Calls `each` with the number and the text of each of these documents that is live.
pub fn for_each_document(
    snapshot: &Snapshot,
    wanted: &RoaringBitmap,
    mut each: impl FnMut(DocId, &str) -> Result<(), RunError>,
) -> Result<(), RunError> {
    let read = |number: DocId, json: &str| each(number, json).map_err(ReadError);
    snapshot.for_each_document(wanted, read).map_err(|ReadError(error)| error)
}
