//! Attribute names in settings and requests: patterns, with a star at either end for any text, and
//! plain entries, which include nested attributes.

/// Returns whether the pattern matches this attribute; `a` does not match `a.b`, `a.*` does.
pub fn matches(pattern: &str, attribute: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        // A single star is both.
        (Some(_), Some(_)) if pattern.len() == 1 => true,
        (Some(rest), Some(_)) => {
            let middle = rest.strip_suffix('*').unwrap_or(rest);
            attribute.contains(middle)
        }
        (Some(end), None) => attribute.ends_with(end),
        (None, Some(start)) => attribute.starts_with(start),
        (None, None) => pattern == attribute,
    }
}

/// Returns whether a plain entry names this attribute or one that contains it: `a` covers `a.b`.
pub fn covers(entry: &str, attribute: &str) -> bool {
    attribute.strip_prefix(entry).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::{covers, matches};

    #[test]
    fn an_entry_covers_itself_and_what_it_contains() {
        assert!(covers("a", "a"));
        assert!(covers("a", "a.b"));
        assert!(!covers("a", "ab"));
        assert!(!covers("a.b", "a"));
    }

    #[test]
    fn stars_count_at_the_ends_only() {
        for (pattern, attribute, expected) in [
            ("a", "a", true),
            ("a", "a.b", false),
            ("a.*", "a.b", true),
            ("a.*", "a", false),
            ("a*", "a", true),
            ("*", "", true),
            ("*", "a.b", true),
            ("**", "anything", true),
            ("*_fr", "title_fr", true),
            ("*_fr", "title_en", false),
            ("*x*", "axb", true),
            ("*x*", "x", true),
            ("*x*", "ab", false),
            ("a*b", "axb", false),
            ("a*b", "a*b", true),
            ("*a*b*", "a*b", true),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, attribute), expected, "{pattern} {attribute}");
        }
    }
}
