//! The word lists of an index's settings, prepared for the questions asked of every piece: is it a
//! stop word, is it a separator, where does the user's automaton cut?

use std::collections::{BTreeSet, HashMap, HashSet};

use aho_corasick::{AhoCorasick, MatchKind};
use charabia::separators::DEFAULT_SEPARATORS;

use crate::separators::{default_separator, separator_kind};
use crate::stop::StopLanguage;
use crate::token::TokenKind;

/// The lists of one state of the settings, as the user wrote them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WordLists {
    pub stop_words: BTreeSet<String>,
    /// Languages whose usual stop words are added, with any case.
    pub stop_languages: BTreeSet<StopLanguage>,
    pub separators: BTreeSet<String>,
    pub non_separators: BTreeSet<String>,
    pub dictionary: BTreeSet<String>,
}

/// The lists in a form for fast lookups.
#[derive(Debug)]
pub(crate) struct Lists {
    stop_words: StopWords,
    separators: Separators,
    /// Finds separators and dictionary words; `None` if the user changes neither.
    automaton: Option<AhoCorasick>,
    cuts_by_table: bool,
}

impl Lists {
    pub fn new(lists: WordLists) -> Self {
        let WordLists { stop_words, stop_languages, separators, non_separators, dictionary } =
            lists;
        let separators = Separators::new(separators, &non_separators);
        let automaton = separators.automaton(&dictionary);
        // A stop word that is also a separator takes a position like a word, which the table of
        // characters does not represent.
        let stops_separators = stop_words.iter().any(|word| separators.kind(word).is_some());
        let cuts_by_table = automaton.is_none() && !stops_separators;
        let stop_words = StopWords::new(stop_words, &stop_languages);
        Self { stop_words, separators, automaton, cuts_by_table }
    }

    pub fn automaton(&self) -> Option<&AhoCorasick> {
        self.automaton.as_ref()
    }

    /// Returns whether the table of characters alone determines separators and their kinds.
    pub fn cuts_by_table(&self) -> bool {
        self.cuts_by_table
    }

    pub fn has_stop_words(&self) -> bool {
        !self.stop_words.is_empty()
    }

    pub fn is_stop_word(&self, plain: &str) -> bool {
        self.stop_words.contains(plain)
    }

    /// Classifies a piece by its plain form: decomposed, but not yet lower-cased.
    pub fn kind(&self, plain: &str) -> TokenKind {
        if self.is_stop_word(plain) {
            TokenKind::StopWord
        } else {
            self.separators.kind(plain).unwrap_or(TokenKind::Word)
        }
    }
}

#[derive(Debug)]
enum Separators {
    Default,
    Changed(HashMap<String, TokenKind>),
}

impl Separators {
    fn new(added: BTreeSet<String>, removed: &BTreeSet<String>) -> Self {
        if added.is_empty() && removed.is_empty() {
            return Self::Default;
        }
        let default = DEFAULT_SEPARATORS.iter().map(|text| (*text).to_owned());
        let all = default.chain(added).filter(|text| !removed.contains(text));
        Self::Changed(all.map(|text| (text.clone(), separator_kind(&text))).collect())
    }

    fn kind(&self, plain: &str) -> Option<TokenKind> {
        match self {
            Self::Default => default_separator(plain),
            Self::Changed(all) => all.get(plain).copied(),
        }
    }

    fn automaton(&self, dictionary: &BTreeSet<String>) -> Option<AhoCorasick> {
        let mut patterns: Vec<&str> = match self {
            Self::Default if dictionary.is_empty() => return None,
            Self::Default => DEFAULT_SEPARATORS.to_vec(),
            Self::Changed(all) => all.keys().map(String::as_str).collect(),
        };
        patterns.extend(dictionary.iter().map(String::as_str));
        patterns.retain(|pattern| !pattern.is_empty());
        if patterns.is_empty() {
            return None;
        }
        // It fails only for more patterns than fit in memory; the lists then have no effect.
        AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(patterns).ok()
    }
}

/// The stop words. Most words are ruled out by their first byte and length, without hashing.
#[derive(Debug)]
struct StopWords {
    words: HashSet<String>,
    /// In lower case; they match whatever the case of a word in a text.
    in_any_case: HashSet<String>,
    first_bytes: [bool; 256],
    longest: usize,
}

impl StopWords {
    fn new(words: BTreeSet<String>, languages: &BTreeSet<StopLanguage>) -> Self {
        let in_any_case: HashSet<String> =
            languages.iter().flat_map(|language| language.words()).collect();
        let mut first_bytes = [false; 256];
        let capitals = in_any_case.iter().map(|word| word.to_uppercase());
        for word in words.iter().chain(&in_any_case).cloned().chain(capitals) {
            if let Some(byte) = word.bytes().next() {
                first_bytes[usize::from(byte)] = true;
            }
        }
        let longest = words.iter().chain(&in_any_case).map(String::len).max().unwrap_or(0);
        Self { words: words.into_iter().collect(), in_any_case, first_bytes, longest }
    }

    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.in_any_case.is_empty()
    }

    fn contains(&self, plain: &str) -> bool {
        let may_be = plain.bytes().next().is_none_or(|byte| self.first_bytes[usize::from(byte)]);
        may_be
            && plain.len() <= self.longest
            && (self.words.contains(plain) || self.contains_in_any_case(plain))
    }

    fn contains_in_any_case(&self, plain: &str) -> bool {
        !self.in_any_case.is_empty()
            && (self.in_any_case.contains(plain)
                || plain.chars().any(char::is_uppercase)
                    && self.in_any_case.contains(&plain.to_lowercase()))
    }
}
