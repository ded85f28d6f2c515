use async_compression::tokio::bufread as encoders;
use axum::http::HeaderValue;

use super::*;
use crate::bounds::Bounds;

fn coded(coding: &'static str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
    headers
}

async fn read(
    headers: &HeaderMap,
    body: impl Into<Body>,
    limit: u64,
) -> Result<Vec<u8>, ReadError> {
    let limits = limits(Bounds { payload_size: limit, ..Bounds::default() });
    read_whole(headers, body.into(), limits.writing()).await.map(|(bytes, _)| bytes)
}

fn limits(bounds: Bounds) -> Limits {
    Limits::new(bounds)
}

async fn pack(coding: &str, plain: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    match coding {
        "gzip" => encoders::GzipEncoder::new(plain).read_to_end(&mut packed).await,
        "deflate" => encoders::ZlibEncoder::new(plain).read_to_end(&mut packed).await,
        "br" => encoders::BrotliEncoder::new(plain).read_to_end(&mut packed).await,
        _ => encoders::ZstdEncoder::new(plain).read_to_end(&mut packed).await,
    }
    .unwrap();
    packed
}

#[tokio::test]
async fn every_coding_is_decoded() {
    let plain = b"[{\"id\":1}]".repeat(500);
    for coding in ["gzip", "deflate", "br", "zstd", "GZIP", "Br"] {
        let packed = pack(&coding.to_ascii_lowercase(), &plain).await;
        assert_eq!(read(&coded(coding), packed, 10_000).await, Ok(plain.clone()), "{coding}");
    }
}

#[tokio::test]
async fn the_limit_counts_decoded_bytes() {
    let plain = vec![b' '; 1_000_000];
    for coding in ["gzip", "deflate", "br", "zstd"] {
        let packed = pack(coding, &plain).await;
        assert!(packed.len() < 10_000);
        let refused = read(&coded(coding), packed.clone(), 999_999).await;
        assert_eq!(refused, Err(ReadError::TooLarge { limit: 999_999 }), "{coding}");
        assert!(read(&coded(coding), packed, 1_000_000).await.is_ok(), "{coding}");
    }
    let none = HeaderMap::new();
    assert!(read(&none, vec![0; 10], 10).await.is_ok());
    assert_eq!(read(&none, vec![0; 11], 10).await, Err(ReadError::TooLarge { limit: 10 }));
}

#[tokio::test]
async fn a_cut_body_is_broken() {
    for coding in ["gzip", "deflate", "br", "zstd"] {
        let mut packed = pack(coding, &b"tea, salt, rope. ".repeat(50)).await;
        packed.truncate(packed.len() - 4);
        let result = read(&coded(coding), packed, 10_000).await;
        assert!(matches!(result, Err(ReadError::Broken(_))), "{coding}: {result:?}");
    }
    let text = "{\"q\":\"ash\",\"limit\":0}";
    for coding in ["gzip", "deflate", "br"] {
        let result = read(&coded(coding), text, 10_000).await;
        assert!(matches!(result, Err(ReadError::Broken(_))), "{coding}: {result:?}");
    }
}

#[tokio::test]
async fn names_we_do_not_know_mean_the_body_as_it_is() {
    for coding in ["", "identity", "banana", "gzip, br", "zstd"] {
        assert_eq!(read(&coded(coding), "[1]", 10).await, Ok(b"[1]".to_vec()), "{coding}");
    }
}

#[tokio::test]
async fn an_empty_body_is_empty_in_every_coding() {
    for coding in ["gzip", "deflate", "br", "zstd", "identity"] {
        assert_eq!(read(&coded(coding), "", 10).await, Ok(Vec::new()), "{coding}");
    }
}

#[tokio::test]
async fn several_gzip_members_follow_each_other() {
    let mut packed = pack("gzip", b"[1,").await;
    packed.extend(pack("gzip", b"2]").await);
    assert_eq!(read(&coded("gzip"), packed, 100).await, Ok(b"[1,2]".to_vec()));
}

#[tokio::test]
async fn a_body_can_be_taken_in_pieces() {
    let limits = limits(Bounds::default());
    let opened = BodyReader::open(&HeaderMap::new(), "abcdefgh".into(), 100, &limits).await;
    let mut reader = opened.unwrap();
    let mut buffer = Vec::new();
    assert_eq!(reader.fill(&mut buffer, 3).await, Ok(true));
    assert!(buffer.len() >= 3);
    assert_eq!(reader.fill(&mut buffer, 100).await, Ok(false));
    assert_eq!(buffer, b"abcdefgh");
}

#[tokio::test]
async fn a_client_that_falls_silent_is_not_waited_for() {
    let silence = Duration::from_millis(20);
    let bounds = Bounds { silence, ..Bounds::default() };
    let silent = Body::from_stream(futures_util::stream::pending::<Result<Bytes, io::Error>>());
    let limits = limits(bounds);
    let opened = BodyReader::open(&HeaderMap::new(), silent, 100, &limits).await;
    assert_eq!(opened.err(), Some(ReadError::Stalled(StallError::Silent { after: silence })));

    let begun = futures_util::stream::iter([Ok::<_, io::Error>(Bytes::from_static(b"[{\"id"))]);
    let then_silent = futures_util::StreamExt::chain(begun, futures_util::stream::pending());
    let body = Body::from_stream(then_silent);
    let read = read_whole(&HeaderMap::new(), body, limits.writing()).await;
    assert_eq!(read.err(), Some(ReadError::Stalled(StallError::Silent { after: silence })));
}

#[tokio::test]
async fn slow_bodies_time_out_behind_a_decoder_too() {
    let slow_start = Duration::from_millis(20);
    let limits = limits(Bounds { slow_start, ..Bounds::default() });
    let start = pack("gzip", b"[1]").await[..12].to_vec();
    let begun = futures_util::stream::iter([Ok::<_, io::Error>(Bytes::from(start))]);
    let body =
        Body::from_stream(futures_util::StreamExt::chain(begun, futures_util::stream::pending()));
    let read = read_whole(&coded("gzip"), body, limits.writing()).await;
    assert_eq!(read.err(), Some(ReadError::Stalled(StallError::TooSlow { least_rate: 1024 })));
}

/// A frame without content whose header asks for a window of 2^`log` bytes.
fn zstd_frame(log: u8) -> Vec<u8> {
    let descriptor = 0;
    let last_raw_block_of_nothing = [1, 0, 0];
    [&ZSTD_MAGIC[..], &[descriptor, (log - 10) << 3], &last_raw_block_of_nothing].concat()
}

#[tokio::test]
async fn zstd_frames_with_a_window_that_http_does_not_allow_are_refused() {
    assert_eq!(read(&coded("zstd"), zstd_frame(23), 100).await, Ok(Vec::new()));
    for log in [24, 27, 31] {
        let refused = read(&coded("zstd"), zstd_frame(log), 100).await;
        assert_eq!(refused.err(), Some(ReadError::WindowTooLarge), "{log}");
    }
}

#[tokio::test]
async fn the_windows_of_decoders_share_their_memory() {
    let limits = limits(Bounds { upload_memory: 3 << 23, ..Bounds::default() });
    let packed = pack("zstd", b"[1]").await;
    let open = async || {
        let body = Body::from(packed.clone());
        BodyReader::open(&coded("zstd"), body, 100, &limits).await
    };
    let mut held = Vec::new();
    while let Ok(reader) = open().await {
        held.push(reader);
    }
    assert_eq!(held.len(), 3);
    let expected = ReadError::OverBudget { option: "--http-upload-memory" };
    assert_eq!(open().await.err(), Some(expected));
    let (headers, body) = (coded("gzip"), pack("gzip", b"[1]").await);
    assert!(BodyReader::open(&headers, body.into(), 100, &limits).await.is_ok());
    held.pop();
    assert!(open().await.is_ok());
}

#[tokio::test]
async fn unread_bodies_are_drained_for_a_bounded_time() {
    let short = SharedBody::new(Body::from("left over"));
    short.clone().drain().await;
    assert!(short.is_finished());

    let endless = futures_util::stream::pending::<Result<Bytes, io::Error>>();
    let endless = SharedBody::new(Body::from_stream(endless));
    endless.clone().drain_within(Duration::from_millis(20)).await;
    assert!(!endless.is_finished());
}

#[tokio::test]
async fn large_bodies_share_a_budget_and_small_ones_are_free() {
    let limit = 3 * STEP as u64;
    let limits = limits(Bounds { payload_size: limit, ..Bounds::default() });
    let read = async |size: usize| {
        read_whole(&HeaderMap::new(), Body::from(vec![b' '; size]), limits.writing()).await
    };
    let mut held = Vec::new();
    while let Ok(read) = read(3 * STEP).await {
        held.push(read);
    }
    assert_eq!(held.len(), 4);
    let expected = ReadError::OverBudget { option: "--http-payload-size-limit" };
    assert_eq!(read(3 * STEP).await.err(), Some(expected));
    assert!(read(STEP - 1).await.is_ok());
    held.pop();
    assert!(read(3 * STEP).await.is_ok());
}
