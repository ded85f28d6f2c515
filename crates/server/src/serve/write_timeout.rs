//! A stream whose writes time out. Without it, a client that does not read could keep answers in
//! memory for as long as it likes.

use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

#[derive(Debug)]
pub struct WriteTimeout<S> {
    stream: S,
    timeout: Duration,
    /// Runs while a write waits.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteTimeout<S> {
    pub fn new(stream: S, timeout: Duration) -> Self {
        Self { stream, timeout, waiting: None }
    }

    /// Passes on a finished write; starts the timer of a pending one, and fails it when time is up.
    fn with_timeout<T>(
        &mut self,
        context: &mut Context<'_>,
        step: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if step.is_ready() {
            self.waiting = None;
            return step;
        }
        let timeout = self.timeout;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(timeout)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(ErrorKind::TimedOut, "the client does not read")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let step = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.with_timeout(context, step)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let step = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.with_timeout(context, step)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let step = Pin::new(&mut self.stream).poll_flush(context);
        self.with_timeout(context, step)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let step = Pin::new(&mut self.stream).poll_shutdown(context);
        self.with_timeout(context, step)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    /// Long compared with the pauses of a busy machine.
    const TIMEOUT: Duration = Duration::from_secs(3);

    #[tokio::test]
    async fn slow_readers_are_served_and_stalled_ones_are_dropped() {
        let (ours, mut theirs) = duplex(4);
        let mut stream = WriteTimeout::new(ours, TIMEOUT);
        let slowly = tokio::spawn(async move {
            let mut piece = [0; 4];
            // More than the timeout in all.
            for _ in 0..12 {
                sleep(TIMEOUT / 10).await;
                theirs.read_exact(&mut piece).await.unwrap();
            }
            theirs
        });
        stream.write_all(&[1; 48]).await.unwrap();
        let theirs = slowly.await.unwrap();
        let failure = stream.write_all(&[1; 40]).await.unwrap_err();
        assert_eq!(failure.kind(), ErrorKind::TimedOut);
        drop(theirs);
    }

    #[tokio::test]
    async fn a_pause_between_two_writes_does_not_time_out() {
        let (ours, mut theirs) = duplex(4);
        let mut stream = WriteTimeout::new(ours, TIMEOUT);
        stream.write_all(&[1; 4]).await.unwrap();
        theirs.read_exact(&mut [0; 4]).await.unwrap();
        sleep(TIMEOUT + TIMEOUT / 4).await;
        stream.write_all(&[1; 4]).await.unwrap();
    }
}
