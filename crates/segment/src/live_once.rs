//! Precondition of every merge: a document is live in one input only.

use std::borrow::Borrow;

use roaring::RoaringBitmap;

use crate::error::{Result, SegmentError};

/// Checks the named live documents of each input; returns the number of documents.
pub(crate) fn check_live_once<N: AsRef<str>>(
    inputs: impl IntoIterator<Item = (N, impl Borrow<RoaringBitmap>)>,
) -> Result<u64> {
    let mut all = RoaringBitmap::new();
    for (name, live) in inputs {
        let live = live.borrow();
        if !all.is_disjoint(live) {
            let what = format!("a document of {} is live twice", name.as_ref());
            return Err(SegmentError::Inconsistent(what));
        }
        all |= live;
    }
    Ok(all.len())
}
