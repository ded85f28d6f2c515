//! Writes a text with tags around its matches and markers where it was cut.

use std::ops::Range;

use super::FormatRequest;
use super::matcher::Match;

/// Returns an upper bound of the bytes that `render` writes.
pub fn rendered_length(
    text: &str,
    matches: &[Match],
    window: &Range<usize>,
    request: &FormatRequest,
) -> usize {
    let is_inside =
        |found: &&Match| found.bytes.start < window.end && found.bytes.end > window.start;
    let tags = request.pre_tag.len() + request.post_tag.len();
    let tags = matches.iter().filter(is_inside).count().saturating_mul(tags);
    let markers = usize::from(window.start > 0) + usize::from(window.end < text.len());
    window.len().saturating_add(tags).saturating_add(markers * request.crop_marker.len())
}

/// Renders the part `window` of the text. `matches` are tagged, also those outside of it; `length`
/// is the result of `rendered_length`.
pub fn render(
    text: &str,
    matches: &[Match],
    window: Range<usize>,
    length: usize,
    request: &FormatRequest,
) -> String {
    let mut out = String::with_capacity(length);
    if window.start > 0 {
        out.push_str(&request.crop_marker);
    }
    let mut written = window.start;
    for found in matches {
        let Range { start, end } = found.bytes;
        // A phrase can be longer than the window.
        let end = end.min(window.end);
        if start < written || start >= end {
            continue;
        }
        out.push_str(part(text, written..start));
        out.push_str(&request.pre_tag);
        out.push_str(part(text, start..end));
        out.push_str(&request.post_tag);
        written = end;
    }
    out.push_str(part(text, written..window.end));
    if window.end < text.len() {
        out.push_str(&request.crop_marker);
    }
    out
}

/// Returns a part of the text. Tokens begin and end between characters, so it always exists.
fn part(text: &str, bytes: Range<usize>) -> &str {
    text.get(bytes).unwrap_or_default()
}
