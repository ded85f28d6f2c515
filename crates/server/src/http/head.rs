//! Checks of the request head as a whole: its size, and the host it names.

use axum::http::{HeaderMap, Request, Uri, Version, header};

/// Largest request line and headers. The reader of the connection has the same limit, but checks it
/// only between two reads.
pub const MAX_HEAD_BYTES: usize = 128 * 1024;

/// Bytes between the name and the value of a header, and at the end of its line.
const HEADER_EXTRA: usize = 4;

pub fn is_too_large<B>(request: &Request<B>) -> bool {
    let uri = request.uri();
    let target = uri.path().len() + uri.query().map_or(0, str::len);
    let headers = request.headers().iter();
    let size = |(name, value): (&header::HeaderName, &header::HeaderValue)| {
        name.as_str().len() + value.len() + HEADER_EXTRA
    };
    target + headers.map(size).sum::<usize>() > MAX_HEAD_BYTES
}

/// True if the request names its host as HTTP requires: HTTP/1.1 in one header, HTTP/1.0 in at most
/// one (RFC 9112). HTTP/2 names it in the request target.
pub fn names_host<B>(request: &Request<B>) -> bool {
    let hosts = request.headers().get_all(header::HOST).iter().count();
    match request.version() {
        Version::HTTP_11 => hosts == 1,
        _ => hosts <= 1,
    }
}

/// Returns the host that a request was sent to.
pub fn host<'r>(headers: &'r HeaderMap, uri: &'r Uri) -> Option<&'r str> {
    match headers.get(header::HOST) {
        Some(host) => host.to_str().ok(),
        // HTTP/2 names it in the request target.
        None => uri.authority().map(axum::http::uri::Authority::as_str),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_names_one_host() {
        for (version, hosts, is_good) in [
            (Version::HTTP_11, 0, false),
            (Version::HTTP_11, 1, true),
            (Version::HTTP_11, 2, false),
            (Version::HTTP_10, 0, true),
            (Version::HTTP_10, 2, false),
            (Version::HTTP_2, 0, true),
        ] {
            let mut request = Request::builder().version(version).uri("/health");
            for _ in 0..hosts {
                request = request.header(header::HOST, "localhost");
            }
            assert_eq!(names_host(&request.body(()).unwrap()), is_good, "{version:?} {hosts}");
        }
    }

    #[test]
    fn the_whole_head_counts() {
        let request = |name: &str, value: usize, query: usize| {
            let uri = format!("/health?{}", "q".repeat(query));
            Request::builder().uri(uri).header(name, "x".repeat(value)).body(()).unwrap()
        };
        let rest = "/health".len() + "x-long".len() + HEADER_EXTRA;
        assert!(!is_too_large(&request("x-long", MAX_HEAD_BYTES - rest, 0)));
        assert!(is_too_large(&request("x-long", MAX_HEAD_BYTES - rest + 1, 0)));
        assert!(is_too_large(&request("x-long", MAX_HEAD_BYTES - rest - 10_000, 10_001)));
    }
}
