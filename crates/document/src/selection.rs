//! Selects the fields of a document that a reader asks for.
//!
//! A dotted name selects inside objects, also those inside arrays. Vectors are never selected, not
//! even by name: they are stored elsewhere.

use json::{ScanError, Scanner};

use crate::VECTORS_FIELD;
use crate::text::{write_member, write_name};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldSelection {
    /// `None` selects every field.
    names: Option<Vec<String>>,
}

impl FieldSelection {
    /// Selects every field, but no vectors.
    pub fn all() -> Self {
        Self { names: None }
    }

    /// Selects the fields of these names, in the order of the document, but no vectors.
    pub fn names(names: Vec<String>) -> Self {
        Self { names: Some(names) }
    }

    /// Returns the selected part of a stored document.
    ///
    /// `known` tells whether the index knows a dotted name. If it does but this document lacks the
    /// field, its parent objects stay, emptied.
    pub fn project(&self, json: &str, known: &dyn Fn(&str) -> bool) -> String {
        let mut out = String::with_capacity(json.len());
        self.write(json, known, &mut out);
        out
    }

    /// Appends the selected part of a stored document to `out`, like [`Self::project`].
    pub fn write(&self, json: &str, known: &dyn Fn(&str) -> bool, out: &mut String) {
        if self.names.is_none() && !may_have_vectors(json) {
            out.push_str(json);
            return;
        }
        let start = out.len();
        // Stored text is checked when it is written and when it is read from disk.
        if let Err(ScanError) = self.write_document(json, known, out) {
            out.truncate(start);
            out.push_str("{}");
        }
    }

    fn write_document(
        &self,
        json: &str,
        known: &dyn Fn(&str) -> bool,
        out: &mut String,
    ) -> Result<(), ScanError> {
        let paths: Option<Vec<&str>> = self.names.as_ref().map(|names| {
            let names = names.iter().map(String::as_str);
            names.filter(|name| !name.contains('.') || known(name)).collect()
        });
        out.push('{');
        Scanner::new(json).object(0, |scanner, name| {
            let name = name.decode();
            if name == VECTORS_FIELD {
                scanner.value(1)?;
                return Ok(());
            }
            match &paths {
                None => write_member(&name, &scanner.value(1)?.compact(), out),
                Some(paths) => write_selected_member(scanner, &name, paths, 1, out)?,
            }
            Ok::<_, ScanError>(())
        })?;
        out.push('}');
        Ok(())
    }
}

/// Returns whether the text might contain vectors; the name could be written with escapes.
fn may_have_vectors(json: &str) -> bool {
    json.contains(VECTORS_FIELD) || json.contains("\\u")
}

/// Writes what `paths` select of the member whose name was just read.
fn write_selected_member(
    scanner: &mut Scanner<'_>,
    name: &str,
    paths: &[&str],
    level: u32,
    out: &mut String,
) -> Result<(), ScanError> {
    if paths.contains(&name) {
        write_member(name, &scanner.value(level)?.compact(), out);
        return Ok(());
    }
    let inner: Vec<&str> =
        paths.iter().filter_map(|path| path.strip_prefix(name)?.strip_prefix('.')).collect();
    if inner.is_empty() {
        scanner.value(level)?;
        return Ok(());
    }
    write_name(name, out);
    write_selected_value(scanner, &inner, level, out)
}

/// Writes the next value: objects reduced to `paths`, arrays element by element, anything else
/// unchanged.
fn write_selected_value(
    scanner: &mut Scanner<'_>,
    paths: &[&str],
    level: u32,
    out: &mut String,
) -> Result<(), ScanError> {
    match scanner.peek() {
        Some(b'{') => {
            out.push('{');
            scanner.object(level, |scanner, name| {
                write_selected_member(scanner, &name.decode(), paths, level + 1, out)
            })?;
            out.push('}');
        }
        Some(b'[') => {
            out.push('[');
            let mut first = true;
            scanner.array(level, |scanner| {
                if !std::mem::take(&mut first) {
                    out.push(',');
                }
                write_selected_value(scanner, paths, level + 1, out)
            })?;
            out.push(']');
        }
        _ => out.push_str(scanner.value(level)?.raw),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &[&str], json: &str, expected: &str) {
        let selection = FieldSelection::names(names.iter().map(ToString::to_string).collect());
        let known = |name: &str| !name.contains("unknown") && !name.contains('*');
        assert_eq!(selection.project(json, &known), expected, "{names:?}");
    }

    #[test]
    fn plain_names_select_in_the_order_of_the_document() {
        let json = r#"{"id":3,"name":"Turin","pop":847,"stats":{"founded":null,"area":130.0}}"#;
        check(&["pop", "name", "pop"], json, r#"{"name":"Turin","pop":847}"#);
        check(&["nope", "Name", " name"], json, "{}");
        check(&["*"], json, "{}");
        check(&[], json, "{}");
        check(&["stats", "stats.area"], json, r#"{"stats":{"founded":null,"area":130.0}}"#);
        assert_eq!(FieldSelection::all().project(json, &|_| true), json);
    }

    #[test]
    fn dotted_names_select_inside_objects_and_arrays() {
        let json =
            r#"{"n":{"x":1,"y":{"z":[1,{"w":2,"v":3}]}},"list":[{"c":"red"},{"s":1},5,[{"c":2}]]}"#;
        check(&["n.y.z"], json, r#"{"n":{"y":{"z":[1,{"w":2,"v":3}]}}}"#);
        check(&["n.y.z.w"], json, r#"{"n":{"y":{"z":[1,{"w":2}]}}}"#);
        check(&["list.c"], json, r#"{"list":[{"c":"red"},{},5,[{"c":2}]]}"#);
        let mix = r#"{"mix":[1,"two",null,true,[3,[4]],{"five":5}]}"#;
        check(&["mix.five"], mix, mix);
    }

    #[test]
    fn flat_and_nested_fields_of_one_name_are_both_selected() {
        let json = r#"{"a.b":1,"a":{"b":2,"c":3}}"#;
        check(&["a.b"], json, r#"{"a.b":1,"a":{"b":2}}"#);
    }

    #[test]
    fn parents_of_a_known_name_stay_where_the_field_is_missing() {
        check(&["a.b.c"], r#"{"a.b.c":1,"a":{"":{"x":1}}}"#, r#"{"a.b.c":1,"a":{}}"#);
        check(&["a.b"], r#"{"a":3}"#, r#"{"a":3}"#);
        check(&["a.unknown", "a.*"], r#"{"a":{"b":1}}"#, "{}");
    }

    #[test]
    fn vectors_are_never_selected() {
        let json = r#"{"id":1,"_vectors":{"m":[1]},"t":"x"}"#;
        let known = |_: &str| true;
        let list =
            |names: &[&str]| FieldSelection::names(names.iter().map(ToString::to_string).collect());
        assert_eq!(FieldSelection::all().project(json, &known), r#"{"id":1,"t":"x"}"#);
        assert_eq!(list(&["_vectors"]).project(json, &known), "{}");
    }
}
