//! Removes from a text what could identify a person or a machine. The few texts that are sent are
//! names of programs, formats, models and fields; but clients write them, and may write anything.

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};

/// Returns the text without words that look like mail, web or machine addresses.
pub(crate) fn scrubbed(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    let is_plain = !text.chars().any(char::is_control) && text.split(' ').all(is_harmless);
    if is_plain {
        return Cow::Borrowed(text);
    }
    let harmless: Vec<&str> = text
        .split(|letter: char| letter.is_whitespace() || letter.is_control())
        .filter(|word| !word.is_empty() && is_harmless(word))
        .collect();
    Cow::Owned(harmless.join(" "))
}

fn is_harmless(word: &str) -> bool {
    let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != ':');
    !word.contains('@')
        && !word.contains("//")
        && !word.contains("www.")
        && bare.parse::<IpAddr>().is_err()
        && word.trim_matches(['(', ')', ',']).parse::<SocketAddr>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_and_addresses_go() {
        for (text, expected) in [
            ("sdk-js (v0.45.0)", "sdk-js (v0.45.0)"),
            ("Mozilla/5.0 (X11) Chrome/120.0.0.0", "Mozilla/5.0 (X11) Chrome/120.0.0.0"),
            ("  blank ", "blank"),
            ("bot/1 (+https://bot.example/about)", "bot/1"),
            ("bot ann@mail.example", "bot"),
            ("(ann@mail.example)", ""),
            ("app www.shop.example 1.2", "app 1.2"),
            ("from 10.1.2.3 and [::1]:7700, 8.8.8.8:53", "from and"),
            ("two\nlines\u{0}here", "two lines here"),
            ("", ""),
        ] {
            assert_eq!(scrubbed(text), expected, "{text:?}");
        }
    }
}
