//! Calls that are under way while their caller does something else.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::task::JoinHandle;

use crate::client::Client;

/// Work on the client's own runtime, which goes on by itself and can be awaited from any other.
/// Dropping it ends the work.
#[derive(Debug)]
pub struct BackgroundTask<T>(JoinHandle<T>);

impl Client {
    /// Starts `work`; none when the client is closing.
    pub fn start<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Option<BackgroundTask<T>> {
        Some(BackgroundTask(self.runtime()?.spawn(work)))
    }
}

impl<T> BackgroundTask<T> {
    pub fn is_finished(&self) -> bool {
        self.0.is_finished()
    }
}

/// Runs what takes a while within started work, without holding up the calls beside it.
pub fn block_in_place<T>(work: impl FnOnce() -> T) -> T {
    tokio::task::block_in_place(work)
}

/// None when the work could not be finished.
impl<T> Future for BackgroundTask<T> {
    type Output = Option<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        Pin::new(&mut self.0).poll(context).map(Result::ok)
    }
}

impl<T> Drop for BackgroundTask<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
