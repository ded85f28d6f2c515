//! Enforces the pace at which a body must arrive. A client may pause, and may have a slow line, but
//! a body that trickles in forever would hold its connection forever.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Bytes;
use futures_util::Stream;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::bounds::Bounds;

/// The error of a body that arrives too slowly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StallError {
    Silent { after: Duration },
    TooSlow { least_rate: u64 },
}

impl StallError {
    /// Finds the stall behind a failed read, also from below a decoder.
    pub fn behind(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref::<Self>().copied()
    }
}

impl fmt::Display for StallError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StallError::Silent { after } => {
                write!(out, "nothing came for {} seconds", after.as_secs())
            }
            StallError::TooSlow { least_rate } => write!(
                out,
                "it came at less than {least_rate} bytes a second (`--http-min-body-rate`)"
            ),
        }
    }
}

impl std::error::Error for StallError {}

/// A stream of the chunks of a body that fails when they come too slowly.
pub struct PacedBody<S> {
    chunks: S,
    received: u64,
    /// Time spent waiting for the client, without the time that the server takes to use a chunk.
    waited: Duration,
    wait: Option<Wait>,
    silence: Duration,
    slow_start: Duration,
    least_rate: u64,
}

struct Wait {
    since: Instant,
    end: Pin<Box<Sleep>>,
    stall: StallError,
}

impl<S> PacedBody<S> {
    pub fn new(chunks: S, bounds: &Bounds) -> Self {
        Self {
            chunks,
            received: 0,
            waited: Duration::ZERO,
            wait: None,
            silence: bounds.silence,
            slow_start: bounds.slow_start,
            least_rate: bounds.body_rate.max(1),
        }
    }

    fn begin_to_wait(&self) -> Wait {
        let earned = Duration::from_secs_f64(self.received as f64 / self.least_rate as f64);
        let left = (self.slow_start + earned).saturating_sub(self.waited);
        let (patience, stall) = match left < self.silence {
            true => (left, StallError::TooSlow { least_rate: self.least_rate }),
            false => (self.silence, StallError::Silent { after: self.silence }),
        };
        let since = Instant::now();
        Wait { since, end: Box::pin(sleep_until(since + patience)), stall }
    }
}

impl<S> Stream for PacedBody<S>
where
    S: Stream<Item = io::Result<Bytes>> + Unpin,
{
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if let Poll::Ready(next) = Pin::new(&mut this.chunks).poll_next(context) {
            if let Some(wait) = this.wait.take() {
                this.waited += wait.since.elapsed();
            }
            if let Some(Ok(chunk)) = &next {
                this.received += chunk.len() as u64;
            }
            return Poll::Ready(next);
        }
        if this.wait.is_none() {
            this.wait = Some(this.begin_to_wait());
        }
        if let Some(wait) = &mut this.wait
            && wait.end.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(Some(Err(io::Error::other(wait.stall))));
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{StreamExt, stream};

    use super::*;

    /// One chunk of `size` bytes every `pause`, for ever.
    fn trickle(size: usize, pause: Duration) -> impl Stream<Item = io::Result<Bytes>> + Unpin {
        Box::pin(stream::unfold((), move |()| async move {
            tokio::time::sleep(pause).await;
            Some((Ok(Bytes::from(vec![b' '; size])), ()))
        }))
    }

    async fn stall_of(
        chunks: impl Stream<Item = io::Result<Bytes>> + Unpin,
        bounds: &Bounds,
    ) -> StallError {
        let mut paced = PacedBody::new(chunks, bounds);
        loop {
            if let Some(Err(error)) = paced.next().await {
                return StallError::behind(&error).unwrap();
            }
        }
    }

    #[tokio::test]
    async fn a_body_that_trickles_ends_after_the_slow_start() {
        let bounds = Bounds { slow_start: Duration::from_millis(50), ..Bounds::default() };
        let begun = Instant::now();
        let stall = stall_of(trickle(1, Duration::from_millis(5)), &bounds).await;
        assert_eq!(stall, StallError::TooSlow { least_rate: 1024 });
        assert!(begun.elapsed() >= bounds.slow_start);
    }

    #[tokio::test]
    async fn a_client_that_falls_silent_after_much_is_silent_and_not_slow() {
        let bounds = Bounds { silence: Duration::from_millis(50), ..Bounds::default() };
        let much = stream::iter([Ok(Bytes::from(vec![b' '; 1 << 20]))]);
        let stall = stall_of(Box::pin(much.chain(stream::pending())), &bounds).await;
        assert_eq!(stall, StallError::Silent { after: bounds.silence });
    }

    #[tokio::test]
    async fn a_slow_line_is_no_stall_while_it_keeps_the_rate() {
        let bounds = Bounds { slow_start: Duration::from_millis(20), ..Bounds::default() };
        let chunks = trickle(1 << 20, Duration::from_millis(2)).take(50);
        let mut paced = PacedBody::new(Box::pin(chunks), &bounds);
        let mut count = 0;
        while let Some(chunk) = paced.next().await {
            chunk.unwrap();
            count += 1;
        }
        assert_eq!(count, 50);
    }
}
