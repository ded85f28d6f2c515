//! The names of a document's fields, nested ones as dotted paths.

use json::{ScanError, Scanner};
use model::limits::MAX_FIELDS;

use crate::{Document, DocumentError, VECTORS_FIELD};

/// Calls `each` with the name of every field: `a`, `a.b`; arrays add nothing to the path. A name
/// may come more than once. `_vectors` is not a field.
pub fn nested_names(document: &Document<'_>, mut each: impl FnMut(&str)) {
    let mut path = String::new();
    for (name, value) in document.fields() {
        if name == VECTORS_FIELD {
            continue;
        }
        each(name);
        if value.starts_with(['{', '[']) {
            path.clear();
            path.push_str(name);
            // An error can only mean damaged text; the names found before it count.
            let _ = names_in_value(&mut Scanner::new(value), 1, &mut path, &mut each);
        }
    }
}

/// Reports the names below `path` in the next value. The scanner bounds the depth.
fn names_in_value(
    scanner: &mut Scanner<'_>,
    level: u32,
    path: &mut String,
    each: &mut impl FnMut(&str),
) -> Result<(), ScanError> {
    match scanner.peek() {
        Some(b'{') => scanner.object(level, |scanner, name| {
            let parent_length = path.len();
            path.push('.');
            name.decode_into(path);
            each(path);
            names_in_value(scanner, level + 1, path, each)?;
            path.truncate(parent_length);
            Ok(())
        }),
        Some(b'[') => {
            scanner.array(level, |scanner| names_in_value(scanner, level + 1, path, each))
        }
        _ => scanner.value(level).map(|_| ()),
    }
}

/// Refuses a document with more field names than an index may have.
pub fn check_field_count(document: &Document<'_>) -> Result<(), DocumentError> {
    // A member takes at least five bytes (`"":0,`), so small documents need no count.
    let bytes: usize = document.fields().map(|(name, value)| name.len() + value.len() + 4).sum();
    if bytes < MAX_FIELDS * 5 {
        return Ok(());
    }
    let mut names = std::collections::HashSet::new();
    nested_names(document, |name| {
        if names.len() <= MAX_FIELDS && !names.contains(name) {
            names.insert(name.to_owned());
        }
    });
    if names.len() > MAX_FIELDS { Err(DocumentError::TooManyFields) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(json: &str) -> Vec<String> {
        let mut found = Vec::new();
        nested_names(&Document::parse(json).unwrap(), |name| found.push(name.to_owned()));
        found
    }

    #[test]
    fn nested_names_are_dotted_and_arrays_are_looked_through() {
        assert_eq!(
            names(
                r#"{"id":1,"maker":{"name":"x","at":{"city":"y"}},"parts":[{"sku":1},[{"n":{}}],2]}"#
            ),
            [
                "id",
                "maker",
                "maker.name",
                "maker.at",
                "maker.at.city",
                "parts",
                "parts.sku",
                "parts.n"
            ]
        );
        assert_eq!(
            names(r#"{"a.b":1,"":{"":2},"\u00e9":{"\n":[]}}"#),
            ["a.b", "", ".", "é", "é.\n"]
        );
        assert_eq!(names(r#"{"_vectors":{"m":[1]},"a":[]}"#), ["a"]);
    }

    #[test]
    fn the_limit_counts_nested_names_once_each() {
        let wide = |count: usize| {
            let inner: Vec<String> = (1..count).map(|n| format!("\"{n}\":0")).collect();
            format!("{{\"a\":{{{}}}}}", inner.join(","))
        };
        let checked = |json: &str| check_field_count(&Document::parse(json).unwrap());
        assert_eq!(checked(&wide(65_536)), Ok(()));
        assert_eq!(checked(&wide(65_537)), Err(DocumentError::TooManyFields));
        let repeated = format!("{{\"a\":[{}{{}}]}}", "{\"same\":0},".repeat(70_000));
        assert_eq!(checked(&repeated), Ok(()));
    }
}
