//! Request bodies: decoded on the fly, bounded in size after decoding, and never waited for
//! without end. Nothing here keeps a body in memory unless the caller does.

use std::io::{self, Cursor};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder};
use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, header};
use futures_util::TryStreamExt;
use hyper::body::{Frame, SizeHint};
use model::{Code, ServiceError, size};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt};
use tokio::time::timeout;
use tokio_util::io::StreamReader;

use super::room::{Room, STEP, Taken};

/// How long a client may be silent in the middle of a body.
const SILENCE: Duration = Duration::from_secs(60);

/// How long, and how much, of a body that nobody wants is still read, so that a client busy
/// sending hears the answer instead of a broken connection.
const LINGER: Duration = Duration::from_secs(5);
const LINGER_BYTES: usize = 1 << 30;

/// Room for the first bytes of a body, which is all of most.
pub const FIRST_READ: usize = 8 * 1024;

#[derive(Debug, PartialEq, Eq)]
pub enum ReadError {
    TooLarge {
        limit: u64,
    },
    /// The body ended early, or is not what its encoding says.
    Broken(String),
    /// The client stopped sending.
    Silent,
    /// Other large bodies have taken all room.
    Crowded,
}

impl ReadError {
    /// The error as JSON routes word it.
    pub fn in_json(self) -> ServiceError {
        match self {
            ReadError::TooLarge { limit } => too_large(limit),
            ReadError::Broken(what) => ServiceError::new(
                Code::BadRequest,
                format!("Error that occur during reading payload: {what}"),
            ),
            ReadError::Silent => silent(),
            ReadError::Crowded => crowded(),
        }
    }

    /// The error as document uploads word it.
    pub fn in_upload(self) -> ServiceError {
        match self {
            ReadError::TooLarge { limit } => too_large(limit),
            ReadError::Broken(_) => ServiceError::new(
                Code::BadRequest,
                "The provided payload is incomplete and cannot be parsed",
            ),
            ReadError::Silent => silent(),
            ReadError::Crowded => crowded(),
        }
    }
}

fn too_large(limit: u64) -> ServiceError {
    ServiceError::new(
        Code::PayloadTooLarge,
        format!(
            "The provided payload reached the size limit. The maximum accepted payload size is {}.",
            size::human_limit(limit)
        ),
    )
}

fn silent() -> ServiceError {
    ServiceError::new(
        Code::BadRequest,
        format!("The payload was not received: nothing came for {} seconds.", SILENCE.as_secs()),
    )
}

fn crowded() -> ServiceError {
    ServiceError::new(
        Code::TooManySearchRequests,
        "Too many large requests are being read at the same time. Retry after 10s.",
    )
}

/// A body being read.
pub struct BodyReader {
    source: Pin<Box<dyn AsyncRead + Send>>,
    read: u64,
    limit: u64,
    silence: Duration,
}

impl BodyReader {
    /// Fails at once when the announced length alone is too much.
    pub async fn open(headers: &HeaderMap, body: Body, limit: u64) -> Result<Self, ReadError> {
        Self::open_patiently(headers, body, limit, SILENCE).await
    }

    async fn open_patiently(
        headers: &HeaderMap,
        body: Body,
        limit: u64,
        silence: Duration,
    ) -> Result<Self, ReadError> {
        let coding = Coding::of(headers);
        if coding.is_none() && body.size_hint().lower() > limit {
            return Err(ReadError::TooLarge { limit });
        }
        let chunks = TryStreamExt::map_err(body.into_data_stream(), io::Error::other);
        let mut raw = StreamReader::new(chunks);
        let start = within(silence, first_bytes(&mut raw)).await?;
        // Nothing at all is an empty body in every coding.
        let coding = coding.filter(|coding| !start.is_empty() && coding.may_begin_with(&start));
        let raw = Cursor::new(start).chain(raw);
        let source: Pin<Box<dyn AsyncRead + Send>> = match coding {
            Some(coding) => coding.decoder(raw),
            None => Box::pin(raw),
        };
        Ok(Self { source, read: 0, limit, silence })
    }

    /// Appends decoded bytes to `buffer` until it holds `size` of them; false at the end.
    pub async fn fill(&mut self, buffer: &mut Vec<u8>, size: usize) -> Result<bool, ReadError> {
        while buffer.len() < size {
            let count = within(self.silence, self.source.read_buf(buffer)).await?;
            if count == 0 {
                return Ok(false);
            }
            self.read += count as u64;
            if self.read > self.limit {
                return Err(ReadError::TooLarge { limit: self.limit });
            }
        }
        Ok(true)
    }

    /// The whole body, with the room that it takes.
    pub async fn read_all(mut self, room: &Room) -> Result<(Vec<u8>, Taken), ReadError> {
        let mut whole = Vec::with_capacity(FIRST_READ);
        let mut taken = Taken::default();
        let mut allowed = STEP;
        while self.fill(&mut whole, allowed).await? {
            if !room.take_more(&mut taken) {
                return Err(ReadError::Crowded);
            }
            allowed += STEP;
        }
        Ok((whole, taken))
    }
}

async fn within<T>(
    silence: Duration,
    step: impl Future<Output = io::Result<T>>,
) -> Result<T, ReadError> {
    match timeout(silence, step).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(ReadError::Broken(error.to_string())),
        Err(_) => Err(ReadError::Silent),
    }
}

/// Enough of the body to recognise what it is; empty when there is none.
async fn first_bytes(raw: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    while start.len() < ZSTD_MAGIC.len() {
        let chunk = raw.fill_buf().await?;
        if chunk.is_empty() {
            break;
        }
        start.extend_from_slice(chunk);
        let used = chunk.len();
        raw.consume(used);
    }
    Ok(start)
}

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

#[derive(Debug, Clone, Copy)]
enum Coding {
    Brotli,
    Gzip,
    Deflate,
    Zstd,
}

impl Coding {
    /// Names we do not know, and lists of names, mean the body as it is.
    fn of(headers: &HeaderMap) -> Option<Self> {
        let name = headers.get(header::CONTENT_ENCODING)?.to_str().ok()?.trim();
        match name.to_ascii_lowercase().as_str() {
            "br" => Some(Coding::Brotli),
            "gzip" => Some(Coding::Gzip),
            "deflate" => Some(Coding::Deflate),
            "zstd" => Some(Coding::Zstd),
            _ => None,
        }
    }

    /// Clients of the reference send plain bodies under the name zstd and are understood; no JSON
    /// or CSV begins like a frame, so both can be served.
    fn may_begin_with(self, start: &[u8]) -> bool {
        !matches!(self, Coding::Zstd) || start.starts_with(&ZSTD_MAGIC)
    }

    fn decoder(self, raw: impl AsyncBufRead + Send + 'static) -> Pin<Box<dyn AsyncRead + Send>> {
        match self {
            Coding::Brotli => Box::pin(BrotliDecoder::new(raw)),
            Coding::Gzip => {
                let mut decoder = GzipDecoder::new(raw);
                decoder.multiple_members(true);
                Box::pin(decoder)
            }
            Coding::Deflate => Box::pin(ZlibDecoder::new(raw)),
            Coding::Zstd => {
                let mut decoder = ZstdDecoder::new(raw);
                decoder.multiple_members(true);
                Box::pin(decoder)
            }
        }
    }
}

/// The body of a request, shared between the handler that may read it and the connection, which
/// must see its end before it can be used again.
#[derive(Clone)]
pub struct SharedBody(Arc<Mutex<Body>>);

impl SharedBody {
    pub fn new(body: Body) -> Self {
        Self(Arc::new(Mutex::new(body)))
    }

    pub fn is_finished(&self) -> bool {
        self.lock().is_end_stream()
    }

    /// Reads what the handler left, within bounds.
    pub async fn drain(self) {
        self.drain_within(LINGER).await;
    }

    async fn drain_within(mut self, time: Duration) {
        let drained = timeout(time, async {
            let mut seen = 0;
            while let Some(Ok(frame)) = http_body_util::BodyExt::frame(&mut self).await {
                seen += frame.data_ref().map_or(0, Bytes::len);
                if seen > LINGER_BYTES {
                    break;
                }
            }
        });
        // Whether it ended or not, the answer is sent now.
        let _ = drained.await;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Body> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HttpBody for SharedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut *self.lock()).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.lock().is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.lock().size_hint()
    }
}

#[cfg(test)]
#[path = "body_tests.rs"]
mod tests;
