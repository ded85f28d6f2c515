//! Parses the header `traceparent`, which names the client's span of a request.

use super::span::SpanContext;

/// Parses `00-<32 hexadecimal digits>-<16>-<2>`; none for other text.
pub(super) fn parse(header: &str) -> Option<SpanContext> {
    let mut parts = header.trim().split('-');
    let (version, trace, span, flags) =
        (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    // Later versions may have more parts.
    let is_known = version == "00" && parts.next().is_none();
    let is_later = version.len() == 2 && version != "00" && version != "ff";
    if !(is_known || is_later) || flags.len() != 2 {
        return None;
    }
    let context = SpanContext { trace: hexadecimal(trace)?, span: hexadecimal(span)? };
    (context.trace != [0; 16] && context.span != [0; 8]).then_some(context)
}

fn hexadecimal<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != 2 * N || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut bytes = [0; N];
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_headers_are_taken() {
        let trace = "0af7651916cd43dd8448eb211c80319c";
        let context = parse(&format!("00-{trace}-b7ad6b7169203331-01")).unwrap();
        assert_eq!(context.trace[..2], [0x0a, 0xf7]);
        assert_eq!(context.span, [0xb7, 0xad, 0x6b, 0x71, 0x69, 0x20, 0x33, 0x31]);
        assert!(parse(&format!("42-{trace}-b7ad6b7169203331-01-more")).is_some());
        for bad in [
            String::new(),
            "00-abc-def-01".to_owned(),
            format!("00-{trace}-b7ad6b7169203331"),
            format!("00-{trace}-b7ad6b7169203331-01-more"),
            format!("ff-{trace}-b7ad6b7169203331-01"),
            format!("00-{trace}-0000000000000000-01"),
            format!("00-{}-b7ad6b7169203331-01", "é".repeat(16)),
        ] {
            assert!(parse(&bad).is_none(), "{bad}");
        }
    }
}
