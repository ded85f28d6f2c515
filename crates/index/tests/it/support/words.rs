//! The searchable words of documents, in two ways: as the rules say, document by document from
//! the parsed JSON, and as the token streams of an index say.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use index::{DocId, Snapshot};
use segment::text::{FIRST_WORD, GAP, SKIP};
use serde_json::Value;
use settings::Settings;
use text::{Language, TokenKind, Tokenizer};

use super::model::Model;

/// Attribute → words with their positions.
pub type Words = BTreeMap<String, Vec<(u32, String)>>;

thread_local! {
    /// Cache, since the same documents are compared again and again.
    static KNOWN: RefCell<HashMap<(String, String), Words>> = RefCell::default();
}

pub fn expected(model: &Model) -> BTreeMap<DocId, Words> {
    let stored = model.settings.to_string();
    let mut tools = None;
    let words_of = |json: &String| {
        let key = (stored.clone(), json.clone());
        if let Some(known) = KNOWN.with_borrow(|known| known.get(&key).cloned()) {
            return known;
        }
        let (settings, tokenizer) = tools.get_or_insert_with(|| {
            let settings = Settings::from_stored(&model.settings);
            let tokenizer = Tokenizer::new(settings.words.clone());
            (settings, tokenizer)
        });
        let words = words_of(json, settings, tokenizer);
        KNOWN.with_borrow_mut(|known| known.insert(key, words.clone()));
        words
    };
    let mut words_of = words_of;
    model.documents.iter().map(|(&id, document)| (id, words_of(&document.json))).collect()
}

/// The words of one document, as the specification says.
pub fn words_of(json: &str, settings: &Settings, tokenizer: &Tokenizer) -> Words {
    let value: Value = serde_json::from_str(json).unwrap();
    let mut leaves = Vec::new();
    for (key, value) in value.as_object().unwrap() {
        if !["_vectors", "_geo", "_geojson"].contains(&key.as_str()) {
            add_leaves(key, value, &mut leaves);
        }
    }
    let mut words = Words::new();
    for (attribute, text, languages) in leaves {
        if is_searchable(&attribute, settings) {
            let languages = if languages { settings.languages_of(&attribute) } else { &[] };
            add_words(&text, languages, tokenizer, words.entry(attribute).or_default());
        }
    }
    words.retain(|_, words| !words.is_empty());
    words
}

/// Attribute, text, and whether languages matter.
fn add_leaves(attribute: &str, value: &Value, out: &mut Vec<(String, String, bool)>) {
    match value {
        Value::Null => {}
        Value::String(text) => out.push((attribute.to_owned(), text.clone(), true)),
        Value::Array(values) => values.iter().for_each(|value| add_leaves(attribute, value, out)),
        Value::Object(members) => {
            for (key, value) in members {
                add_leaves(&format!("{attribute}.{key}"), value, out);
            }
        }
        plain => out.push((attribute.to_owned(), plain.to_string(), false)),
    }
}

fn is_searchable(attribute: &str, settings: &Settings) -> bool {
    let Some(entries) = &settings.searchable_attributes else {
        return true;
    };
    entries.iter().any(|entry| {
        entry == "*" || attribute == entry || attribute.starts_with(&format!("{entry}."))
    })
}

fn add_words(
    text: &str,
    languages: &[Language],
    tokenizer: &Tokenizer,
    out: &mut Vec<(u32, String)>,
) {
    let start = out.last().map_or(0, |(last, _)| last + 8);
    let (mut before, mut hard) = (None, false);
    for token in tokenizer.tokens(text, languages) {
        match token.kind {
            TokenKind::HardSeparator => hard = true,
            TokenKind::SoftSeparator => {}
            TokenKind::Word | TokenKind::StopWord => {
                let step = if hard { 8 } else { 1 };
                let position = before.map_or(start, |before: u32| before + step);
                before = Some(position);
                hard = false;
                if token.kind == TokenKind::Word && token.lemma.len() <= 250 && position < 65_536 {
                    out.push((position, token.lemma.into_owned()));
                }
            }
        }
    }
}

/// Returns the words that an index has of its live documents.
pub fn found(snapshot: &Snapshot) -> BTreeMap<DocId, Words> {
    let mut documents = BTreeMap::new();
    for segment in snapshot.segments() {
        let text = segment.text();
        let word = |token: u32| String::from_utf8(text.word(token - FIRST_WORD).unwrap()).unwrap();
        let mut cursor = text.tokens();
        for doc_id in segment.live() {
            let tokens = cursor.seek(doc_id).unwrap().unwrap();
            let mut words = Words::new();
            for field in tokens.fields() {
                let mut position = 0;
                let mut found = Vec::new();
                for token in field.iter() {
                    match token {
                        GAP => position += 7,
                        SKIP => position += 1,
                        token => {
                            found.push((position, word(token)));
                            position += 1;
                        }
                    }
                }
                words.insert(text.fields()[usize::from(field.field())].clone(), found);
            }
            documents.insert(doc_id, words);
        }
    }
    documents
}
