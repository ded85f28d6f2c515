//! Variable-length numbers: seven bits per byte, lowest first.

pub fn write(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads a number off the front; `None` if the bytes end early or the number is too large.
#[inline]
pub fn read(bytes: &mut &[u8]) -> Option<u64> {
    // Most are short.
    match **bytes {
        [first @ 0..0x80, ref rest @ ..] => {
            *bytes = rest;
            Some(u64::from(first))
        }
        [first, second @ 0..0x80, ref rest @ ..] => {
            *bytes = rest;
            Some(u64::from(first & 0x7f) | u64::from(second) << 7)
        }
        _ => read_long(bytes),
    }
}

fn read_long(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for (index, &byte) in bytes.iter().enumerate().take(10) {
        let bits = u64::from(byte & 0x7f);
        if index == 9 && bits > 1 {
            return None;
        }
        value |= bits << (7 * index);
        if byte < 0x80 {
            *bytes = &bytes[index + 1..];
            return Some(value);
        }
    }
    None
}

/// Reads a length and as many bytes off the front.
pub fn read_slice<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(read(bytes)?).ok()?;
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

/// Reads a length and as much text off the front.
pub fn read_text(bytes: &mut &[u8]) -> Option<String> {
    String::from_utf8(read_slice(bytes)?.to_vec()).ok()
}

pub fn write_slice(out: &mut Vec<u8>, slice: &[u8]) {
    write(out, slice.len() as u64);
    out.extend_from_slice(slice);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for value in [0, 1, 127, 128, 300, 16_383, 16_384, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            write(&mut bytes, value);
            let mut rest = &bytes[..];
            assert_eq!(read(&mut rest), Some(value));
            assert!(rest.is_empty());
            assert_eq!(read(&mut &bytes[..bytes.len() - 1]), None);
        }
    }

    #[test]
    fn too_large_a_number_is_refused() {
        let mut bytes = vec![0xff; 9];
        bytes.push(0x02);
        assert_eq!(read(&mut &bytes[..]), None);
    }

    #[test]
    fn slices_end_where_they_say() {
        let mut bytes = Vec::new();
        write_slice(&mut bytes, b"sonde");
        bytes.push(7);
        let mut rest = &bytes[..];
        assert_eq!(read_slice(&mut rest), Some(&b"sonde"[..]));
        assert_eq!(rest, [7]);
        assert_eq!(read_slice(&mut &bytes[..3]), None);
    }
}
