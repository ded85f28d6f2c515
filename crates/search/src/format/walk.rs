//! Walks a document once, value by value, to format it and to collect match positions.

use document::VECTORS_FIELD;
use serde_json::Value;

use super::crop_window::crop_window;
use super::matcher::WORDS_THAT_CAN_MATCH;
use super::plan::TextOptions;
use super::positions::Positions;
use super::render::{render, rendered_length};
use super::scope::Coverage;
use super::{Formatter, Object, TooLongError};

/// Matches are searched in this much of a text. It holds more than the 65,536 words that can match,
/// unless these are longer than 16 bytes on average.
const EXAMINED_BYTES: usize = 1 << 20;

/// Maximum number of tokens: the words that can match, with a separator after each.
const EXAMINED_TOKENS: usize = 2 * WORDS_THAT_CAN_MATCH;

/// Minimum size in JSON of a match, in bytes.
const MATCH_BYTES: usize = 24;

pub struct Walk<'f, 'a> {
    formatter: &'f Formatter<'a>,
    positions: Option<Positions>,
    /// Dotted name of the current attribute.
    attribute: String,
    /// Number of enclosing objects.
    depth: usize,
    /// Indices in the enclosing arrays, outermost first.
    indices: Vec<usize>,
    /// Remaining bytes of the limit; `None` once it was exceeded.
    left: Option<usize>,
}

/// How much of a value is formatted, and how much is searched for matches.
#[derive(Debug, Clone, Copy)]
struct ValueCoverage {
    /// Coverage in `_formatted`.
    shown: Coverage,
    /// Coverage in `_matchesPosition`.
    examined: Coverage,
}

impl ValueCoverage {
    fn nothing(self) -> bool {
        self.shown == Coverage::Nothing && self.examined == Coverage::Nothing
    }

    fn is_shown(self) -> bool {
        self.shown != Coverage::Nothing
    }
}

impl<'f, 'a> Walk<'f, 'a> {
    pub fn new(formatter: &'f Formatter<'a>, most_bytes: usize) -> Self {
        let positions = formatter.request.show_matches_position.then(Positions::default);
        Self {
            formatter,
            positions,
            attribute: String::new(),
            depth: 0,
            indices: Vec::new(),
            left: Some(most_bytes),
        }
    }

    pub fn document(
        mut self,
        document: &Object,
    ) -> Result<(Option<Object>, Option<Positions>), TooLongError> {
        let may_match = self.positions.is_some() && !self.formatter.matcher.is_empty();
        let examined = if may_match { Coverage::Part } else { Coverage::Nothing };
        let is_formatted = self.formatter.plan.is_formatted();
        let shown = if is_formatted { Coverage::Part } else { Coverage::Nothing };
        let formatted = self.object(document, ValueCoverage { shown, examined });
        match self.left {
            Some(_) => Ok((is_formatted.then_some(formatted), self.positions)),
            None => Err(TooLongError),
        }
    }

    /// Takes bytes off the limit; false if it is exceeded.
    fn spend(&mut self, bytes: usize) -> bool {
        self.left = self.left.and_then(|left| left.checked_sub(bytes));
        self.left.is_some()
    }

    fn object(&mut self, object: &Object, coverage: ValueCoverage) -> Object {
        let mut out = Object::new();
        if coverage.nothing() {
            return out;
        }
        let outside = self.attribute.len();
        self.depth += 1;
        for (name, value) in object {
            if self.depth == 1 && name == VECTORS_FIELD {
                continue;
            }
            if self.depth > 1 {
                self.attribute.push('.');
            }
            self.attribute.push_str(name);
            let coverage = self.member(object, name, coverage);
            if let Some(value) = self.value(value, coverage) {
                out.insert(name.clone(), value);
            }
            self.attribute.truncate(outside);
        }
        self.depth -= 1;
        out
    }

    /// Returns the coverage of a member, given the coverage of its object.
    fn member(&self, object: &Object, name: &str, coverage: ValueCoverage) -> ValueCoverage {
        let plan = &self.formatter.plan;
        let shown = match coverage.shown {
            Coverage::Part => plan.shown(&self.attribute, name, object),
            sure => sure,
        };
        let examined = match coverage.examined {
            Coverage::Part => plan.displayed(&self.attribute),
            sure => sure,
        };
        ValueCoverage { shown, examined }
    }

    fn value(&mut self, value: &Value, coverage: ValueCoverage) -> Option<Value> {
        if coverage.nothing() || self.left.is_none() {
            return None;
        }
        match value {
            Value::Null | Value::Bool(_) => coverage.is_shown().then(|| value.clone()),
            Value::Number(number) => self.text(&number.to_string(), coverage),
            Value::String(text) => self.text(text, coverage),
            Value::Array(values) => {
                let mut out = Vec::new();
                for (place, value) in values.iter().enumerate() {
                    self.indices.push(place);
                    out.extend(self.value(value, coverage));
                    self.indices.pop();
                }
                coverage.is_shown().then_some(Value::Array(out))
            }
            Value::Object(object) => {
                let out = self.object(object, coverage);
                coverage.is_shown().then_some(Value::Object(out))
            }
        }
    }

    fn text(&mut self, text: &str, coverage: ValueCoverage) -> Option<Value> {
        let formatter = self.formatter;
        let options = match coverage.shown {
            Coverage::Nothing => TextOptions::default(),
            // Must be whole, since a document will replace it.
            _ if formatter.is_foreign_id(&self.attribute, text) => TextOptions::default(),
            _ => formatter.plan.options(&self.attribute),
        };
        let is_examined = coverage.examined == Coverage::Whole;
        let needs_matches = (options.highlight || options.crop.is_some() || is_examined)
            && !formatter.matcher.is_empty();
        if !needs_matches && options.crop.is_none() {
            return (coverage.is_shown() && self.spend(text.len())).then(|| Value::from(text));
        }

        let languages = formatter.languages_of(&self.attribute);
        let examined = &text[..text.floor_char_boundary(EXAMINED_BYTES)];
        let tokens = formatter.tokenizer.first_tokens(examined, languages, EXAMINED_TOKENS);
        let matches = formatter.matcher.matches(text, &tokens);
        if is_examined && self.positions.is_some() && !self.spend(matches.len() * MATCH_BYTES) {
            return None;
        }
        if let Some(positions) = self.positions.as_mut().filter(|_| is_examined) {
            positions.note(&self.attribute, &self.indices, &matches);
        }
        if !coverage.is_shown() {
            return None;
        }
        let window = match options.crop {
            Some(length) => crop_window(text, &tokens, &matches, length),
            None => 0..text.len(),
        };
        let tagged = if options.highlight { matches.as_slice() } else { &[] };
        let length = rendered_length(text, tagged, &window, formatter.request);
        self.spend(length)
            .then(|| Value::String(render(text, tagged, window, length, formatter.request)))
    }
}
