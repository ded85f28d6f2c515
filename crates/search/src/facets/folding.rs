//! How values and queries of a facet search lose their accents: by the languages that
//! `localizedAttributes` gives to the attribute, and for the query by `locales` where a request
//! names them. In Swedish `ö` is a letter, elsewhere an `o` with a mark.

use settings::Settings;
use text::{LONGEST_VALUE, Language, fold_in, folds_alike, has_shared_script, value_form};

use super::find::FacetQuery;

#[derive(Debug, Clone, Copy)]
pub(super) struct Folding<'q> {
    of_values: &'q [Language],
    of_query: &'q [Language],
    is_stored: bool,
}

impl<'q> Folding<'q> {
    pub fn new(settings: &'q Settings, query: &FacetQuery<'q>) -> Self {
        let of_values = settings.languages_of(query.facet);
        let of_query = query.locales.unwrap_or(of_values);
        let is_shared = || query.text.is_some_and(has_shared_script);
        let is_stored = of_values.is_empty() || folds_alike(of_values) && !is_shared();
        Self { of_values, of_query, is_stored }
    }

    /// Whether the folded forms in the index, which were made without a language, find what those
    /// of the languages would find.
    pub fn is_stored(self) -> bool {
        self.is_stored
    }

    /// The folded form of a normal form.
    pub fn value(self, normal: &str) -> String {
        // Where the forms in the index serve, this gives the same ones.
        let languages = if self.is_stored { &[] } else { self.of_values };
        let mut folded = String::new();
        fold_in(normal, languages, &mut folded);
        folded
    }

    /// Values have no blanks around them, so a query that begins with one finds nothing; at its
    /// end one counts.
    pub fn query(self, text: &str) -> Option<String> {
        if text.starts_with(char::is_whitespace) {
            return None;
        }
        let mut normal = String::new();
        value_form(text, &mut normal);
        let mut folded = String::new();
        fold_in(&normal, self.of_query, &mut folded);
        folded.push_str(&text[text.trim_end().len()..]);
        // No value is longer.
        folded.truncate(folded.floor_char_boundary(LONGEST_VALUE + 1));
        Some(folded)
    }
}
