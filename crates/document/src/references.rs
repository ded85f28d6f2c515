//! Finds ids of other documents in JSON text, so that the documents can replace them while the rest
//! of the text stays unchanged.

use std::ops::Range;

use json::{ScanError, Scanner};

use crate::DocumentError;
use crate::id::id_in;

/// An id of another document, with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Index of the path that led to it.
    pub path: usize,
    /// Byte range of the id in the text, quotes included.
    pub place: Range<usize>,
    pub id: String,
}

/// Returns the ids at these paths, in the order of the text. A path leads into objects, also inside
/// arrays, and ends at an id or an array of ids; other values are skipped. The first of equal paths
/// counts.
pub fn references(json: &str, paths: &[String]) -> Result<Vec<Reference>, DocumentError> {
    let paths: Vec<Path<'_>> = paths.iter().map(String::as_str).enumerate().collect();
    let mut found = Vec::new();
    find(&mut Scanner::new(json), &paths, &mut found)
        .map_err(|ScanError| DocumentError::NotADocument { reason: "not JSON".to_owned() })?;
    Ok(found)
}

/// Index of a path and the rest of it.
type Path<'p> = (usize, &'p str);

// Stored text was checked when it arrived, so levels are not counted here. The functions recurse
// once per part of a path and per array around it.

fn find(
    scanner: &mut Scanner<'_>,
    paths: &[Path<'_>],
    found: &mut Vec<Reference>,
) -> Result<(), ScanError> {
    match scanner.peek() {
        Some(b'{') => scanner.object(0, |scanner, name| {
            let name = name.decode();
            let ends_here = paths.iter().find(|(_, rest)| *rest == name);
            if let Some(&(path, _)) = ends_here
                && scanner.peek() != Some(b'{')
            {
                return collect(scanner, path, found);
            }
            let further: Vec<Path<'_>> = paths
                .iter()
                .filter_map(|(path, rest)| {
                    Some((*path, rest.strip_prefix(&*name)?.strip_prefix('.')?))
                })
                .collect();
            if further.is_empty() {
                return scanner.value(0).map(drop);
            }
            find(scanner, &further, found)
        }),
        Some(b'[') => scanner.array(0, |scanner| find(scanner, paths, found)),
        _ => scanner.value(0).map(drop),
    }
}

fn collect(
    scanner: &mut Scanner<'_>,
    path: usize,
    found: &mut Vec<Reference>,
) -> Result<(), ScanError> {
    if scanner.peek() == Some(b'[') {
        return scanner.array(0, |scanner| collect(scanner, path, found));
    }
    let start = scanner.place();
    let raw = scanner.value(0)?.raw;
    let may_be_id = matches!(raw.as_bytes().first(), Some(b'"' | b'-' | b'0'..=b'9'));
    if may_be_id && let Ok(id) = id_in(raw) {
        found.push(Reference { path, place: start..start + raw.len(), id });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(json: &str, paths: &[&str]) -> Vec<(usize, String, String)> {
        let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
        references(json, &paths)
            .unwrap()
            .into_iter()
            .map(|reference| (reference.path, json[reference.place].to_owned(), reference.id))
            .collect()
    }

    fn ids(json: &str, paths: &[&str]) -> Vec<String> {
        found(json, paths).into_iter().map(|(_, _, id)| id).collect()
    }

    #[test]
    fn ids_are_told_with_their_places() {
        let json = r#"[{"id":1,"by":"oa\u006bes"},{"by":[ 7 ,"x-1"],"id":2}]"#;
        let expected = [(0, r#""oa\u006bes""#, "oakes"), (0, "7", "7"), (0, r#""x-1""#, "x-1")];
        let expected = expected.map(|(path, raw, id)| (path, raw.to_owned(), id.to_owned()));
        assert_eq!(found(json, &["by"]), expected);
        assert_eq!(ids(json, &["nope", "b", "by.x"]), [""; 0]);
    }

    #[test]
    fn values_that_cannot_be_ids_are_skipped() {
        for value in ["null", "true", "1.5", "1e3", r#""""#, r#""a b""#, r#""é""#, "{}", "[]"] {
            assert_eq!(ids(&format!(r#"{{"by":{value}}}"#), &["by"]), [""; 0], "{value}");
        }
        let mixed = r#"{"by":[1,null,{"by":2},[3,"a b"],"4"],"z":5}"#;
        assert_eq!(ids(mixed, &["by"]), ["1", "3", "4"]);
    }

    #[test]
    fn paths_lead_through_objects_and_arrays() {
        let json = r#"{"a.b":1,"a":{"b":[2],"c":9,"b.c":3},"d":[{"e":4},[{"e":5}],6]}"#;
        assert_eq!(ids(json, &["a.b"]), ["1", "2"]);
        assert_eq!(ids(json, &["a.b.c", "d.e"]), ["3", "4", "5"]);
        // What ends at an object goes on inside it under a longer path.
        assert_eq!(found(json, &["a", "a.c"]), [(1, "9".to_owned(), "9".to_owned())]);
        assert_eq!(found(json, &["a.c", "a.c"]), [(0, "9".to_owned(), "9".to_owned())]);
    }

    #[test]
    fn deep_documents_are_walked_and_broken_ones_refused() {
        let deep = format!(r#"[{{"f":{{"by":{}1{}}}}}]"#, "[".repeat(126), "]".repeat(126));
        assert_eq!(ids(&deep, &["f.by"]), ["1"]);
        assert!(references(r#"{"by":"#, &["by".to_owned()]).is_err());
    }
}
