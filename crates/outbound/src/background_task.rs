//! Background calls, which continue while their caller does other work.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::task::JoinHandle;

use crate::client::Client;

/// Task on the client's runtime. It runs by itself and can be awaited from any other runtime;
/// dropping it ends it.
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

/// Runs blocking work inside a task without holding up other calls.
pub fn block_in_place<T>(work: impl FnOnce() -> T) -> T {
    tokio::task::block_in_place(work)
}

/// Resolves to none if the work did not finish.
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
