//! Index patterns of a key: a name, a prefix of names, or all.

use std::fmt;

use model::IndexUid;
use serde::{Deserialize, Serialize};

/// A pattern such as `books`, `books_*` or `*`, as given.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IndexPattern(String);

/// Error for an invalid pattern, with the message of the interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError(String);

impl IndexPattern {
    pub fn new(text: impl Into<String>) -> Result<Self, PatternError> {
        let text = text.into();
        if text == "*" {
            return Ok(Self(text));
        }
        let name = text.strip_suffix('*').unwrap_or(&text);
        match IndexUid::new(name) {
            Ok(_) => Ok(Self(text)),
            Err(_) => Err(PatternError(name.to_owned())),
        }
    }

    pub fn all() -> Self {
        Self("*".to_owned())
    }

    pub fn is_all(&self) -> bool {
        self.0 == "*"
    }

    pub fn matches(&self, index_uid: &str) -> bool {
        matches(&self.0, index_uid)
    }

    /// Returns whether it matches every index that `other` matches.
    pub(crate) fn covers(&self, other: &IndexPattern) -> bool {
        match (self.0.strip_suffix('*'), other.0.strip_suffix('*')) {
            (Some(prefix), Some(wanted)) => wanted.starts_with(prefix),
            (Some(prefix), None) => other.0.starts_with(prefix),
            (None, _) => self == other,
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns whether a pattern, checked or not, matches this index.
pub(crate) fn matches(pattern: &str, index_uid: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => index_uid.starts_with(prefix),
        None => pattern == index_uid,
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a valid index uid pattern. Index uid patterns can be an integer or a \
             string containing only alphanumeric characters, hyphens (-), underscores (_), and \
             optionally end with a star (*).",
            self.0
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_a_name_the_beginning_of_names_or_a_star() {
        for good in ["*", "a", "a*", "x-1_*", &"x".repeat(400)] {
            assert!(IndexPattern::new(good).is_ok(), "{good}");
        }
        for (bad, named) in
            [("", "``"), ("a b", "`a b`"), ("*a", "`*a`"), ("a**", "`a*`"), ("**", "`*`")]
        {
            let refused = IndexPattern::new(bad).unwrap_err().to_string();
            assert!(refused.starts_with(&format!("{named} is not a valid")), "{refused}");
        }
    }

    #[test]
    fn names_match_whole_and_beginnings_as_far_as_they_go() {
        assert!(matches("teas_*", "teas_old") && matches("teas_*", "teas_"));
        assert!(!matches("teas_*", "teas") && !matches("teas", "teas_old"));
        assert!(!matches("Teas", "teas"));
        assert!(matches("*", "anything") && !matches("**", "anything"));
    }

    #[test]
    fn a_pattern_covers_narrower_ones() {
        let pattern = |text: &str| IndexPattern::new(text).unwrap();
        for (own, wanted, expected) in [
            ("*", "*", true),
            ("*", "books", true),
            ("boo*", "books*", true),
            ("boo*", "boo*", true),
            ("boo*", "boo", true),
            ("books", "books", true),
            ("books*", "boo*", false),
            ("books", "books*", false),
            ("books", "*", false),
            ("books", "films", false),
        ] {
            assert_eq!(pattern(own).covers(&pattern(wanted)), expected, "{own} {wanted}");
        }
    }
}
