//! A stream that gives up on a reader who does not read. Without it a client could have answers
//! kept in memory for as long as it likes.

use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

#[derive(Debug)]
pub struct Patient<S> {
    stream: S,
    patience: Duration,
    /// Runs while a write waits.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    pub fn new(stream: S, patience: Duration) -> Self {
        Self { stream, patience, waiting: None }
    }

    /// What a step of writing comes to, given how it went.
    fn judge<T>(
        &mut self,
        context: &mut Context<'_>,
        step: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if step.is_ready() {
            self.waiting = None;
            return step;
        }
        let patience = self.patience;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(ErrorKind::TimedOut, "the client does not read")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let step = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(context, step)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let step = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.judge(context, step)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let step = Pin::new(&mut self.stream).poll_flush(context);
        self.judge(context, step)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let step = Pin::new(&mut self.stream).poll_shutdown(context);
        self.judge(context, step)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    /// Long against the pauses that a busy machine takes of its own accord.
    const PATIENCE: Duration = Duration::from_secs(3);

    #[tokio::test]
    async fn who_reads_slowly_is_served_and_who_stops_is_not() {
        let (ours, mut theirs) = duplex(4);
        let mut stream = Patient::new(ours, PATIENCE);
        let slowly = tokio::spawn(async move {
            let mut piece = [0; 4];
            // More than its patience in all.
            for _ in 0..12 {
                sleep(PATIENCE / 10).await;
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
    async fn a_pause_between_two_writes_is_nobodys_fault() {
        let (ours, mut theirs) = duplex(4);
        let mut stream = Patient::new(ours, PATIENCE);
        stream.write_all(&[1; 4]).await.unwrap();
        theirs.read_exact(&mut [0; 4]).await.unwrap();
        sleep(PATIENCE + PATIENCE / 4).await;
        stream.write_all(&[1; 4]).await.unwrap();
    }
}
