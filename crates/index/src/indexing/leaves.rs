//! Walks the JSON of a document and emits its leaves with their flattened names: member names are
//! joined with dots, arrays add nothing.
//!
//! The JSON was validated when the document came in, so this only has to be quick, and harmless on
//! invalid input: everything after an error is left out.

/// Deeper values are left out; documents are never that deep.
const MAX_DEPTH: u32 = 256;

pub(crate) trait Visitor {
    /// State of the visitor for a member, passed back with its leaves.
    type Member: Copy;

    /// Visits a member of an object by its flattened name; `None` skips its value.
    fn member(&mut self, attribute: &str) -> Option<Self::Member>;

    /// Visits a string.
    fn text(&mut self, member: Self::Member, text: &str);

    /// Visits a number or a boolean, unparsed.
    fn plain(&mut self, member: Self::Member, json: &str);

    /// Visits a member whose value is null. Not called inside an array.
    fn null(&mut self, _member: Self::Member) {}

    /// Visits a member whose value is `""`, `[]` or `{}`. Not called inside an array.
    fn empty(&mut self, _member: Self::Member) {}
}

/// Buffers that are reused from one document to the next.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    attribute: String,
    unescaped: String,
}

impl Walk {
    pub fn document<V: Visitor>(&mut self, json: &str, visitor: &mut V) {
        self.attribute.clear();
        let mut walker = Walker { json, position: 0, walk: self, visitor };
        // An error ends the walk.
        let _ = walker.object(0);
    }
}

struct Walker<'j, 'w, V> {
    json: &'j str,
    position: usize,
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

/// A string without its quotes, still escaped.
#[derive(Clone, Copy)]
struct RawString<'j> {
    raw: &'j str,
    is_escaped: bool,
}

impl<'j, V: Visitor> Walker<'j, '_, V> {
    fn object(&mut self, depth: u32) -> Option<HasContent> {
        self.expect(b'{')?;
        if self.accept(b'}') {
            return Some(false);
        }
        let outer_length = self.walk.attribute.len();
        loop {
            let name = self.quoted()?;
            self.expect(b':')?;
            if depth > 0 {
                self.walk.attribute.push('.');
            }
            if name.is_escaped {
                unescape(name.raw, &mut self.walk.attribute);
            } else {
                self.walk.attribute.push_str(name.raw);
            }
            match self.visitor.member(&self.walk.attribute) {
                Some(member) => self.value(member, ValueContext::Member, depth + 1)?,
                None => self.pass_over()?,
            }
            self.walk.attribute.truncate(outer_length);
            if self.accept(b'}') {
                return Some(true);
            }
            self.expect(b',')?;
        }
    }

    fn array(&mut self, member: V::Member, depth: u32) -> Option<HasContent> {
        self.expect(b'[')?;
        if self.accept(b']') {
            return Some(false);
        }
        loop {
            self.value(member, ValueContext::Item, depth + 1)?;
            if self.accept(b']') {
                return Some(true);
            }
            self.expect(b',')?;
        }
    }

    fn value(&mut self, member: V::Member, context: ValueContext, depth: u32) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        let has_content = match self.peek()? {
            b'"' => {
                let text = self.quoted()?;
                if text.is_escaped {
                    let mut unescaped = std::mem::take(&mut self.walk.unescaped);
                    unescaped.clear();
                    unescape(text.raw, &mut unescaped);
                    self.visitor.text(member, &unescaped);
                    self.walk.unescaped = unescaped;
                } else {
                    self.visitor.text(member, text.raw);
                }
                !text.raw.is_empty()
            }
            b'{' => self.object(depth)?,
            b'[' => self.array(member, depth)?,
            _ => {
                match self.plain()? {
                    "null" if context == ValueContext::Member => self.visitor.null(member),
                    "null" => {}
                    json => self.visitor.plain(member, json),
                }
                true
            }
        };
        if !has_content && context == ValueContext::Member {
            self.visitor.empty(member);
        }
        Some(())
    }

    /// Skips a value of any kind.
    fn pass_over(&mut self) -> Option<()> {
        let mut open = 0_usize;
        loop {
            match self.peek()? {
                b'"' => drop(self.quoted()?),
                b'{' | b'[' => {
                    open += 1;
                    self.position += 1;
                    continue;
                }
                b'}' | b']' | b',' | b':' if open == 0 => return None,
                b'}' | b']' => {
                    open -= 1;
                    self.position += 1;
                }
                b',' | b':' => {
                    self.position += 1;
                    continue;
                }
                _ => drop(self.plain()?),
            }
            if open == 0 {
                return Some(());
            }
        }
    }

    fn quoted(&mut self) -> Option<RawString<'j>> {
        self.expect(b'"')?;
        let start = self.position;
        let bytes = self.json.as_bytes();
        let mut is_escaped = false;
        loop {
            let found = memchr::memchr2(b'"', b'\\', bytes.get(self.position..)?)?;
            self.position += found;
            if bytes[self.position] == b'"' {
                let raw = self.json.get(start..self.position)?;
                self.position += 1;
                return Some(RawString { raw, is_escaped });
            }
            is_escaped = true;
            self.position += 2;
        }
    }

    /// Reads a number, `true`, `false` or `null`.
    fn plain(&mut self) -> Option<&'j str> {
        let rest = &self.json.as_bytes()[self.position..];
        let ends = |byte: &u8| {
            matches!(byte, b',' | b'}' | b']' | b':' | b'"' | b'{' | b'[') || is_space(*byte)
        };
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        let plain = self.json.get(self.position..self.position + length)?;
        self.position += length;
        (!plain.is_empty()).then_some(plain)
    }

    /// Returns the next byte that is not white space, without consuming it.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.json.as_bytes().get(self.position)?;
            if !is_space(byte) {
                return Some(byte);
            }
            self.position += 1;
        }
    }

    #[inline]
    fn accept(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.position += usize::from(found);
        found
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Option<()> {
        self.accept(byte).then_some(())
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Appends the unescaped form of a string.
fn unescape(raw: &str, out: &mut String) {
    let mut rest = raw;
    while let Some((before, escape)) = rest.split_once('\\') {
        out.push_str(before);
        let mut characters = escape.chars();
        match characters.next() {
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('u') => {
                let (character, length) = code_point(characters.as_str());
                out.push(character);
                rest = characters.as_str().get(length..).unwrap_or_default();
                continue;
            }
            Some(other) => out.push(other),
            None => {}
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
}

/// Returns the character of an escape after its `u`, and the length of the escape. An unpaired
/// surrogate is not a character.
fn code_point(hex: &str) -> (char, usize) {
    let unit = |hex: &str| hex.get(..4).and_then(|hex| u16::from_str_radix(hex, 16).ok());
    let Some(first) = unit(hex) else {
        return (char::REPLACEMENT_CHARACTER, 0);
    };
    let second = hex.get(4..).and_then(|rest| rest.strip_prefix("\\u")).and_then(unit);
    let mut decoded = char::decode_utf16([first].into_iter().chain(second));
    match decoded.next() {
        Some(Ok(character)) => (character, if character.len_utf16() == 2 { 10 } else { 4 }),
        _ => (char::REPLACEMENT_CHARACTER, 4),
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

        fn plain(&mut self, member: usize, json: &str) {
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
        let text = r#"{ "a" : 1.50e0 ,"b":[-0,1E+3],"c":"\u00e9\ud83d\ude00\ud83dx\/"}"#;
        let expected = [("a", "1.50e0"), ("b", "-0"), ("b", "1E+3"), ("c", "é😀\u{fffd}x/")];
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
