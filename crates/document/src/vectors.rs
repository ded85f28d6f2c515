//! The `_vectors` field of a document: its vectors by embedder name.
//!
//! Names that are not embedders are kept as data of the document, in a normalised form; they too
//! must be valid vectors, so that an embedder added later can use them.

use std::collections::BTreeMap;
use std::fmt::Write;

use deserr::errors::JsonError;
use deserr::{DeserializeError, ErrorKind, IntoValue, ValueKind, ValuePointerRef, take_cf_content};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::error::DocumentError;
use crate::text::write_member;

/// The vectors given for one embedder.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenVectors {
    /// True if they are regenerated when the document changes.
    pub regenerate: bool,
    /// `None` if not given. An empty list means no vectors.
    pub embeddings: Option<Vec<Vec<f32>>>,
}

/// The whole `_vectors` field, validated.
#[derive(Debug, Clone, Default)]
pub struct DocumentVectors {
    entries: BTreeMap<String, EmbedderVectors>,
}

#[derive(Debug, Clone)]
struct EmbedderVectors {
    given: GivenVectors,
    /// The stored form while the name is not an embedder.
    json: String,
}

impl DocumentVectors {
    /// Parses the `_vectors` field of the document with this id.
    pub fn parse(json: &str, id: &str) -> Result<Self, DocumentError> {
        let members: BTreeMap<String, Box<RawValue>> =
            serde_json::from_str(json).map_err(|_| DocumentError::VectorsNotAnObject {
                id: id.to_owned(),
                value: json.to_owned(),
            })?;
        let mut entries = BTreeMap::new();
        for (name, value) in members {
            let entry = EmbedderVectors::parse(&name, value.get())
                .map_err(|reason| DocumentError::InvalidVectors { id: id.to_owned(), reason })?;
            entries.insert(name, entry);
        }
        Ok(Self { entries })
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Removes and returns the vectors of an embedder.
    pub fn take(&mut self, embedder: &str) -> Option<GivenVectors> {
        self.entries.remove(embedder).map(|entry| entry.given)
    }

    /// Puts back the vectors of a removed embedder.
    pub fn put_back(&mut self, name: &str, regenerate: bool, embeddings: &[Vec<f32>]) {
        let given = GivenVectors { regenerate, embeddings: Some(embeddings.to_vec()) };
        let json = object(regenerate, &embeddings_json(embeddings));
        self.entries.insert(name.to_owned(), EmbedderVectors { given, json });
    }

    /// Returns the remaining entries, as they are stored.
    pub fn to_json(&self) -> String {
        let mut out = String::from("{");
        for (name, entry) in &self.entries {
            write_member(name, &entry.json, &mut out);
        }
        out.push('}');
        out
    }
}

/// Formats vectors for readers.
pub fn embeddings_json(embeddings: &[Vec<f32>]) -> String {
    let mut out = String::from("[");
    for (position, vector) in embeddings.iter().enumerate() {
        out.push_str(if position > 0 { ",[" } else { "[" });
        for (place, value) in vector.iter().enumerate() {
            if place > 0 {
                out.push(',');
            }
            // Written with the digits of a double, as clients expect.
            let _ = write!(out, "{:?}", f64::from(*value));
        }
        out.push(']');
    }
    out.push(']');
    out
}

impl EmbedderVectors {
    fn parse(name: &str, json: &str) -> Result<Self, String> {
        if let Some(embeddings) = parse_common_form(json) {
            let given = GivenVectors { regenerate: false, embeddings: Some(embeddings) };
            return Ok(Self { given, json: json.to_owned() });
        }
        let origin = ValuePointerRef::Origin;
        let member = origin.push_key("_vectors");
        let at = member.push_key(name);
        let value: Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
        match value {
            Value::Null => Ok(Self::none()),
            Value::Array(items) if items.is_empty() => Ok(Self::none()),
            Value::Array(items) => Ok(Self {
                given: GivenVectors { regenerate: false, embeddings: Some(embeddings(items, at)?) },
                json: json.to_owned(),
            }),
            Value::Object(members) => Self::of_object(name, members, at),
            other => Err(format!(
                "Expected `._vectors.{name}` to be an array of floats, an array of arrays of \
                 floats, or an object with at least the field `regenerate`, but got the {}",
                described(&other)
            )),
        }
    }

    fn none() -> Self {
        let given = GivenVectors { regenerate: false, embeddings: Some(Vec::new()) };
        Self { given, json: "[]".to_owned() }
    }

    fn of_object(
        name: &str,
        mut members: Map<String, Value>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, String> {
        let regenerate = match members.shift_remove("regenerate") {
            Some(Value::Bool(regenerate)) => regenerate,
            Some(other) => {
                let found = wrong_kind(other, &[ValueKind::Boolean], at.push_key("regenerate"));
                return Err(format!("Could not parse `._vectors.{name}.regenerate`: {found}"));
            }
            None => {
                return Err(format!(
                    "Missing field `._vectors.{name}.regenerate`\n  - note: `._vectors.{name}` \
                     must be an array of floats, an array of arrays of floats, or an object with \
                     field `regenerate`"
                ));
            }
        };
        let given = members.shift_remove("embeddings").unwrap_or(Value::Null);
        if let Some(unexpected) = members.keys().next() {
            return Err(format!(
                "Unexpected field `._vectors.{name}.{unexpected}`\n  - note: the allowed fields \
                 are `regenerate` and `embeddings`"
            ));
        }
        let json = object(regenerate, &given.to_string());
        let embeddings = match given {
            Value::Null => None,
            Value::Array(items) => Some(embeddings(items, at.push_key("embeddings"))?),
            other => {
                let accepted = [ValueKind::Null, ValueKind::Sequence];
                return Err(wrong_kind(other, &accepted, at.push_key("embeddings")));
            }
        };
        Ok(Self { given: GivenVectors { regenerate, embeddings }, json })
    }
}

/// Parses the two common forms fast; `None` leaves error messages to the slow path.
fn parse_common_form(json: &str) -> Option<Vec<Vec<f32>>> {
    let embeddings = match json.as_bytes() {
        [b'[', b'[', ..] => serde_json::from_str(json).ok()?,
        [b'[', next, ..] if *next != b']' => vec![serde_json::from_str(json).ok()?],
        _ => return None,
    };
    let is_finite = |vector: &Vec<f32>| vector.iter().all(|value| value.is_finite());
    embeddings.iter().all(is_finite).then_some(embeddings)
}

fn object(regenerate: bool, embeddings: &str) -> String {
    format!(r#"{{"regenerate":{regenerate},"embeddings":{embeddings}}}"#)
}

/// Parses one vector or a list of them; the first item decides.
fn embeddings(items: Vec<Value>, at: ValuePointerRef<'_>) -> Result<Vec<Vec<f32>>, String> {
    match items.first() {
        None => Ok(Vec::new()),
        Some(Value::Number(_)) => Ok(vec![vector(items, at)?]),
        Some(Value::Array(_)) => {
            let vectors = items.into_iter().enumerate().map(|(index, item)| match item {
                Value::Array(items) => vector(items, at.push_index(index)),
                other => Err(wrong_kind(other, &[ValueKind::Sequence], at.push_index(index))),
            });
            vectors.collect()
        }
        Some(other) => {
            let accepted = [ValueKind::Float, ValueKind::Sequence];
            Err(wrong_kind(other.clone(), &accepted, at.push_index(0)))
        }
    }
}

fn vector(items: Vec<Value>, at: ValuePointerRef<'_>) -> Result<Vec<f32>, String> {
    let values = items.into_iter().enumerate().map(|(index, item)| {
        let at = at.push_index(index);
        let Some(number) = item.as_f64() else {
            return Err(wrong_kind(item, &[ValueKind::Float], at));
        };
        let value = number as f32;
        if value.is_finite() {
            return Ok(value);
        }
        let msg = format!("`{item}` is too large for the component of a vector");
        Err(words(ErrorKind::Unexpected { msg }, at))
    });
    values.collect()
}

fn wrong_kind(value: Value, accepted: &[ValueKind], at: ValuePointerRef<'_>) -> String {
    words(ErrorKind::IncorrectValueKind { actual: value.into_value(), accepted }, at)
}

fn words(kind: ErrorKind<'_, Value>, at: ValuePointerRef<'_>) -> String {
    take_cf_content(JsonError::error(None, kind, at)).to_string()
}

fn described(value: &Value) -> String {
    match value {
        Value::Bool(flag) => format!("boolean `{flag}`"),
        Value::Number(number) if number.is_f64() => format!("number `{number}`"),
        Value::Number(number) => format!("integer `{number}`"),
        Value::String(text) => format!("string `{text}`"),
        other => format!("value `{other}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(json: &str) -> GivenVectors {
        let mut vectors = DocumentVectors::parse(&format!(r#"{{"look":{json}}}"#), "7").unwrap();
        vectors.take("look").unwrap()
    }

    #[test]
    fn every_form_says_what_is_to_be_kept() {
        let is = |regenerate, embeddings: Option<&[&[f32]]>| GivenVectors {
            regenerate,
            embeddings: embeddings.map(|list| list.iter().map(|vector| vector.to_vec()).collect()),
        };
        for (json, expected) in [
            ("[0.5,1]", is(false, Some(&[&[0.5, 1.0]]))),
            ("[[0.5,1],[1,0]]", is(false, Some(&[&[0.5, 1.0], &[1.0, 0.0]]))),
            ("null", is(false, Some(&[]))),
            ("[]", is(false, Some(&[]))),
            ("[[]]", is(false, Some(&[&[]]))),
            (r#"{"regenerate":true}"#, is(true, None)),
            (r#"{"regenerate":false,"embeddings":null}"#, is(false, None)),
            (r#"{"embeddings":[],"regenerate":false}"#, is(false, Some(&[]))),
            (r#"{"embeddings":[1,2],"regenerate":true}"#, is(true, Some(&[&[1.0, 2.0]]))),
            (r#"{"embeddings":[[1],[2]],"regenerate":true}"#, is(true, Some(&[&[1.0], &[2.0]]))),
        ] {
            assert_eq!(given(json), expected, "{json}");
        }
    }

    #[test]
    fn invalid_vectors_are_refused_with_their_path() {
        for (json, reason) in [
            (
                r#""blue""#,
                "Expected `._vectors.look` to be an array of floats, an array of arrays of floats, or an object with at least the field `regenerate`, but got the string `blue`",
            ),
            (
                "3",
                "Expected `._vectors.look` to be an array of floats, an array of arrays of floats, or an object with at least the field `regenerate`, but got the integer `3`",
            ),
            (
                "true",
                "Expected `._vectors.look` to be an array of floats, an array of arrays of floats, or an object with at least the field `regenerate`, but got the boolean `true`",
            ),
            (
                r#"{"embeddings":[1]}"#,
                "Missing field `._vectors.look.regenerate`\n  - note: `._vectors.look` must be an array of floats, an array of arrays of floats, or an object with field `regenerate`",
            ),
            (
                r#"{"regenerate":true,"embeddings":"x"}"#,
                "Invalid value type at `._vectors.look.embeddings`: expected null or an array, but found a string: `\"x\"`",
            ),
            (
                r#"["a","b"]"#,
                "Invalid value type at `._vectors.look[0]`: expected a number or an array, but found a string: `\"a\"`",
            ),
            (
                r#"[1,"b"]"#,
                "Invalid value type at `._vectors.look[1]`: expected a number, but found a string: `\"b\"`",
            ),
            (
                r#"[[1,"b"]]"#,
                "Invalid value type at `._vectors.look[0][1]`: expected a number, but found a string: `\"b\"`",
            ),
            (
                "[1,[2]]",
                "Invalid value type at `._vectors.look[1]`: expected a number, but found an array: `[2]`",
            ),
            (
                "[[1],2]",
                "Invalid value type at `._vectors.look[1]`: expected an array, but found a positive integer: `2`",
            ),
            (
                "[null,1]",
                "Invalid value type at `._vectors.look[0]`: expected a number or an array, but found null",
            ),
            (
                r#"{"regenerate":false,"embeddings":[1,null]}"#,
                "Invalid value type at `._vectors.look.embeddings[1]`: expected a number, but found null",
            ),
            (
                "[1e39]",
                "Invalid value at `._vectors.look[0]`: `1e+39` is too large for the component of a vector",
            ),
        ] {
            let error = DocumentVectors::parse(&format!(r#"{{"look":{json}}}"#), "7").unwrap_err();
            let expected =
                format!("Bad embedder configuration in the document with id: `7`. {reason}");
            assert_eq!(error.to_string(), expected, "{json}");
        }
        let error = DocumentVectors::parse("[1]", "7").unwrap_err();
        assert!(error.to_string().starts_with("The `_vectors` field in the document with id: `7`"));
    }

    #[test]
    fn other_names_are_kept_in_one_form() {
        let json = r#"{"leaf":[1, 0],"seed":[[1,2],[3,4]],"bud":{"regenerate":true},"bark":null}"#;
        let mut vectors = DocumentVectors::parse(json, "1").unwrap();
        vectors.take("seed");
        vectors.put_back("root", false, &[vec![0.5, 0.6]]);
        assert_eq!(
            vectors.to_json(),
            r#"{"bark":[],"bud":{"regenerate":true,"embeddings":null},"leaf":[1, 0],"#.to_owned()
                + r#""root":{"regenerate":false,"embeddings":[[0.5,0.6000000238418579]]}}"#
        );
    }
}
