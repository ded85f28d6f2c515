//! Helper threads for requests of several searches, a fixed number for all requests together: a
//! request takes those that are free, and works on its own thread in any case.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use model::ServiceError;
use parking_lot::Mutex;

#[derive(Debug)]
pub(crate) struct Helpers {
    free: AtomicUsize,
}

impl Helpers {
    pub fn new(count: usize) -> Self {
        Self { free: AtomicUsize::new(count) }
    }

    /// Processes all items, several at a time. The first item that fails, in their order, fails the
    /// call; those behind it are not started.
    pub fn run<T: Sync, R: Send>(
        &self,
        items: &[T],
        work: impl Fn(&T) -> Result<R, ServiceError> + Sync,
    ) -> Result<Vec<R>, ServiceError> {
        let (next, end) = (AtomicUsize::new(0), AtomicUsize::new(items.len()));
        let results: Mutex<Vec<Option<Result<R, ServiceError>>>> =
            Mutex::new(items.iter().map(|_| None).collect());
        let take_turns = || {
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                if place >= end.load(Ordering::Relaxed) {
                    break;
                }
                let result = work(&items[place]);
                if result.is_err() {
                    end.fetch_min(place, Ordering::Relaxed);
                }
                results.lock()[place] = Some(result);
            }
        };
        let borrowed = self.borrow(items.len().saturating_sub(1));
        thread::scope(|scope| {
            for _ in 0..borrowed.count {
                let thread = thread::Builder::new().name("search helper".into());
                // If no thread starts, the others do its work.
                drop(thread.spawn_scoped(scope, take_turns));
            }
            take_turns();
        });
        drop(borrowed);
        let end = end.into_inner();
        let done = results.into_inner().into_iter().take(end.saturating_add(1)).flatten();
        done.collect()
    }

    fn borrow(&self, most: usize) -> BorrowedThreads<'_> {
        let mut count = 0;
        let taken = self.free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |free| {
            count = free.min(most);
            Some(free - count)
        });
        BorrowedThreads { helpers: self, count: taken.map_or(0, |_| count) }
    }
}

/// Threads in use, returned on drop.
struct BorrowedThreads<'h> {
    helpers: &'h Helpers,
    count: usize,
}

impl Drop for BorrowedThreads<'_> {
    fn drop(&mut self) {
        self.helpers.free.fetch_add(self.count, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use model::Code;

    use super::*;

    #[test]
    fn answers_come_in_the_order_of_the_items() {
        for count in [0, 1, 3] {
            let helpers = Helpers::new(count);
            let items: Vec<usize> = (0..100).collect();
            let doubled = helpers.run(&items, |item| Ok(item * 2)).unwrap();
            assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
            assert_eq!(helpers.free.load(Ordering::Relaxed), count);
            assert!(helpers.run(&[] as &[usize], |item| Ok(*item)).unwrap().is_empty());
        }
    }

    #[test]
    fn work_is_done_side_by_side() {
        let helpers = Helpers::new(1);
        let both = Barrier::new(2);
        // Neither gets past it alone.
        let meet = |_: &()| {
            both.wait();
            Ok(())
        };
        assert_eq!(helpers.run(&[(), ()], meet).unwrap().len(), 2);
    }

    #[test]
    fn the_first_failure_by_place_is_told() {
        let helpers = Helpers::new(3);
        let items: Vec<usize> = (0..50).collect();
        let fail = |item: &usize| match item % 10 {
            7 => Err(ServiceError::new(Code::BadRequest, item.to_string())),
            _ => Ok(()),
        };
        assert_eq!(helpers.run(&items, fail).unwrap_err().message, "7");
    }

    #[test]
    fn a_panic_reaches_the_caller_and_gives_the_threads_back() {
        let helpers = Helpers::new(2);
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            helpers.run(&[1, 2, 3], |item| match item {
                2 => panic!("on purpose"),
                _ => Ok(()),
            })
        }));
        assert!(result.is_err());
        assert_eq!(helpers.free.load(Ordering::Relaxed), 2);
    }
}
