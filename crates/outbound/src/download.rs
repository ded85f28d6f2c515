//! Downloads of files too large for memory.

use std::io::Write;
use std::time::Duration;

use bytes::Bytes;
use model::Cancel;
use reqwest::Response;
use tokio::sync::mpsc;

use crate::call::Call;
use crate::client::{Client, STOP_CHECK, network};
use crate::error::OutboundError;

/// Pieces that may wait to be written.
const WAITING_PIECES: usize = 8;

enum Piece {
    Status(u16),
    Body(Bytes),
}

impl Client {
    /// Makes the call and writes the body of its answer piece by piece, from a thread that may
    /// block. The timeout is per piece. Returns the status; nothing is written unless it is a
    /// success.
    pub fn download_blocking(
        &self,
        call: Call,
        into: &mut dyn Write,
        cancel: &Cancel,
    ) -> Result<u16, OutboundError> {
        let Some(runtime) = self.runtime() else { return Err(OutboundError::Stopped) };
        let (sender, mut receiver) = mpsc::channel(WAITING_PIECES);
        let client = self.clone();
        let reading = runtime.spawn(async move {
            if let Err(error) = client.read_pieces(&call, &sender).await {
                // The caller is gone.
                let _ = sender.send(Err(error)).await;
            }
        });
        let mut status = None;
        loop {
            if cancel.is_cancelled() {
                reading.abort();
                return Err(OutboundError::Stopped);
            }
            // A silent server must not keep the caller from checking.
            let next = async { tokio::time::timeout(STOP_CHECK, receiver.recv()).await };
            let piece = match runtime.block_on(next) {
                Err(_) => continue,
                Ok(None) => break,
                Ok(Some(piece)) => piece,
            };
            match piece? {
                Piece::Status(found) => status = Some(found),
                Piece::Body(bytes) => into
                    .write_all(&bytes)
                    .map_err(|error| OutboundError::NotWritten(error.to_string()))?,
            }
        }
        status.ok_or(OutboundError::Stopped)
    }

    /// Reads until the end, or until the caller is gone.
    async fn read_pieces(
        &self,
        call: &Call,
        sender: &mpsc::Sender<Result<Piece, OutboundError>>,
    ) -> Result<(), OutboundError> {
        let mut response = in_time(call.timeout, self.open(call)).await?;
        let status = response.status();
        if sender.send(Ok(Piece::Status(status.as_u16()))).await.is_err() || !status.is_success() {
            return Ok(());
        }
        while let Some(bytes) = in_time(call.timeout, piece(&mut response)).await? {
            if sender.send(Ok(Piece::Body(bytes))).await.is_err() {
                break;
            }
        }
        Ok(())
    }
}

async fn piece(response: &mut Response) -> Result<Option<Bytes>, OutboundError> {
    response.chunk().await.map_err(network)
}

pub(crate) async fn in_time<T>(
    timeout: Duration,
    work: impl Future<Output = Result<T, OutboundError>>,
) -> Result<T, OutboundError> {
    tokio::time::timeout(timeout, work).await.unwrap_or(Err(OutboundError::Timeout(timeout)))
}
