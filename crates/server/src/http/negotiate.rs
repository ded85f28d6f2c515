//! Chooses the encoding of an answer from `Accept-Encoding`.

use axum::http::{HeaderMap, header};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Brotli,
    Gzip,
    Deflate,
    Zstd,
    Identity,
}

impl Encoding {
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Brotli => "br",
            Encoding::Gzip => "gzip",
            Encoding::Deflate => "deflate",
            Encoding::Zstd => "zstd",
            Encoding::Identity => "identity",
        }
    }
}

/// Encodings in order of preference: zstd costs the least time for its ratio.
const WRITTEN: [Encoding; 4] =
    [Encoding::Zstd, Encoding::Brotli, Encoding::Gzip, Encoding::Deflate];

/// Body of the answer to a client that accepts none of the encodings.
pub const OFFERED: &str = "br, gzip, deflate";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    pub encoding: Encoding,
    /// True if an answer too small to gain from compression may be sent plain.
    pub identity_is_fine: bool,
}

const AS_IT_IS: Choice = Choice { encoding: Encoding::Identity, identity_is_fine: true };

/// Chooses an encoding; `None` if the client accepts none.
pub fn negotiate(headers: &HeaderMap) -> Option<Choice> {
    let mut wishes = Vec::new();
    for value in headers.get_all(header::ACCEPT_ENCODING) {
        wishes.extend(value.to_str().unwrap_or_default().split(',').filter_map(wish));
    }
    if wishes.is_empty() {
        return Some(AS_IT_IS);
    }
    let quality_of = |name: &str| wishes.iter().find(|(n, _)| n == name).map(|(_, q)| *q);
    let any = quality_of("*");
    let identity = quality_of("identity").or(any);
    let identity_is_fine = identity != Some(0);

    // `*` alone does not ask for compression, it only permits it.
    let best = WRITTEN
        .iter()
        .filter_map(|&encoding| Some((encoding, quality_of(encoding.name())?)))
        .filter(|&(_, quality)| quality > 0)
        .reduce(|best, next| if next.1 > best.1 { next } else { best });
    match best {
        Some((_, quality)) if identity_is_fine && quality_of("identity") > Some(quality) => {
            Some(AS_IT_IS)
        }
        Some((encoding, _)) => Some(Choice { encoding, identity_is_fine }),
        None if identity_is_fine => Some(AS_IT_IS),
        None => None,
    }
}

/// Parses `gzip;q=0.5` into a lower-case name and a quality in thousandths.
fn wish(item: &str) -> Option<(String, u16)> {
    let mut parts = item.split(';');
    let name = parts.next()?.trim();
    if name.is_empty() {
        return None;
    }
    let quality = parts
        .filter_map(|part| part.trim().strip_prefix("q="))
        .find_map(|q| q.trim().parse::<f32>().ok())
        .unwrap_or(1.0);
    Some((name.to_ascii_lowercase(), (quality.clamp(0.0, 1.0) * 1000.0) as u16))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn choose(accept: &'static str) -> Option<Encoding> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accept));
        negotiate(&headers).map(|choice| choice.encoding)
    }

    #[test]
    fn no_header_or_unknown_names_mean_identity() {
        assert_eq!(negotiate(&HeaderMap::new()), Some(AS_IT_IS));
        for accept in ["", "*", "banana", "identity", "gzip;q=0", "identity, br;q=0.5"] {
            assert_eq!(choose(accept), Some(Encoding::Identity), "{accept}");
        }
    }

    #[test]
    fn a_named_encoding_is_used() {
        assert_eq!(choose("gzip"), Some(Encoding::Gzip));
        assert_eq!(choose("BR"), Some(Encoding::Brotli));
        assert_eq!(choose("gzip, deflate, br"), Some(Encoding::Brotli));
        assert_eq!(choose("gzip, deflate, br, zstd"), Some(Encoding::Zstd));
        assert_eq!(choose("gzip;q=0.9, deflate;q=1.0, br;q=0"), Some(Encoding::Deflate));
        assert_eq!(choose("identity;q=0, gzip"), Some(Encoding::Gzip));
    }

    #[test]
    fn no_encoding_when_all_are_refused() {
        for accept in ["identity;q=0", "*;q=0", "banana, *;q=0", "banana;q=1, identity;q=0"] {
            assert_eq!(choose(accept), None, "{accept}");
        }
    }
}
