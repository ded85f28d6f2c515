//! Streamed answers, such as those of a provider that generates text.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::Response;

use crate::call::Call;
use crate::client::{Client, network};
use crate::download::in_time;
use crate::error::OutboundError;

/// An answer whose body comes in pieces. Dropping it ends the call.
pub struct AnswerStream {
    response: Response,
    /// Timeout of each piece.
    piece_timeout: Duration,
    limit: usize,
    left: usize,
}

impl Client {
    /// Makes the call on the caller's runtime and returns its answer before the body. The timeout
    /// is for the head, and then for each piece; the size is bounded as a whole.
    pub async fn stream(&self, call: &Call) -> Result<AnswerStream, OutboundError> {
        let response = in_time(call.timeout, self.open(call)).await?;
        let limit = call.max_answer_bytes;
        Ok(AnswerStream { response, piece_timeout: call.timeout, limit, left: limit })
    }
}

impl AnswerStream {
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// Returns the next piece; none at the end.
    pub async fn next(&mut self) -> Result<Option<Bytes>, OutboundError> {
        let piece = async { self.response.chunk().await.map_err(network) };
        let Some(piece) = in_time(self.piece_timeout, piece).await? else { return Ok(None) };
        match self.left.checked_sub(piece.len()) {
            Some(left) => self.left = left,
            None => return Err(OutboundError::TooLarge { limit: self.limit }),
        }
        Ok(Some(piece))
    }

    /// Reads up to about `bytes` of the rest, enough to recognise an answer.
    pub async fn beginning(mut self, bytes: usize) -> Result<Bytes, OutboundError> {
        let mut body = BytesMut::new();
        while body.len() < bytes {
            let Some(piece) = self.next().await? else { break };
            body.extend_from_slice(&piece);
        }
        body.truncate(bytes);
        Ok(body.freeze())
    }
}

/// Hides headers and the address, which may hold cookies and keys.
impl std::fmt::Debug for AnswerStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AnswerStream").field("status", &self.status()).finish_non_exhaustive()
    }
}
