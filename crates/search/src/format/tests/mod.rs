//! Formatting, as examples: a document, a query, a request, the result.

mod bounds;
mod crop;
mod highlight;
mod positions;
mod properties;
mod shape;

use serde_json::{Map, Value, json};
use settings::{LocalizedRule, Settings};
use text::{Language, Tokenizer};

use super::{FormatRequest, Formatter, TooLongError};
use crate::{MatchingTerm, MatchingWord, MatchingWords};

/// A query as its matching words, one term after the other:
/// `lamp` a word, `lam*` a prefix, `kepeer~keeper` with a variant by typos, `light+house` joined,
/// `[red lamp]` a phrase (`_` in it is a stop word), `tv=[flat screen]` with a split or synonym.
fn query(text: &str) -> MatchingWords {
    let mut terms = Vec::new();
    let mut position = 0;
    for item in items(text) {
        let (word, phrase) = match item.split_once('[') {
            Some((word, phrase)) => (word.trim_end_matches('='), phrase.strip_suffix(']')),
            None => (item, None),
        };
        let phrase: Option<Vec<Option<String>>> = phrase.map(|phrase| {
            phrase.split(' ').map(|word| (word != "_").then(|| word.to_owned())).collect()
        });
        let mut parts = word.split('~');
        let original = parts.next().unwrap_or_default();
        let length = match &phrase {
            Some(phrase) if original.is_empty() => phrase.len(),
            _ => original.split('+').count(),
        };
        let last = position + length as u16 - 1;
        let is_prefix = original.ends_with('*');
        let original = original.trim_end_matches('*').replace('+', "");
        let words = std::iter::once(original.as_str()).chain(parts);
        terms.push(MatchingTerm {
            first: position,
            last,
            is_prefix,
            words: words
                .filter(|word| !word.is_empty())
                .map(|text| MatchingWord { text: text.to_owned() })
                .collect(),
            original: original.clone(),
            phrases: phrase.into_iter().collect(),
        });
        position = last + 1;
    }
    MatchingWords { terms }
}

/// Splits at spaces outside of brackets.
fn items(text: &str) -> Vec<&str> {
    let mut is_inside = false;
    let items = text.split(|c: char| {
        is_inside = c == '[' || is_inside && c != ']';
        c == ' ' && !is_inside
    });
    items.filter(|item| !item.is_empty()).collect()
}

/// The dotted names of all fields of a document.
fn names_of(value: &Value, at: &str, names: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                let name = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
                names_of(value, &name, names);
                names.push(name);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| names_of(value, at, names)),
        _ => {}
    }
}

#[derive(Clone, Default)]
struct Case {
    document: Map<String, Value>,
    known: Vec<String>,
    words: MatchingWords,
    settings: Settings,
    locales: Option<Vec<Language>>,
    retrieve: Option<Vec<String>>,
    request: FormatRequest,
}

fn case(document: Value) -> Case {
    let mut known = Vec::new();
    names_of(&document, "", &mut known);
    let Value::Object(document) = document else { panic!("no document: {document}") };
    Case { document, known, ..Case::default() }
}

/// A document with one text, of which nothing else is shown.
fn text(text: &str) -> Case {
    case(json!({ "t": text })).retrieve(&[])
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

impl Case {
    fn query(mut self, text: &str) -> Self {
        self.words = query(text);
        self
    }

    fn highlight(mut self, names: &[&str]) -> Self {
        self.request.highlight = Some(owned(names));
        self
    }

    fn crop(mut self, items: &[&str]) -> Self {
        self.request.crop = Some(owned(items));
        self
    }

    fn crop_length(mut self, words: usize) -> Self {
        self.request.crop_length = words;
        self
    }

    fn retrieve(mut self, names: &[&str]) -> Self {
        self.retrieve = Some(owned(names));
        self
    }

    fn displayed(mut self, names: &[&str]) -> Self {
        self.settings.displayed_attributes = Some(owned(names));
        self
    }

    fn knows(mut self, name: &str) -> Self {
        self.known.push(name.to_owned());
        self
    }

    fn stop_words(mut self, words: &[&str]) -> Self {
        self.settings.words.stop_words = words.iter().map(ToString::to_string).collect();
        self
    }

    fn localized(mut self, pattern: &str, locales: &[Language]) -> Self {
        self.settings.localized_attributes.push(LocalizedRule {
            attribute_patterns: vec![pattern.to_owned()],
            locales: locales.to_vec(),
        });
        self
    }

    fn locales(mut self, locales: &[Language]) -> Self {
        self.locales = Some(locales.to_vec());
        self
    }

    fn request(mut self, change: impl FnOnce(&mut FormatRequest)) -> Self {
        change(&mut self.request);
        self
    }

    fn run(&self) -> (Option<Value>, Option<Value>) {
        self.run_within(usize::MAX).unwrap()
    }

    fn run_within(
        &self,
        most_bytes: usize,
    ) -> Result<(Option<Value>, Option<Value>), TooLongError> {
        let tokenizer = Tokenizer::new(self.settings.words.clone());
        let formatter = Formatter::new(
            &self.settings,
            &tokenizer,
            &self.words,
            self.locales.as_deref(),
            self.retrieve.as_deref(),
            &self.request,
            |name| self.known.iter().any(|known| known == name),
        );
        let (formatted, positions) = formatter.format(&self.document, most_bytes)?;
        let positions = positions.map(|positions| serde_json::to_value(positions).unwrap());
        Ok((formatted.map(Value::Object), positions))
    }

    /// Compares `_formatted`.
    #[track_caller]
    fn gives(self, expected: Value) -> Self {
        assert_eq!(self.run().0, Some(expected));
        self
    }

    #[track_caller]
    fn has_no_formatted(self) -> Self {
        assert_eq!(self.run().0, None);
        self
    }

    /// Compares `_matchesPosition`.
    #[track_caller]
    fn matches_at(mut self, expected: Value) -> Self {
        self.request.show_matches_position = true;
        assert_eq!(self.run().1, Some(expected));
        self
    }
}

/// One text, highlighted.
#[track_caller]
fn highlights(text_of_document: &str, words: &str, expected: &str) {
    text(text_of_document).query(words).highlight(&["t"]).gives(json!({ "t": expected }));
}

/// One text, cropped and highlighted.
#[track_caller]
fn crops(text_of_document: &str, words: &str, length: usize, expected: &str) {
    let case = text(text_of_document).query(words).highlight(&["t"]);
    case.crop(&["t"]).crop_length(length).gives(json!({ "t": expected }));
}
