//! Displays phrases as documents write them: with capitals, accents and hyphens. The dictionary has
//! only normalised words, so a few of the documents are read.

use hashbrown::HashMap;
use index::Snapshot;
use segment::DocId;
use serde_json::Value;
use text::{Token, TokenKind};

use super::source_attributes::SourceAttributes;
use super::{Phrase, Words};
use crate::context::Context;
use crate::error::SearchError;

/// Longer documents are skipped, and longer texts truncated.
const LONGEST_DOCUMENT: usize = 256 << 10;
const LONGEST_TEXT: usize = 16 << 10;
/// Maximum number of characters shown between words.
const MOST_BETWEEN: usize = 4;

pub(super) struct Speller<'c, 's> {
    context: &'c Context<'s>,
    snapshot: &'s Snapshot,
    attributes: &'c SourceAttributes<'s>,
    documents: HashMap<DocId, Option<Value>>,
}

impl<'c, 's> Speller<'c, 's> {
    pub fn new(
        context: &'c Context<'s>,
        snapshot: &'s Snapshot,
        attributes: &'c SourceAttributes<'s>,
    ) -> Self {
        Self { context, snapshot, attributes, documents: HashMap::new() }
    }

    /// Returns the most frequent form in some documents; the first of equals. Without any, it
    /// returns the normalised words.
    pub fn spelled(&mut self, phrase: &Phrase) -> Result<String, SearchError> {
        let mut forms: Vec<(String, usize)> = Vec::new();
        for &doc_id in phrase.examples.iter().take(3) {
            self.read(doc_id)?;
            let Some(Some(document)) = self.documents.get(&doc_id) else { continue };
            let Some(form) = self.form_in(document, &mut String::new(), &phrase.words) else {
                continue;
            };
            match forms.iter_mut().find(|(known, _)| *known == form) {
                Some((_, times)) => *times += 1,
                None => forms.push((form, 1)),
            }
        }
        let most = forms.iter().map(|(_, times)| *times).max();
        let best = forms.into_iter().find(|(_, times)| Some(*times) == most);
        let plain = || phrase.words.iter().flatten().cloned().collect::<Vec<_>>().join(" ");
        Ok(best.map_or_else(plain, |(form, _)| form))
    }

    fn read(&mut self, doc_id: DocId) -> Result<(), SearchError> {
        if !self.documents.contains_key(&doc_id) {
            let json = self.snapshot.document(doc_id)?;
            let json = json.filter(|json| json.len() <= LONGEST_DOCUMENT);
            let document = json.and_then(|json| serde_json::from_str(&json).ok());
            self.documents.insert(doc_id, document);
        }
        Ok(())
    }

    /// Returns the first occurrence of a phrase in the attributes that count.
    fn form_in(&self, value: &Value, attribute: &mut String, words: &Words) -> Option<String> {
        match value {
            Value::Null | Value::Bool(_) => None,
            Value::Number(number) => self.form_in_text(&number.to_string(), attribute, words),
            Value::String(text) => self.form_in_text(text, attribute, words),
            Value::Array(values) => {
                values.iter().find_map(|value| self.form_in(value, attribute, words))
            }
            Value::Object(members) => members.iter().find_map(|(name, value)| {
                let outside = attribute.len();
                if outside > 0 {
                    attribute.push('.');
                }
                attribute.push_str(name);
                let found = self.form_in(value, attribute, words);
                attribute.truncate(outside);
                found
            }),
        }
    }

    fn form_in_text(&self, text: &str, attribute: &str, words: &Words) -> Option<String> {
        if !self.attributes.has(attribute) {
            return None;
        }
        let text = &text[..text.floor_char_boundary(LONGEST_TEXT)];
        let languages = self.context.settings.languages_of(attribute);
        let tokens = self.context.tokenizer.tokens(text, languages);
        (0..tokens.len()).find_map(|first| shown(text, &tokens[first..], words))
    }
}

/// Returns the text of a phrase at the start of these tokens.
fn shown(text: &str, tokens: &[Token<'_>], words: &Words) -> Option<String> {
    let mut out = String::new();
    let mut wanted = words.iter();
    let mut end = None;
    for token in tokens {
        let piece = text.get(token.byte_start..token.byte_end)?;
        match token.kind {
            TokenKind::HardSeparator => return None,
            TokenKind::SoftSeparator => {
                end?;
                if piece.trim().chars().count() > MOST_BETWEEN {
                    return None;
                }
                for character in piece.chars() {
                    match character.is_whitespace() {
                        true if out.ends_with(' ') => {}
                        true => out.push(' '),
                        false => out.push(character),
                    }
                }
                continue;
            }
            TokenKind::Word | TokenKind::StopWord if token.lemma.is_empty() => continue,
            TokenKind::Word | TokenKind::StopWord => {}
        }
        let is_it = match wanted.next()? {
            Some(word) => token.kind == TokenKind::Word && token.lemma == word.as_str(),
            None => token.kind == TokenKind::StopWord,
        };
        if !is_it {
            return None;
        }
        out.push_str(piece);
        end = Some(token.byte_end);
        if wanted.len() == 0 {
            return Some(out);
        }
    }
    None
}
