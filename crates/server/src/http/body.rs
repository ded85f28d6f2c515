//! Request bodies: decoded on the fly and bounded in size after decoding. Nothing here keeps a body
//! in memory unless the caller does.

use std::io::{self, Cursor};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder};
use async_compression::zstd::DParameter;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, header};
use futures_util::TryStreamExt;
use hyper::body::{Frame, SizeHint};
use model::{Code, ServiceError, size};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt};
use tokio::task::yield_now;
use tokio::time::timeout;
use tokio_util::io::StreamReader;

use super::body_memory::{BodyMemory, BodyMemoryBudget, FREE};
use super::limits::{BodyLimits, Limits};
use super::pace::{PacedBody, StallError};

/// How long, and how much of, an unread body is drained, so that a client busy sending receives the
/// answer instead of a broken connection.
const LINGER: Duration = Duration::from_secs(5);
const LINGER_BYTES: usize = 1 << 30;

/// Step in which a body that is read into memory reserves more of the budget.
const STEP: usize = FREE as usize;

/// Bytes after which decoding yields to other connections. A compressed body that has arrived would
/// otherwise be decoded to its end, megabytes, without a break.
const TURN: u64 = 128 * 1024;

/// Initial buffer size, enough to hold most bodies whole.
pub const FIRST_READ: usize = 8 * 1024;

#[derive(Debug, PartialEq, Eq)]
pub enum ReadError {
    TooLarge {
        limit: u64,
    },
    /// The body ended early, or is not what its encoding says.
    Broken(String),
    /// The client stopped sending, or sends too slowly.
    Stalled(StallError),
    /// The body is compressed with a window that is larger than HTTP allows.
    WindowTooLarge,
    /// Other large bodies have used up the memory budget that `option` sets.
    OverBudget {
        option: &'static str,
    },
}

impl ReadError {
    /// Converts to the error, as JSON routes word it.
    pub fn in_json(self) -> ServiceError {
        match self {
            ReadError::TooLarge { limit } => too_large(limit),
            ReadError::Broken(what) => ServiceError::new(
                Code::BadRequest,
                format!("Error that occur during reading payload: {what}"),
            ),
            ReadError::Stalled(stall) => stalled(stall),
            ReadError::WindowTooLarge => window_too_large(),
            ReadError::OverBudget { option } => over_budget_error(option),
        }
    }

    /// Converts to the error, as document uploads word it.
    pub fn in_upload(self) -> ServiceError {
        match self {
            ReadError::TooLarge { limit } => too_large(limit),
            ReadError::Broken(_) => ServiceError::new(
                Code::BadRequest,
                "The provided payload is incomplete and cannot be parsed",
            ),
            ReadError::Stalled(stall) => stalled(stall),
            ReadError::WindowTooLarge => window_too_large(),
            ReadError::OverBudget { option } => over_budget_error(option),
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

fn stalled(stall: StallError) -> ServiceError {
    ServiceError::new(Code::BadRequest, format!("The payload was not received: {stall}."))
}

fn window_too_large() -> ServiceError {
    ServiceError::new(
        Code::BadRequest,
        "The payload is compressed with a zstd window of more than 8 MiB, which HTTP does not allow \
         (RFC 9659). Compress it with a smaller window.",
    )
}

fn over_budget_error(option: &str) -> ServiceError {
    ServiceError::new(
        Code::TooManySearchRequests,
        format!(
            "Too many large requests are being read at the same time (`{option}`). Retry after 10s."
        ),
    )
}

/// Reads a request body: paced, decoded and bounded.
pub struct BodyReader {
    source: Pin<Box<dyn AsyncRead + Send>>,
    read: u64,
    limit: u64,
    /// Memory for the window of the decoder.
    _decoder: BodyMemory,
}

impl BodyReader {
    /// Opens a body for reading. Fails at once if its `Content-Length` is over the limit.
    pub async fn open(
        headers: &HeaderMap,
        body: Body,
        limit: u64,
        limits: &Limits,
    ) -> Result<Self, ReadError> {
        let coding = Coding::of(headers);
        if coding.is_none() && body.size_hint().lower() > limit {
            return Err(ReadError::TooLarge { limit });
        }
        let chunks = TryStreamExt::map_err(body.into_data_stream(), io::Error::other);
        let mut raw = StreamReader::new(PacedBody::new(chunks, &limits.bounds));
        let start = first_bytes(&mut raw).await.map_err(broken)?;
        // No bytes at all are an empty body in every coding.
        let coding = coding.filter(|coding| !start.is_empty() && coding.may_begin_with(&start));
        let raw = Cursor::new(start).chain(raw);
        let Some(coding) = coding else {
            let _decoder = BodyMemory::default();
            return Ok(Self { source: Box::pin(raw), read: 0, limit, _decoder });
        };
        let decoder =
            limits.uploads.take(coding.memory()).ok_or_else(|| over_budget(&limits.uploads))?;
        Ok(Self { source: coding.decoder(raw), read: 0, limit, _decoder: decoder })
    }

    /// Appends decoded bytes to `buffer` until it holds `size` of them; false at the end.
    pub async fn fill(&mut self, buffer: &mut Vec<u8>, size: usize) -> Result<bool, ReadError> {
        while buffer.len() < size {
            let count = self.source.read_buf(buffer).await.map_err(broken)?;
            if count == 0 {
                return Ok(false);
            }
            let turn = self.read / TURN;
            self.read += count as u64;
            if self.read > self.limit {
                return Err(ReadError::TooLarge { limit: self.limit });
            }
            if self.read / TURN != turn {
                yield_now().await;
            }
        }
        Ok(true)
    }
}

/// Reads a whole body, with the memory reserved for it. Fails if it is too large, or if other
/// bodies have used up the budget.
pub async fn read_whole(
    headers: &HeaderMap,
    body: Body,
    allowed: BodyLimits<'_>,
) -> Result<(Vec<u8>, BodyMemory), ReadError> {
    let mut reader = BodyReader::open(headers, body, allowed.size, allowed.limits).await?;
    let mut whole = Vec::with_capacity(FIRST_READ);
    let mut memory = BodyMemory::default();
    let mut size = STEP;
    while reader.fill(&mut whole, size).await? {
        size += STEP;
        if !allowed.budget.cover(&mut memory, size as u64) {
            return Err(over_budget(allowed.budget));
        }
    }
    Ok((whole, memory))
}

pub fn over_budget(budget: &BodyMemoryBudget) -> ReadError {
    ReadError::OverBudget { option: budget.option }
}

fn broken(error: io::Error) -> ReadError {
    if let Some(stall) = StallError::behind(&error) {
        return ReadError::Stalled(stall);
    }
    match error.to_string() {
        // The decoder reports this by message only.
        text if text.contains("requires too much memory") => ReadError::WindowTooLarge,
        text => ReadError::Broken(text),
    }
}

/// Reads enough of the body to recognise its coding; empty if there is no body.
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

/// RFC 9659: the largest window of a zstd frame in HTTP is 8 MiB.
const ZSTD_WINDOW_LOG: u32 = 23;

/// RFC 7932: the largest window of the format.
const BROTLI_WINDOW_LOG: u32 = 24;

#[derive(Debug, Clone, Copy)]
enum Coding {
    Brotli,
    Gzip,
    Deflate,
    Zstd,
}

impl Coding {
    /// Reads `Content-Encoding`. Unknown names, and lists of names, mean an uncoded body.
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

    /// True if the body can be in this coding. Meilisearch clients send plain bodies labelled zstd;
    /// no JSON or CSV begins like a zstd frame, so both can be served.
    fn may_begin_with(self, start: &[u8]) -> bool {
        !matches!(self, Coding::Zstd) || start.starts_with(&ZSTD_MAGIC)
    }

    /// Memory that the decoder may use, beyond a few kilobytes.
    fn memory(self) -> u64 {
        match self {
            Coding::Brotli => 1 << BROTLI_WINDOW_LOG,
            Coding::Zstd => 1 << ZSTD_WINDOW_LOG,
            Coding::Gzip | Coding::Deflate => 0,
        }
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
                let window = DParameter::window_log_max(ZSTD_WINDOW_LOG);
                let mut decoder = ZstdDecoder::with_params(raw, &[window]);
                decoder.multiple_members(true);
                Box::pin(decoder)
            }
        }
    }
}

/// A request body shared between the handler that may read it and the connection, which can be
/// reused only once the body is at its end.
#[derive(Clone)]
pub struct SharedBody(Arc<Mutex<Body>>);

impl SharedBody {
    pub fn new(body: Body) -> Self {
        Self(Arc::new(Mutex::new(body)))
    }

    pub fn is_finished(&self) -> bool {
        self.lock().is_end_stream()
    }

    /// Reads and discards what the handler left, within bounds.
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
        // The answer is sent now, whether the body ended or not.
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
