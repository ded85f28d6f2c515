//! Parses the text of a query into terms.

use super::index::ModelIndex;
use super::phrase::Phrase;
use super::text::{HARD_DISTANCE, Kind, Token, tokenize};

const MOST_TERMS: usize = 10;

#[derive(Debug, Default)]
pub struct ParsedQuery {
    pub terms: Vec<ParsedTerm>,
    pub excluded_words: Vec<String>,
    pub excluded_phrases: Vec<Phrase>,
}

#[derive(Debug)]
pub struct ParsedTerm {
    pub text: ParsedText,
    /// Positions of its first and last word.
    pub position: (u32, u32),
}

#[derive(Debug)]
pub enum ParsedText {
    Word { word: String, is_prefix: bool },
    Phrase(Phrase),
}

pub fn parse(index: &ModelIndex, query: &str) -> ParsedQuery {
    let tokens = tokenize(query, &index.settings.stop_words);
    let mut parser = Parser::new(index);
    for (i, token) in tokens.iter().enumerate() {
        if parser.query.terms.len() >= MOST_TERMS {
            break;
        }
        match token.kind {
            Kind::Word | Kind::StopWord => parser.add_word(token, i + 1 == tokens.len()),
            Kind::Soft | Kind::Hard => parser.add_separator(token),
        }
        parser.after_space = token.text.ends_with(char::is_whitespace);
    }
    parser.end_phrase();
    parser.query
}

struct Parser<'m> {
    index: &'m ModelIndex,
    query: ParsedQuery,
    /// The position of the next word.
    position: u32,
    /// A hard separator was met since the last word.
    after_hard: bool,
    no_word_yet: bool,
    phrase: Option<OpenPhrase>,
    after_space: bool,
    after_minus: bool,
}

#[derive(Debug, Default)]
struct OpenPhrase {
    words: Vec<Option<String>>,
    position: (u32, u32),
    is_negative: bool,
}

impl OpenPhrase {
    fn has_words(&self) -> bool {
        self.words.iter().any(Option::is_some)
    }
}

impl<'m> Parser<'m> {
    fn new(index: &'m ModelIndex) -> Self {
        Self {
            index,
            query: ParsedQuery::default(),
            position: 0,
            after_hard: false,
            no_word_yet: true,
            phrase: None,
            after_space: true,
            after_minus: false,
        }
    }

    fn add_word(&mut self, token: &Token, is_last: bool) {
        let position = self.take_position();
        let is_stop_word = token.kind == Kind::StopWord;
        let word = token.text.clone();
        if let Some(phrase) = &mut self.phrase {
            if !phrase.has_words() {
                phrase.position.0 = position;
            }
            phrase.position.1 = position;
            phrase.words.push(if is_stop_word { None } else { Some(word) });
        } else if self.after_minus {
            self.query.excluded_words.push(word);
            self.after_minus = false;
        } else if is_last || !is_stop_word {
            let is_prefix = is_last && self.index.settings.prefixes;
            let text = ParsedText::Word { word, is_prefix };
            self.query.terms.push(ParsedTerm { text, position: (position, position) });
        }
    }

    fn take_position(&mut self) -> u32 {
        if self.after_hard && !(self.index.improved() && self.no_word_yet) {
            self.position += HARD_DISTANCE - 1;
        }
        (self.after_hard, self.no_word_yet) = (false, false);
        self.position += 1;
        self.position - 1
    }

    fn add_separator(&mut self, token: &Token) {
        if token.kind == Kind::Hard {
            if self.after_hard && !self.index.improved() {
                self.position += HARD_DISTANCE - 1;
            }
            self.after_hard = true;
            if let Some(is_negative) = self.phrase.as_ref().map(|phrase| phrase.is_negative) {
                self.end_phrase();
                self.phrase = Some(OpenPhrase { is_negative, ..OpenPhrase::default() });
            }
        }
        if token.text == "\"" {
            if self.phrase.is_some() {
                self.end_phrase();
            } else {
                let is_negative = self.after_minus;
                self.phrase = Some(OpenPhrase { is_negative, ..OpenPhrase::default() });
            }
        }
        self.after_minus = self.phrase.is_none() && token.text == "-" && self.after_space;
    }

    fn end_phrase(&mut self) {
        let Some(phrase) = self.phrase.take() else { return };
        if !phrase.has_words() {
            return;
        }
        let words = Phrase::new(self.index, &phrase.words);
        if phrase.is_negative {
            self.query.excluded_phrases.push(words);
        } else {
            let text = ParsedText::Phrase(words);
            self.query.terms.push(ParsedTerm { text, position: phrase.position });
        }
    }
}
