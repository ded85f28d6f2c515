//! Workers for batches. Several batches are spread over as many workers as there are cores, each of
//! which does a whole batch alone: that costs less than splitting every matrix product. A single
//! batch, such as a query, runs on the calling thread, its large products on all cores.

use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use candle_core::{Device, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::batch::Batch;

/// Pools of one thread each: the library splits work among the threads of the calling pool, and a
/// pool of one keeps it together.
static WORKERS: OnceLock<Vec<ThreadPool>> = OnceLock::new();

fn workers() -> &'static [ThreadPool] {
    WORKERS.get_or_init(|| {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let worker = |number| {
            let name = move |_| format!("embed-{number}");
            ThreadPoolBuilder::new().num_threads(1).thread_name(name).build().ok()
        };
        (0..cores).filter_map(worker).collect()
    })
}

/// Returns how many batches can run at the same time.
pub(super) fn count(device: &Device) -> usize {
    if device.is_cpu() { workers().len().max(1) } else { 1 }
}

/// Returns the most tokens of a batch: enough for fast matrix products, on the CPU few enough for
/// their results to stay in its cache.
pub(super) fn max_tokens(device: &Device) -> usize {
    if device.is_cpu() { 512 } else { 1 << 14 }
}

/// Returns the result of `work` for each batch, in their order.
pub(super) fn run<T: Send>(
    batches: &[Batch],
    device: &Device,
    work: impl Fn(&Batch) -> Result<T> + Sync,
) -> Vec<Result<T>> {
    let workers = if device.is_cpu() { workers() } else { &[] };
    if batches.len() < 2 || workers.len() < 2 {
        return batches.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    // One batch at a time, so that other callers take turns with this one.
    let share = |worker: &ThreadPool| {
        let mut done = Vec::new();
        while let Some((number, batch)) = {
            let number = next.fetch_add(1, Ordering::Relaxed);
            batches.get(number).map(|batch| (number, batch))
        } {
            done.push((number, worker.install(|| work(batch))));
        }
        done
    };
    let mut done: Vec<(usize, Result<T>)> = thread::scope(|scope| {
        let share = &share;
        let started: Vec<_> = workers
            .iter()
            .take(batches.len())
            .map(|worker| scope.spawn(|| share(worker)))
            .collect();
        let done = started.into_iter().map(|thread| match thread.join() {
            Ok(done) => done,
            Err(panic) => resume_unwind(panic),
        });
        done.flatten().collect()
    });
    done.sort_unstable_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}
