//! Folds the accents of values and queries of a facet search, by the languages that
//! `localizedAttributes` gives to the attribute; `locales` of the request override these for the
//! query. In Swedish `ö` is a letter, elsewhere an `o` with a mark.

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

    /// Returns whether the folded forms in the index, which were computed without a language, match
    /// the same values as those of the languages.
    pub fn is_stored(self) -> bool {
        self.is_stored
    }

    /// Returns the folded form of a normal form.
    pub fn value(self, normal: &str) -> String {
        // If the forms in the index can be used, this returns the same ones.
        let languages = if self.is_stored { &[] } else { self.of_values };
        let mut folded = String::new();
        fold_in(normal, languages, &mut folded);
        folded
    }

    /// Folds a query. As values have no blanks around them, a query with a leading blank matches
    /// nothing (`None`); a trailing blank counts.
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
