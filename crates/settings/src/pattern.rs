//! Patterns of attribute names, as rule objects have them. A star counts at either end and
//! means any text; anywhere else it is a star.

/// Whether the pattern is for this attribute; `a` is not for `a.b`, `a.*` is.
pub fn matches(pattern: &str, attribute: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        // A lone star is both.
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

#[cfg(test)]
mod tests {
    use super::matches;

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
