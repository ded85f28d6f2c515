//! Escape sequences inside quotes: the quotes and the backslash themselves, the control
//! characters that have a letter, `\xHH`, `\uXXXX`, `\u{X…}` and octal `\0` to `\377`.

use std::str::Chars;

/// Resolves escape sequences; `None` if one is invalid.
pub(crate) fn unescape(text: &str) -> Option<String> {
    let mut unescaped = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        unescaped.push(if char == '\\' { sequence(&mut chars)? } else { char });
    }
    Some(unescaped)
}

/// Escapes a value so that [`unescape`] reads it back from between double quotes.
pub(crate) fn escape_into(value: &str, text: &mut String) {
    for char in value.chars() {
        if matches!(char, '"' | '\\') {
            text.push('\\');
        }
        text.push(char);
    }
}

fn sequence(chars: &mut Chars<'_>) -> Option<char> {
    match chars.next()? {
        same @ ('\'' | '"' | '\\') => Some(same),
        'b' => Some('\u{8}'),
        'f' => Some('\u{c}'),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        'x' => digits(chars, 16, 2),
        'u' => unicode(chars),
        first @ '0'..='7' => octal(first, chars),
        _ => None,
    }
}

fn unicode(chars: &mut Chars<'_>) -> Option<char> {
    match chars.as_str().strip_prefix('{') {
        None => digits(chars, 16, 4),
        Some(rest) => {
            let (hexadecimal, after) = rest.split_once('}')?;
            if !(1..=6).contains(&hexadecimal.len()) {
                return None;
            }
            *chars = after.chars();
            digits(&mut hexadecimal.chars(), 16, hexadecimal.len())
        }
    }
}

/// Parses up to three digits, as many as fit into a byte.
fn octal(first: char, chars: &mut Chars<'_>) -> Option<char> {
    let limit = if first <= '3' { 2 } else { 1 };
    let mut code = first.to_digit(8)?;
    for _ in 0..limit {
        let Some(digit) = chars.as_str().chars().next().and_then(|char| char.to_digit(8)) else {
            break;
        };
        chars.next();
        code = code * 8 + digit;
    }
    char::from_u32(code)
}

fn digits(chars: &mut Chars<'_>, radix: u32, count: usize) -> Option<char> {
    let mut code = 0;
    for _ in 0..count {
        code = code * radix + chars.next()?.to_digit(radix)?;
    }
    char::from_u32(code)
}
