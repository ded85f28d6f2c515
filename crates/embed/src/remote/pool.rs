//! Runs a few requests at a time. The first failure ends the others after their current request.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;

use crate::error::{EmbedError, InnerError};

/// Returns results in the order of the batches.
pub(super) fn run<T: Send>(
    threads: usize,
    batches: &[Range<usize>],
    work: impl Fn(&Range<usize>) -> Result<T, EmbedError> + Sync,
) -> Result<Vec<T>, EmbedError> {
    if threads <= 1 || batches.len() <= 1 {
        return batches.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let results: Vec<Mutex<Option<Result<T, EmbedError>>>> =
        batches.iter().map(|_| Mutex::new(None)).collect();
    thread::scope(|scope| {
        for _ in 0..threads.min(batches.len()) {
            scope.spawn(|| {
                while !failed.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let (Some(batch), Some(place)) = (batches.get(index), results.get(index))
                    else {
                        break;
                    };
                    let result = work(batch);
                    if result.is_err() {
                        failed.store(true, Ordering::Relaxed);
                    }
                    *place.lock() = Some(result);
                }
            });
        }
    });
    // Batches are taken in order, so unfinished ones come after the failed one.
    results
        .into_iter()
        .map(|result| result.into_inner().unwrap_or(Err(InnerError::Stopped.into())))
        .collect()
}
