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

use super::limits::{BodyLimits, Limits};
use super::pace::{Paced, Stall};
use super::room::{FREE, Room, Taken};

/// How long, and how much, of a body that nobody wants is still read, so that a client busy
/// sending hears the answer instead of a broken connection.
const LINGER: Duration = Duration::from_secs(5);
const LINGER_BYTES: usize = 1 << 30;

/// Steps in which a body that is kept in memory asks for more room.
const STEP: usize = FREE as usize;

/// Bytes after which a body lets other connections go on. A compressed body that has arrived
/// would otherwise be decoded to its end, megabytes, before the thread turns to anything else.
const TURN: u64 = 128 * 1024;

/// Room for the first bytes of a body, which is all of most.
pub const FIRST_READ: usize = 8 * 1024;

#[derive(Debug, PartialEq, Eq)]
pub enum ReadError {
    TooLarge {
        limit: u64,
    },
    /// The body ended early, or is not what its encoding says.
    Broken(String),
    /// The client stopped sending, or sends too slowly.
    Stalled(Stall),
    /// The body is compressed with a window that is larger than HTTP allows.
    WindowTooLarge,
    /// Other large bodies have taken all room; the option says how much there is.
    Crowded {
        option: &'static str,
    },
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
            ReadError::Stalled(stall) => stalled(stall),
            ReadError::WindowTooLarge => window_too_large(),
            ReadError::Crowded { option } => crowded(option),
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
            ReadError::Stalled(stall) => stalled(stall),
            ReadError::WindowTooLarge => window_too_large(),
            ReadError::Crowded { option } => crowded(option),
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

fn stalled(stall: Stall) -> ServiceError {
    ServiceError::new(Code::BadRequest, format!("The payload was not received: {stall}."))
}

fn window_too_large() -> ServiceError {
    ServiceError::new(
        Code::BadRequest,
        "The payload is compressed with a zstd window of more than 8 MiB, which HTTP does not allow \
         (RFC 9659). Compress it with a smaller window.",
    )
}

fn crowded(option: &str) -> ServiceError {
    ServiceError::new(
        Code::TooManySearchRequests,
        format!(
            "Too many large requests are being read at the same time (`{option}`). Retry after 10s."
        ),
    )
}

/// A body being read.
pub struct BodyReader {
    source: Pin<Box<dyn AsyncRead + Send>>,
    read: u64,
    limit: u64,
    /// Covers the window of the decoder.
    _decoder: Taken,
}

impl BodyReader {
    /// Fails at once when the announced length alone is too much.
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
        let mut raw = StreamReader::new(Paced::new(chunks, &limits.bounds));
        let start = first_bytes(&mut raw).await.map_err(broken)?;
        // Nothing at all is an empty body in every coding.
        let coding = coding.filter(|coding| !start.is_empty() && coding.may_begin_with(&start));
        let raw = Cursor::new(start).chain(raw);
        let Some(coding) = coding else {
            return Ok(Self { source: Box::pin(raw), read: 0, limit, _decoder: Taken::default() });
        };
        let decoder =
            limits.uploads.take(coding.memory()).ok_or_else(|| crowded_in(&limits.uploads))?;
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

/// A whole body, with the memory that it takes. Fails when it is too large, or when other bodies
/// have taken all the memory there is for them.
pub async fn read_whole(
    headers: &HeaderMap,
    body: Body,
    allowed: BodyLimits<'_>,
) -> Result<(Vec<u8>, Taken), ReadError> {
    let mut reader = BodyReader::open(headers, body, allowed.size, allowed.limits).await?;
    let mut whole = Vec::with_capacity(FIRST_READ);
    let mut taken = Taken::default();
    let mut size = STEP;
    while reader.fill(&mut whole, size).await? {
        size += STEP;
        if !allowed.room.cover(&mut taken, size as u64) {
            return Err(crowded_in(allowed.room));
        }
    }
    Ok((whole, taken))
}

pub fn crowded_in(room: &Room) -> ReadError {
    ReadError::Crowded { option: room.option }
}

fn broken(error: io::Error) -> ReadError {
    if let Some(stall) = Stall::behind(&error) {
        return ReadError::Stalled(stall);
    }
    match error.to_string() {
        // The decoder has no other way to say it.
        text if text.contains("requires too much memory") => ReadError::WindowTooLarge,
        text => ReadError::Broken(text),
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

/// RFC 9659: a frame that needs a larger window than 8 MiB is not for HTTP.
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

    /// Memory that the decoder may take, beyond some kilobytes.
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
