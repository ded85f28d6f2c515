//! Formats the text of a hit: highlighting, cropping, positions of matches.
//!
//! It works on the stored document and on the words by which the query matched, and knows nothing
//! of search and ranking. Texts are tokenized again with the tokenizer of the index, only where
//! necessary, since the index does not store byte offsets of words.

mod crop_window;
mod matcher;
mod plan;
mod positions;
mod render;
mod scope;
#[cfg(test)]
mod tests;
mod walk;

use std::fmt;
use std::ops::Not;

use document::check_document_id;
use serde::Serialize;
use serde_json::{Map, Value};
use settings::Settings;
use text::{Language, Tokenizer};

use crate::MatchingWords;
use matcher::Matcher;
use plan::Plan;
pub use positions::Positions;
use walk::Walk;

/// A JSON object.
pub type Object = Map<String, Value>;

/// The formatted text of a hit exceeds the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLongError;

/// The formatting parameters of a search, as given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FormatRequest {
    /// Attribute names, or `*`.
    #[serde(rename = "attributesToHighlight", skip_serializing_if = "Option::is_none")]
    pub highlight: Option<Vec<String>>,
    /// `name`, `name:length`, `*` or `*:length`.
    #[serde(rename = "attributesToCrop", skip_serializing_if = "Option::is_none")]
    pub crop: Option<Vec<String>>,
    /// Number of words; 0: no cropping.
    pub crop_length: usize,
    pub crop_marker: String,
    #[serde(rename = "highlightPreTag")]
    pub pre_tag: String,
    #[serde(rename = "highlightPostTag")]
    pub post_tag: String,
    #[serde(skip_serializing_if = "Not::not")]
    pub show_matches_position: bool,
}

impl Default for FormatRequest {
    fn default() -> Self {
        Self {
            highlight: None,
            crop: None,
            crop_length: 10,
            crop_marker: "…".to_owned(),
            pre_tag: "<em>".to_owned(),
            post_tag: "</em>".to_owned(),
            show_matches_position: false,
        }
    }
}

/// Formats the hits of one search.
pub struct Formatter<'a> {
    settings: &'a Settings,
    tokenizer: &'a Tokenizer,
    locales: Option<&'a [Language]>,
    request: &'a FormatRequest,
    matcher: Matcher<'a>,
    plan: Plan<'a>,
}

impl<'a> Formatter<'a> {
    /// `locales` and `retrieve` are those of the request; without locales each attribute has its
    /// own. `knows` returns whether some document of the index ever had the field of this dotted
    /// name: a name that only this hit lacks is valid, one that no document has is not.
    pub fn new(
        settings: &'a Settings,
        tokenizer: &'a Tokenizer,
        words: &'a MatchingWords,
        locales: Option<&'a [Language]>,
        retrieve: Option<&'a [String]>,
        request: &'a FormatRequest,
        knows: impl Fn(&str) -> bool + 'a,
    ) -> Self {
        let matcher = Matcher::new(words);
        let displayed = settings.displayed_attributes.as_deref();
        let plan = Plan::new(displayed, retrieve, request, Box::new(knows));
        Self { settings, tokenizer, locales, request, matcher, plan }
    }

    /// Returns whether `format` has any effect; if not, documents need not be read for it.
    pub fn has_work(&self) -> bool {
        self.plan.is_formatted() || self.request.show_matches_position
    }

    /// Returns the members `_formatted` and `_matchesPosition` of a hit, given its whole stored
    /// document. Tags can make a text far longer than it is stored, so `most_bytes` limits the
    /// texts and matches of both members together.
    pub fn format(
        &self,
        document: &Object,
        most_bytes: usize,
    ) -> Result<(Option<Object>, Option<Positions>), TooLongError> {
        if !self.has_work() {
            return Ok((None, None));
        }
        Walk::new(self, most_bytes).document(document)
    }

    /// Returns whether a value is the id of a document of another index.
    fn is_foreign_id(&self, attribute: &str, value: &str) -> bool {
        self.settings.foreign_keys.iter().any(|key| key.field_name == attribute)
            && check_document_id(value)
    }

    fn languages_of(&self, attribute: &str) -> &'a [Language] {
        self.locales.unwrap_or_else(|| self.settings.languages_of(attribute))
    }
}

impl fmt::Debug for Formatter<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Formatter").field("request", self.request).finish_non_exhaustive()
    }
}
