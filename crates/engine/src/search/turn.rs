//! Waits in the search queue without holding a thread.

use std::time::Duration;

use model::{Code, ServiceError};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::queue::{SearchQueue, Turn};

/// Longest run of a search. `searchCutoffMs` bounds the ranking; this bounds everything, filters
/// and facets too, so that no request keeps a thread forever.
const LONGEST_RUN: Duration = Duration::from_secs(60);

impl SearchQueue {
    /// Runs `work` on a thread of the queue. Dropping the future gives up the place in the queue.
    pub async fn in_turn<T, F>(&self, work: F) -> Result<T, ServiceError>
    where
        F: FnOnce(Turn<'_>) -> Result<T, ServiceError> + Send + 'static,
        T: Send + 'static,
    {
        let asked_by = tracing::Span::current();
        let work = move |turn: Turn<'_>| {
            let waited_ms = turn.waited.as_millis() as u64;
            let span =
                tracing::trace_span!(target: "sonde::span", parent: &asked_by, "search", waited_ms);
            span.in_scope(|| work(turn))
        };
        run_within(self, work, LONGEST_RUN).await
    }
}

async fn run_within<T: Send + 'static>(
    queue: &SearchQueue,
    work: impl FnOnce(Turn<'_>) -> Result<T, ServiceError> + Send + 'static,
    longest: Duration,
) -> Result<T, ServiceError> {
    let (sender, receiver) = oneshot::channel();
    let (begin, begun) = oneshot::channel();
    let work = move |turn: Turn<'_>| {
        // The receiver may be gone, here as below.
        let _ = begin.send(());
        work(turn)
    };
    let ticket = queue.submit(work, move |result| drop(sender.send(result)));
    if timeout(queue.options().max_wait, begun).await.is_err() {
        // Refuses the search if it still waits.
        ticket.give_up_waiting();
    }
    // The search runs or was refused. Dropping the ticket cancels it.
    let received = timeout(longest, receiver).await.map_err(|_| ran_too_long())?;
    received.unwrap_or_else(|_| Err(ServiceError::internal("the search queue lost a search")))
}

fn ran_too_long() -> ServiceError {
    ServiceError::new(
        Code::TooManySearchRequests,
        "The search took too long and was stopped. Ask for less, or retry after 10s.",
    )
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::super::queue::QueueOptions;
    use super::*;

    #[tokio::test]
    async fn what_runs_too_long_is_stopped_and_its_thread_is_free_again() {
        let short = Duration::from_millis(20);
        // Long enough for whatever is asked to come to run, on a slow machine too.
        let max_wait = Duration::from_secs(600);
        let options = QueueOptions { threads: 1, capacity: 10, max_wait };
        let queue = SearchQueue::start(options).unwrap();
        let begun = Instant::now();
        let endless = |turn: Turn<'_>| {
            while !turn.cancel.is_cancelled() {
                std::thread::yield_now();
            }
            Ok(())
        };
        let stopped = run_within(&queue, endless, short).await;
        assert_eq!(stopped.unwrap_err().code, Code::TooManySearchRequests);
        // It is stopped by how long it runs, not by how long it could have waited.
        assert!(begun.elapsed() >= short);
        // The thread notices a moment later.
        while queue.load().running > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(run_within(&queue, |_| Ok(7), short).await.unwrap(), 7);
        queue.stop();
    }
}
