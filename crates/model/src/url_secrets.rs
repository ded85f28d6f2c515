//! Masks secrets inside URLs: the user and password before the host, and parameters such as
//! `?key=…`. The text is taken as sent, so that URLs which no parser accepts hide their secrets
//! too.

use std::ops::Range;

use crate::{is_redacted, redacted};

/// Returns the URL with masked secrets.
pub fn shown_url(url: &str) -> String {
    let mut shown = String::with_capacity(url.len());
    let mut copied = 0;
    for secret in secrets(url) {
        shown.push_str(&url[copied..secret.start]);
        shown.push_str(&redacted(&url[secret.clone()]));
        copied = secret.end;
    }
    shown.push_str(&url[copied..]);
    shown
}

/// Returns the stored URL if `sent` is its masked form. A URL that differs in anything else keeps
/// no secret, so that none is sent to another server.
pub fn kept_url(stored: Option<&str>, sent: String) -> String {
    match stored {
        Some(stored) if shown_url(stored) == sent => stored.to_owned(),
        _ => sent,
    }
}

/// Returns whether a URL has the mask of a secret where the secret should be.
pub fn has_mask(url: &str) -> bool {
    secrets(url).into_iter().any(|secret| is_redacted(&url[secret]))
}

/// Error for a masked URL without a stored one that it could stand for.
pub const MASK_REFUSED: &str = "the URL contains how a secret is shown (`XXX...`), and no URL is \
                                stored that it could stand for: send the secret itself";

/// Returns the ranges of non-empty secrets, in the order of the text.
fn secrets(url: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if let Some(start) = authority_start(url) {
        let rest = &url[start..];
        let authority = &rest[..rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len())];
        if let Some(at) = authority.rfind('@') {
            // A user without a password is a token.
            found.push(match authority[..at].find(':') {
                Some(colon) if colon + 1 < at => start + colon + 1..start + at,
                Some(colon) => start..start + colon,
                None => start..start + at,
            });
        }
    }
    let fragment = url.find('#').unwrap_or(url.len());
    if let Some(query) = url[..fragment].find('?') {
        let mut start = query + 1;
        for pair in url[start..fragment].split('&') {
            if let Some(equals) = pair.find('=')
                && is_secret_name(&pair[..equals])
            {
                found.push(start + equals + 1..start + pair.len());
            }
            start += pair.len() + 1;
        }
    }
    found.retain(|secret| !secret.is_empty());
    found
}

/// Returns where the user and the host begin. In web addresses any number of slashes may come
/// before them; other schemes, such as `mailto`, need two.
fn authority_start(url: &str) -> Option<usize> {
    let (scheme, rest) = url.split_once(':')?;
    let is_web = ["http", "https"].iter().any(|web| scheme.trim().eq_ignore_ascii_case(web));
    let behind =
        if is_web { rest.trim_start_matches(['/', '\\']) } else { rest.strip_prefix("//")? };
    Some(url.len() - behind.len())
}

/// Recognises secret parameters by the ending of their names: `key`, `api-key`, `X-Amz-Signature`,
/// `accessToken`.
fn is_secret_name(name: &str) -> bool {
    const ENDINGS: [&str; 13] = [
        "key",
        "token",
        "secret",
        "password",
        "passwd",
        "pwd",
        "pass",
        "sig",
        "signature",
        "auth",
        "authorization",
        "credential",
        "credentials",
    ];
    let name = name.to_ascii_lowercase();
    // Azure functions take their key as `code`.
    name == "code"
        || name
            .split(['-', '_', '.', '%'])
            .any(|word| ENDINGS.iter().any(|ending| word.ends_with(ending)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_and_all_else_stays() {
        for (url, shown) in [
            ("http://a.example/x?model=1", "http://a.example/x?model=1"),
            ("http://user:pw@a.example/", "http://user:XXX...@a.example/"),
            ("http://user:a-longer-password@h", "http://user:a-XXXX...@h"),
            ("http://lonely-token@h/p", "http://loXXXX...@h/p"),
            ("http://lonely:@h/p", "http://XXX...:@h/p"),
            ("http://u:p@ss@h/p@q", "http://u:XXX...@h/p@q"),
            ("http://h/p?key=abc&n=1", "http://h/p?key=XXX...&n=1"),
            (
                "http://h?a=1&api_key=x&Access-Token=y#z",
                "http://h?a=1&api_key=XXX...&Access-Token=XXX...#z",
            ),
            (
                "http://h?X-Amz-Signature=x&sig=&code=c",
                "http://h?X-Amz-Signature=XXX...&sig=&code=XXX...",
            ),
            ("http://h#?key=1", "http://h#?key=1"),
            ("http://@h/", "http://@h/"),
            ("http:u:pw@host/", "http:u:XXX...@host/"),
            ("HTTPS:\\\\u:pw@host", "HTTPS:\\\\u:XXX...@host"),
            ("ftp://u:pw@host", "ftp://u:XXX...@host"),
            ("mailto:someone@example.org", "mailto:someone@example.org"),
            ("user@host", "user@host"),
            ("", ""),
            ("://", "://"),
            ("http://é:ü@h/?schlüssel=1&tokén=2", "http://é:XXX...@h/?schlüssel=1&tokén=2"),
        ] {
            assert_eq!(shown_url(url), shown, "{url}");
            assert_eq!(has_mask(&shown_url(url)), url != shown, "{url}");
            assert_eq!(kept_url(Some(url), shown.to_owned()), url);
        }
    }

    #[test]
    fn a_mask_stands_for_a_secret_of_the_same_url_only() {
        let stored = "https://a.example/?key=abc";
        let other = "https://evil.example/?key=XXX...".to_owned();
        assert_eq!(kept_url(Some(stored), other.clone()), other);
        assert!(has_mask(&other) && !has_mask(stored));
        assert_eq!(kept_url(None, other.clone()), other);
        assert_eq!(kept_url(Some(stored), "https://b.example".to_owned()), "https://b.example");
    }
}
