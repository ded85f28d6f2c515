//! Keys and passwords of third parties: not shown by accident, and masked so that users can still
//! recognise them.

use std::fmt;

#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the masked form.
    pub fn redacted(&self) -> String {
        redacted(&self.0)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Lengths, the number of bytes shown and the mask, shortest secrets first.
const SHOWN: [(usize, &str); 4] =
    [(0, "XXX..."), (2, "XXXX..."), (3, "XXXXX..."), (5, "XXXXXX...")];

/// Returns the masked form of a secret: the longer it is, the more is shown.
pub fn redacted(secret: &str) -> String {
    let (kept, rest) = SHOWN[(secret.len() / 10).min(SHOWN.len() - 1)];
    format!("{}{rest}", &secret[..secret.floor_char_boundary(kept)])
}

/// Returns whether a text is the masked form of a secret.
pub fn is_redacted(text: &str) -> bool {
    SHOWN.iter().any(|(kept, rest)| text.strip_suffix(rest).is_some_and(|it| it.len() <= *kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masked_forms_differ_from_secrets() {
        for shown in ["XXX...", "12XXXX...", "aXXXX...", "tweXXXXX...", "01234XXXXXX..."] {
            assert!(is_redacted(shown), "{shown}");
        }
        for secret in
            ["", "...", "XXX", "aXXX...", "short", "abcXXXX...", "abcdefXXXXXX...", "XXX...a"]
        {
            assert!(!is_redacted(secret), "{secret}");
        }
    }

    #[test]
    fn secrets_are_shown_by_their_length() {
        for (secret, shown) in [
            ("", "XXX..."),
            ("short", "XXX..."),
            ("123456789", "XXX..."),
            ("1234567890", "12XXXX..."),
            ("a-longer-secret", "a-XXXX..."),
            ("twenty-five-characters-xx", "tweXXXXX..."),
            ("0123456789abcdef0123456789abcdef", "01234XXXXXX..."),
            // Never half a character.
            ("aé-longer-secret", "aXXXX..."),
        ] {
            assert_eq!(redacted(secret), shown);
        }
        assert_eq!(format!("{:?}", Secret::new("short")), "Secret(…)");
    }
}
