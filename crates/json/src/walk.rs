//! Walks the JSON of a document and emits its leaves with their flattened names: member names are
//! joined with dots, arrays add nothing.
//!
//! The JSON was validated when the document came in; everything after an error is left out.

use crate::{ScanError, Scanner};

/// Receiver of the members of a document and their values.
pub trait Visitor {
    /// State of the visitor for a member, passed back with its leaves.
    type Member: Copy;

    /// Visits a member of an object by its flattened name; `None` skips its value.
    fn member(&mut self, attribute: &str) -> Option<Self::Member>;

    /// Visits a string.
    fn text(&mut self, member: Self::Member, text: &str);

    /// Visits a number or a boolean, unparsed.
    fn number_or_bool(&mut self, member: Self::Member, json: &str);

    /// Visits a member whose value is null. Not called inside an array.
    fn null(&mut self, _member: Self::Member) {}

    /// Visits a member whose value is `""`, `[]` or `{}`. Not called inside an array.
    fn empty(&mut self, _member: Self::Member) {}
}

/// Buffers that are reused from one document to the next.
#[derive(Debug, Default)]
pub struct Walk {
    attribute: String,
    unescaped: String,
}

impl Walk {
    /// Visits the members of a document and their values, in order.
    pub fn document<V: Visitor>(&mut self, json: &str, visitor: &mut V) {
        self.attribute.clear();
        let mut walker = Walker { walk: self, visitor };
        // An error ends the walk.
        let _ = walker.object(&mut Scanner::new(json), 0);
    }
}

struct Walker<'w, V> {
    walk: &'w mut Walk,
    visitor: &'w mut V,
}

/// Context of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueContext {
    /// Value of a member.
    Member,
    /// Item of an array, which is the value of a member or an item itself.
    Item,
}

/// True if an object or an array is not empty.
type HasContent = bool;

impl<V: Visitor> Walker<'_, V> {
    fn object(&mut self, scanner: &mut Scanner<'_>, level: u32) -> Result<HasContent, ScanError> {
        let outer_length = self.walk.attribute.len();
        let mut has_content = false;
        scanner.object(level, |scanner, name| {
            has_content = true;
            if level > 0 {
                self.walk.attribute.push('.');
            }
            name.decode_into(&mut self.walk.attribute);
            match self.visitor.member(&self.walk.attribute) {
                Some(member) => self.value(scanner, member, ValueContext::Member, level + 1)?,
                None => drop(scanner.value(level + 1)?),
            }
            self.walk.attribute.truncate(outer_length);
            Ok::<_, ScanError>(())
        })?;
        Ok(has_content)
    }

    fn array(
        &mut self,
        scanner: &mut Scanner<'_>,
        member: V::Member,
        level: u32,
    ) -> Result<HasContent, ScanError> {
        let mut has_content = false;
        scanner.array(level, |scanner| {
            has_content = true;
            self.value(scanner, member, ValueContext::Item, level + 1)
        })?;
        Ok(has_content)
    }

    fn value(
        &mut self,
        scanner: &mut Scanner<'_>,
        member: V::Member,
        context: ValueContext,
        level: u32,
    ) -> Result<(), ScanError> {
        let has_content = match scanner.peek() {
            Some(b'"') => {
                let text = scanner.string()?;
                if text.escaped {
                    let mut unescaped = std::mem::take(&mut self.walk.unescaped);
                    unescaped.clear();
                    text.decode_into(&mut unescaped);
                    self.visitor.text(member, &unescaped);
                    self.walk.unescaped = unescaped;
                } else {
                    self.visitor.text(member, text.raw());
                }
                !text.raw().is_empty()
            }
            Some(b'{') => self.object(scanner, level)?,
            Some(b'[') => self.array(scanner, member, level)?,
            _ => {
                match scanner.value(level)?.raw {
                    "null" if context == ValueContext::Member => self.visitor.null(member),
                    "null" => {}
                    json => self.visitor.number_or_bool(member, json),
                }
                true
            }
        };
        if !has_content && context == ValueContext::Member {
            self.visitor.empty(member);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::*;

    #[derive(Default)]
    struct Collected {
        names: Vec<String>,
        leaves: Vec<(String, String)>,
        nulls: Vec<String>,
        empties: Vec<String>,
        unwanted: &'static str,
    }

    impl Visitor for Collected {
        type Member = usize;

        fn member(&mut self, attribute: &str) -> Option<usize> {
            self.names.push(attribute.to_owned());
            (attribute != self.unwanted || attribute.is_empty()).then_some(self.names.len() - 1)
        }

        fn text(&mut self, member: usize, text: &str) {
            self.leaves.push((self.names[member].clone(), text.to_owned()));
        }

        fn number_or_bool(&mut self, member: usize, json: &str) {
            self.text(member, json);
        }

        fn null(&mut self, member: usize) {
            self.nulls.push(self.names[member].clone());
        }

        fn empty(&mut self, member: usize) {
            self.empties.push(self.names[member].clone());
        }
    }

    fn leaves_without(json: &str, unwanted: &'static str) -> Vec<(String, String)> {
        let mut collected = Collected { unwanted, ..Collected::default() };
        Walk::default().document(json, &mut collected);
        collected.leaves
    }

    fn leaves(json: &str) -> Vec<(String, String)> {
        leaves_without(json, "")
    }

    fn expected(value: &Value, name: Option<&str>, out: &mut Vec<(String, String)>) {
        let here = || name.unwrap_or_default().to_owned();
        match value {
            Value::Null => {}
            Value::String(text) => out.push((here(), text.clone())),
            Value::Array(values) => values.iter().for_each(|value| expected(value, name, out)),
            Value::Object(members) => {
                for (key, value) in members {
                    let inner = name.map_or_else(|| key.clone(), |name| format!("{name}.{key}"));
                    expected(value, Some(&inner), out);
                }
            }
            plain => out.push((here(), plain.to_string())),
        }
    }

    fn check(value: &Value) {
        let mut wanted = Vec::new();
        expected(value, None, &mut wanted);
        assert_eq!(leaves(&value.to_string()), wanted);
        assert_eq!(leaves(&format!("{value:#}")), wanted);
    }

    #[test]
    fn names_join_with_dots_and_arrays_add_nothing() {
        check(&json!({
            "id": 1, "a": [{ "b": "x" }, { "b": "y", "c": [1.5, true, [null, "deep"]] }, "own"],
            "": { "": "nothing", "b": {} }, "a.b": false, "e\"\\\n": "q\u{1}\té\u{1F600}\"",
        }));
    }

    #[test]
    fn numbers_are_as_they_are_written() {
        let text = r#"{ "a" : 1.50e0 ,"b":[-0,1E+3],"c":"\u00e9\ud83d\ude00x\/"}"#;
        let expected = [("a", "1.50e0"), ("b", "-0"), ("b", "1E+3"), ("c", "é😀x/")];
        assert_eq!(leaves(text), expected.map(|(name, leaf)| (name.to_owned(), leaf.to_owned())));
    }

    #[test]
    fn null_and_empty_are_told_of_members_only() {
        let mut collected = Collected::default();
        let text = r#"{"n":null,"s":"","a":[ ],"o":{ },"i":[null,"",[],{}],"x":" ","z":0,
            "l":[{"n":null,"a":[]},[{"s":""}]]}"#;
        Walk::default().document(text, &mut collected);
        assert_eq!(collected.nulls, ["n", "l.n"]);
        assert_eq!(collected.empties, ["s", "a", "o", "l.a", "l.s"]);
    }

    #[test]
    fn unwanted_members_are_skipped() {
        let text = r#"{"a":1,"x":{"y":["}",{"z":[1,2]},"\""],"n":null},"b":2,"c":{"x":3}}"#;
        let found = leaves_without(text, "x");
        assert_eq!(
            found.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
            ["a", "b", "c.x"]
        );
    }

    #[test]
    fn invalid_json_does_no_harm() {
        let text = r#"{"a":"x","b":[1,{"c":"\u00e9 \\"}],"d":true}"#;
        for end in 0..text.len() {
            leaves(&text[..end]);
            leaves_without(&text[..end], "b");
        }
        for text in ["", "[]", "{", "{\"a\"", "{\"a\":", "{\"a\":}", "{]", "{\"a\":\"\\", "é"] {
            leaves(text);
            leaves_without(text, "a");
        }
        leaves(&format!("{{\"a\":{}", "[".repeat(100_000)));
        leaves_without(&format!("{{\"a\":{}", "[".repeat(100_000)), "a");
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f32>().prop_map(|number| json!(number)),
            ".{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map("[a-c.\"\\\\é]{0,2}", inner, 0..5)
                    .prop_map(|members| Value::Object(Map::from_iter(members))),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn leaves_are_those_of_the_parsed_value(member in value()) {
            check(&json!({ "m": member }));
        }
    }
}
