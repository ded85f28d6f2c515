//! One document: its top-level fields in order, each value as raw JSON.
//!
//! Values are not parsed, so a document costs one pass over its text and keeps exactly what the
//! user sent (digits of numbers, order of fields). Only whitespace between tokens is dropped, and
//! the last value of a repeated name counts.

use std::borrow::Cow;
use std::collections::HashMap;

use json::{ScanError, Scanner, Value};

use crate::DocumentError;
use crate::text::write_member;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document<'a> {
    fields: Vec<Field<'a>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Field<'a> {
    name: Cow<'a, str>,
    /// Valid JSON without insignificant whitespace.
    value: Cow<'a, str>,
}

impl<'a> Document<'a> {
    /// Reads the text of one object.
    pub fn parse(json: &'a str) -> Result<Self, DocumentError> {
        let mut scanner = Scanner::new(json);
        let document = Self::read(&mut scanner).and_then(|document| {
            scanner.expect_end()?;
            Ok(document)
        });
        document.map_err(|ScanError| DocumentError::NotADocument { reason: parser_error(json) })
    }

    /// Reads the object that comes next.
    pub(crate) fn read(scanner: &mut Scanner<'a>) -> Result<Self, ScanError> {
        Self::read_with(scanner, Value::compact)
    }

    /// Reads the object that comes next, with whitespace inside its values left in.
    pub(crate) fn read_as_sent(scanner: &mut Scanner<'a>) -> Result<Self, ScanError> {
        Self::read_with(scanner, |value| Cow::Borrowed(value.raw))
    }

    fn read_with(
        scanner: &mut Scanner<'a>,
        take: impl Fn(Value<'a>) -> Cow<'a, str>,
    ) -> Result<Self, ScanError> {
        let mut fields = Vec::with_capacity(16);
        scanner.object(0, |scanner, name| {
            let value = scanner.value(1)?;
            fields.push(Field { name: name.decode(), value: take(value) });
            Ok::<_, ScanError>(())
        })?;
        Ok(Self { fields: keep_last_of_repeated(fields) })
    }

    /// Puts a document together from names and the JSON of their values.
    pub(crate) fn from_fields(
        fields: impl IntoIterator<Item = (Cow<'a, str>, Cow<'a, str>)>,
    ) -> Self {
        let fields = fields.into_iter().map(|(name, value)| Field { name, value }).collect();
        Self { fields: keep_last_of_repeated(fields) }
    }

    /// Returns the value of a top-level field, as JSON.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|field| field.name == name).map(|field| &*field.value)
    }

    /// Returns the names of the top-level fields, in order.
    pub fn field_names(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.fields.iter().map(|field| &*field.name)
    }

    /// Returns names and values (as JSON) of the top-level fields, in order.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.fields.iter().map(|field| (&*field.name, &*field.value))
    }

    /// Returns the document with another value of a field, in its place or at the end if it is new.
    /// Without a value the field is removed.
    pub fn with_field<'d>(&'d self, name: &'d str, value: Option<&'d str>) -> Document<'d> {
        let mut fields: Vec<_> =
            self.fields().map(|(name, value)| Field::of(name, value)).collect();
        let place = fields.iter().position(|field| field.name == name);
        match (place, value) {
            (Some(place), Some(value)) => fields[place] = Field::of(name, value),
            (Some(place), None) => drop(fields.remove(place)),
            (None, Some(value)) => fields.push(Field::of(name, value)),
            (None, None) => {}
        }
        Document { fields }
    }

    pub fn len(&self) -> usize {
        self.fields.len()
    }

    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Returns the document as compact JSON.
    pub fn to_json(&self) -> String {
        let mut out = String::with_capacity(self.json_length());
        self.write_json(&mut out);
        out
    }

    /// Returns the document as compact JSON, with one field in front of the others.
    pub fn to_json_led_by(&self, name: &str) -> String {
        let Some(place) = self.fields.iter().position(|field| field.name == name) else {
            return self.to_json();
        };
        let mut out = String::with_capacity(self.json_length());
        out.push('{');
        let (before, rest) = self.fields.split_at(place);
        let (first, after) = rest.split_at(1);
        for Field { name, value } in first.iter().chain(before).chain(after) {
            write_member(name, value, &mut out);
        }
        out.push('}');
        out
    }

    pub(crate) fn write_json(&self, out: &mut String) {
        out.push('{');
        for (name, value) in self.fields() {
            write_member(name, value, out);
        }
        out.push('}');
    }

    /// Returns the length of the JSON; exact unless a name needs escapes.
    fn json_length(&self) -> usize {
        self.fields.iter().map(|field| field.name.len() + field.value.len() + 4).sum::<usize>() + 2
    }

    /// Merges this newer document into an older one: a field of both takes the newer value as a
    /// whole, a new field is added at the end.
    pub fn merge_into<'d>(&'d self, older: &'d Document<'_>) -> Document<'d> {
        let mut newer: HashMap<&str, &str> = self.fields().collect();
        let mut fields = Vec::with_capacity(self.len() + older.len());
        for (name, value) in older.fields() {
            fields.push(Field::of(name, newer.remove(name).unwrap_or(value)));
        }
        let added = self.fields().filter(|(name, _)| newer.contains_key(name));
        fields.extend(added.map(|(name, value)| Field::of(name, value)));
        Document { fields }
    }
}

impl<'a> Field<'a> {
    fn of(name: &'a str, value: &'a str) -> Self {
        Self { name: Cow::Borrowed(name), value: Cow::Borrowed(value) }
    }
}

/// Returns the error of `serde_json` for text that is not a document.
fn parser_error(json: &str) -> String {
    match serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(json) {
        Err(error) => error.to_string(),
        Ok(_) => "not an object".to_owned(),
    }
}

/// Keeps, of fields with the same name, the last value in the position of the first.
fn keep_last_of_repeated(fields: Vec<Field<'_>>) -> Vec<Field<'_>> {
    if !has_repeated(&fields) {
        return fields;
    }
    let mut kept: Vec<Field<'_>> = Vec::with_capacity(fields.len());
    let mut place_of: HashMap<Cow<'_, str>, usize> = HashMap::new();
    for field in fields {
        if let Some(&place) = place_of.get(&field.name) {
            kept[place].value = field.value;
        } else {
            place_of.insert(field.name.clone(), kept.len());
            kept.push(field);
        }
    }
    kept
}

fn has_repeated(fields: &[Field<'_>]) -> bool {
    if fields.len() > 32 {
        let mut seen = std::collections::HashSet::with_capacity(fields.len());
        return !fields.iter().all(|field| seen.insert(&*field.name));
    }
    // Most names differ in length or ends; one bit each saves nearly all comparisons.
    let mut seen_signatures = 0u64;
    fields.iter().enumerate().any(|(index, field)| {
        let name = field.name.as_bytes();
        let ends = name.first().map_or(0, |&byte| usize::from(byte) * 7)
            + name.last().map_or(0, |&byte| usize::from(byte) * 3);
        let signature = 1 << ((ends + name.len()) % 64);
        let maybe_seen = seen_signatures & signature != 0;
        seen_signatures |= signature;
        maybe_seen && fields[..index].iter().any(|earlier| earlier.name == field.name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_keeps_order_numbers_and_escapes_but_no_whitespace() {
        let json = r#" { "b" : 1e2, "a": -0.0 , "n":{"x": [1, 18446744073709551616]},
                        "t": "a \u00fc b", "\u0041": null } "#;
        let document = Document::parse(json).unwrap();
        assert_eq!(
            document.to_json(),
            r#"{"b":1e2,"a":-0.0,"n":{"x":[1,18446744073709551616]},"t":"a \u00fc b","A":null}"#
        );
        assert_eq!(document.field_names().collect::<Vec<_>>(), ["b", "a", "n", "t", "A"]);
        assert_eq!(document.get("a"), Some("-0.0"));
        assert_eq!(document.get("z"), None);
    }

    #[test]
    fn a_field_can_be_put_in_front() {
        let document = Document::parse(r#"{"a":1,"id":2,"b":[3]}"#).unwrap();
        assert_eq!(document.to_json_led_by("id"), r#"{"id":2,"a":1,"b":[3]}"#);
        assert_eq!(document.to_json_led_by("a"), document.to_json());
        assert_eq!(document.to_json_led_by("b"), r#"{"b":[3],"a":1,"id":2}"#);
        assert_eq!(document.to_json_led_by("z"), document.to_json());
    }

    #[test]
    fn the_last_value_of_a_repeated_name_counts() {
        let document = Document::parse(r#"{"id":5,"x":1,"\u0069d":6}"#).unwrap();
        assert_eq!(document.to_json(), r#"{"id":6,"x":1}"#);

        let wide: String = (0..100).map(|n| format!("\"f{}\":{n},", n % 40)).collect();
        let wide = format!("{{{wide}\"f0\":\"last\"}}");
        let document = Document::parse(&wide).unwrap();
        assert_eq!(document.len(), 40);
        assert_eq!(document.get("f0"), Some("\"last\""));
        assert_eq!(document.get("f39"), Some("79"));
    }

    #[test]
    fn only_an_object_is_a_document() {
        for text in ["", "[]", "5", "{", "{}x", "{\"a\":1e400}", "{'a':1}"] {
            let error = Document::parse(text).unwrap_err();
            assert!(matches!(error, DocumentError::NotADocument { .. }), "{text}");
        }
        assert_eq!(Document::parse("{}").unwrap().to_json(), "{}");
    }

    #[test]
    fn updates_replace_values_and_append_new_fields() {
        let check = |older: &str, newer: &str, expected: &str| {
            let (older, newer) = (Document::parse(older).unwrap(), Document::parse(newer).unwrap());
            assert_eq!(newer.merge_into(&older).to_json(), expected);
        };
        check(
            r#"{"id":1,"author":{"first":"Ben","last":"Oke"},"tags":["sea"]}"#,
            r#"{"id":"1","pages":301,"author":{"first":"Benedict"},"tags":null}"#,
            r#"{"id":"1","author":{"first":"Benedict"},"tags":null,"pages":301}"#,
        );
        check(r#"{"author":1}"#, r#"{"author.last":2}"#, r#"{"author":1,"author.last":2}"#);
        check("{}", "{}", "{}");
    }
}
