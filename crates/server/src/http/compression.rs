//! Compresses answers while they are sent, unless that gains nothing.

use std::io;

use async_compression::Level;
use async_compression::tokio::bufread::{BrotliEncoder, GzipEncoder, ZlibEncoder, ZstdEncoder};
use axum::body::{Body, HttpBody};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use futures_util::TryStreamExt;
use tokio::io::AsyncRead;
use tokio_util::io::{ReaderStream, StreamReader};

use super::negotiate::{Choice, Encoding};

/// Smallest answer to compress, in bytes; below, the headers would outweigh the gain.
const WORTH_IT: u64 = 1024;

/// Size of a chunk of compressed output.
const CHUNK: usize = 32 * 1024;

pub fn compress(choice: Choice, mut response: Response) -> Response {
    if choice.encoding == Encoding::Identity || !gains(choice, &response) {
        return response;
    }
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(choice.encoding.name()));
    headers.remove(header::CONTENT_LENGTH);
    response.map(|body| encoded(choice.encoding, body))
}

fn gains(choice: Choice, response: &Response) -> bool {
    let headers = response.headers();
    // Events must arrive one by one, not once a compressor has filled its window.
    let is_stream = headers.contains_key("x-accel-buffering")
        || headers
            .get(header::CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
    if is_stream || headers.contains_key(header::CONTENT_ENCODING) {
        return false;
    }
    match response.body().size_hint().exact() {
        Some(0) => false,
        Some(size) => size >= WORTH_IT || !choice.identity_is_fine,
        None => true,
    }
}

fn encoded(encoding: Encoding, body: Body) -> Body {
    let source = StreamReader::new(body.into_data_stream().map_err(io::Error::other));
    match encoding {
        Encoding::Brotli => stream(BrotliEncoder::with_quality(source, Level::Precise(4))),
        Encoding::Gzip => stream(GzipEncoder::with_quality(source, Level::Precise(5))),
        Encoding::Deflate => stream(ZlibEncoder::with_quality(source, Level::Precise(5))),
        Encoding::Zstd => stream(ZstdEncoder::with_quality(source, Level::Precise(3))),
        Encoding::Identity => stream(source),
    }
}

fn stream(reader: impl AsyncRead + Send + 'static) -> Body {
    Body::from_stream(ReaderStream::with_capacity(reader, CHUNK))
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;
    use tokio::io::AsyncReadExt;

    use super::super::answer;
    use super::*;

    fn asked(encoding: Encoding) -> Choice {
        Choice { encoding, identity_is_fine: true }
    }

    fn text(size: usize) -> Response {
        answer::with_type(StatusCode::OK, answer::JSON, "x".repeat(size))
    }

    #[test]
    fn small_answers_stay_as_they_are_unless_identity_is_refused() {
        let same = compress(asked(Encoding::Gzip), text(100));
        assert!(!same.headers().contains_key(header::CONTENT_ENCODING));
        let strict = Choice { encoding: Encoding::Gzip, identity_is_fine: false };
        let packed = compress(strict, text(100));
        assert_eq!(packed.headers()[header::CONTENT_ENCODING], "gzip");
    }

    #[test]
    fn event_streams_and_empty_answers_are_never_compressed() {
        let events = HeaderValue::from_static("text/event-stream");
        let events = answer::with_type(StatusCode::OK, events, "x".repeat(5000));
        let events = compress(asked(Encoding::Gzip), events);
        assert!(!events.headers().contains_key(header::CONTENT_ENCODING));
        let empty = compress(asked(Encoding::Gzip), answer::empty(StatusCode::NOT_FOUND));
        assert!(!empty.headers().contains_key(header::CONTENT_ENCODING));
    }

    #[tokio::test]
    async fn compressed_answers_can_be_decoded() {
        use async_compression::tokio::bufread as read;
        let plain = "tea and salt ".repeat(1000);
        for encoding in [Encoding::Brotli, Encoding::Gzip, Encoding::Deflate, Encoding::Zstd] {
            let response = answer::with_type(StatusCode::OK, answer::JSON, plain.clone());
            let response = compress(asked(encoding), response);
            assert_eq!(response.headers()[header::CONTENT_ENCODING], encoding.name());
            let packed = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
            assert!(packed.len() < plain.len() / 10);
            let source = &packed[..];
            let mut back = String::new();
            match encoding {
                Encoding::Brotli => {
                    read::BrotliDecoder::new(source).read_to_string(&mut back).await
                }
                Encoding::Gzip => read::GzipDecoder::new(source).read_to_string(&mut back).await,
                Encoding::Deflate => read::ZlibDecoder::new(source).read_to_string(&mut back).await,
                _ => read::ZstdDecoder::new(source).read_to_string(&mut back).await,
            }
            .unwrap();
            assert_eq!(back, plain);
        }
    }
}
