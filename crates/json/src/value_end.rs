//! Finds the end of a value in text that comes in pieces. It counts brackets and quotes, and does
//! not validate.

use memchr::memchr2;

/// Open brackets and quotes of an object, an array or a string.
#[derive(Debug, Default)]
pub struct ValueEnd {
    depth: u32,
    in_string: bool,
    is_escaped: bool,
}

impl ValueEnd {
    /// Reads the next piece of the value. Returns how many of the bytes belong to it, and whether it
    /// ends there.
    pub fn feed(&mut self, bytes: &[u8]) -> (usize, bool) {
        let mut place = 0;
        while let Some(&byte) = bytes.get(place) {
            if self.is_escaped {
                self.is_escaped = false;
                place += 1;
                continue;
            }
            if self.in_string {
                let Some(found) = memchr2(b'"', b'\\', &bytes[place..]) else { break };
                place += found + 1;
                self.is_escaped = bytes[place - 1] == b'\\';
                self.in_string = self.is_escaped;
            } else {
                place += 1;
                match byte {
                    b'"' => self.in_string = true,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
            }
            if self.depth == 0 && !self.in_string {
                return (place, true);
            }
        }
        (bytes.len(), false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_at_its_last_bracket_or_quote_however_it_is_cut() {
        for value in [r#"{"a":"}]\"\\","b":[1,{}]}"#, "[]", r#""a,\"]""#, r#"[{"é":[[]]}]"#] {
            let text = format!("{value},[1]");
            for size in 1..=text.len() {
                let mut end = ValueEnd::default();
                let mut length = 0;
                for piece in text.as_bytes().chunks(size) {
                    let (count, is_whole) = end.feed(piece);
                    length += count;
                    if is_whole {
                        break;
                    }
                }
                assert_eq!(&text[..length], value, "in pieces of {size}");
            }
            let (count, is_whole) = ValueEnd::default().feed(&value.as_bytes()[..value.len() - 1]);
            assert_eq!((count, is_whole), (value.len() - 1, false));
        }
    }
}
