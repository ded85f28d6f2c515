//! The attributes that a list of names selects: each named one and everything inside it.

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    All,
    Names(Vec<String>),
}

/// How much of an attribute is in a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    Nothing,
    /// Something inside it.
    Part,
    Whole,
}

impl Scope {
    pub fn coverage(&self, attribute: &str) -> Coverage {
        let Scope::Names(names) = self else { return Coverage::Whole };
        let mut coverage = Coverage::Nothing;
        for name in names {
            if is_within(attribute, name) {
                return Coverage::Whole;
            }
            if is_within(name, attribute) {
                coverage = Coverage::Part;
            }
        }
        coverage
    }
}

/// Returns whether an attribute is the other one or inside it.
pub fn is_within(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_covers_what_is_inside_it() {
        let scope = Scope::Names(vec!["a.b".to_owned(), "cc".to_owned()]);
        for (attribute, expected) in [
            ("a", Coverage::Part),
            ("a.b", Coverage::Whole),
            ("a.b.c", Coverage::Whole),
            ("a.bc", Coverage::Nothing),
            ("c", Coverage::Nothing),
            ("cc", Coverage::Whole),
            ("", Coverage::Nothing),
        ] {
            assert_eq!(scope.coverage(attribute), expected, "{attribute}");
        }
        assert_eq!(Scope::All.coverage("x"), Coverage::Whole);
        assert_eq!(Scope::Names(Vec::new()).coverage("x"), Coverage::Nothing);
    }
}
