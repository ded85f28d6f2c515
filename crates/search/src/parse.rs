//! Parses the query text into terms: words, phrases, and exclusions.

use text::{Token, TokenKind};

/// The limit of the reference, which also applies to its rules here.
pub(crate) const MAX_TERMS: usize = 10;
/// Maximum number of terms of a question, for the strategy `any` and the rule `bm25`.
const MAX_TERMS_OF_QUESTION: usize = 64;
const MAX_TOKENS: usize = 1000;

/// Limits which words of a query become terms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TermLimits {
    /// Maximum number of terms; the rest of the query is ignored.
    most: usize,
    /// From this term on, words that are already a term are skipped.
    distinct_from: usize,
}

impl TermLimits {
    pub const REFERENCE: Self = Self { most: MAX_TERMS, distinct_from: MAX_TERMS };
    /// The rules of the reference use the first ten terms, and `bm25` uses all of them.
    pub const WITH_BM25: Self = Self { most: MAX_TERMS_OF_QUESTION, distinct_from: MAX_TERMS };
    pub const ANY: Self = Self { most: MAX_TERMS_OF_QUESTION, distinct_from: 0 };
}

/// Words in a row; `None` is a stop word.
pub(crate) type Phrase = Vec<Option<String>>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TermText {
    Word {
        word: String,
        /// Words that begin with it match too.
        is_prefix: bool,
    },
    Phrase(Phrase),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParsedTerm {
    pub text: TermText,
    /// Number of occurrences in the query; repeated words are not separate terms.
    pub times: u32,
    /// Positions in the query of its first and last word.
    pub first: u32,
    pub last: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ParsedQuery {
    pub terms: Vec<ParsedTerm>,
    pub unwanted_words: Vec<String>,
    pub unwanted_phrases: Vec<Phrase>,
}

/// A phrase without its end so far.
#[derive(Debug, Default)]
struct OpenPhrase {
    words: Phrase,
    first: u32,
    last: u32,
    is_unwanted: bool,
}

struct Parser {
    parsed: ParsedQuery,
    phrase: Option<OpenPhrase>,
    /// Position of the last word, if there was one.
    position: Option<u32>,
    hard_separator: bool,
    /// A minus directly precedes it.
    negated: bool,
    /// White space, or nothing, directly precedes it.
    after_space: bool,
    prefix_search: bool,
    limits: TermLimits,
}

pub(crate) fn parse(tokens: &[Token<'_>], prefix_search: bool, limits: TermLimits) -> ParsedQuery {
    let mut parser = Parser {
        parsed: ParsedQuery::default(),
        phrase: None,
        position: None,
        hard_separator: false,
        negated: false,
        after_space: true,
        prefix_search,
        limits,
    };
    let tokens = &tokens[..tokens.len().min(MAX_TOKENS)];
    for (place, token) in tokens.iter().enumerate() {
        if parser.parsed.terms.len() >= limits.most {
            break;
        }
        match token.kind {
            // Control characters leave an empty lemma.
            TokenKind::Word if token.lemma.is_empty() => continue,
            TokenKind::Word | TokenKind::StopWord => {
                parser.word(token, place + 1 == tokens.len());
            }
            TokenKind::SoftSeparator | TokenKind::HardSeparator => parser.separator(token),
        }
        parser.after_space = token.lemma.ends_with(char::is_whitespace);
    }
    parser.close_phrase();
    parser.parsed
}

impl Parser {
    fn word(&mut self, token: &Token<'_>, is_last: bool) {
        let step = if self.hard_separator { 8 } else { 1 };
        let position = self.position.map_or(0, |before| before + step);
        self.position = Some(position);
        self.hard_separator = false;
        let is_word = token.kind == TokenKind::Word;
        let word = token.lemma.as_ref().to_owned();
        if let Some(phrase) = &mut self.phrase {
            phrase.push(is_word.then_some(word), position);
        } else if std::mem::take(&mut self.negated) {
            self.parsed.unwanted_words.push(word);
        } else if is_word || is_last {
            let text = TermText::Word { word, is_prefix: is_last && self.prefix_search };
            self.add_term(text, position, position);
        }
    }

    fn separator(&mut self, token: &Token<'_>) {
        let is_hard = token.kind == TokenKind::HardSeparator;
        self.hard_separator |= is_hard;
        if is_hard && let Some(phrase) = &self.phrase {
            // The phrase ends here, and another one follows.
            let is_unwanted = phrase.is_unwanted;
            self.close_phrase();
            self.phrase = Some(OpenPhrase { is_unwanted, ..OpenPhrase::default() });
        }
        let mut quotes = token.lemma.matches('"').count();
        if quotes > 0 {
            if self.phrase.is_some() {
                quotes -= 1;
                self.close_phrase();
            }
            if quotes % 2 == 1 {
                let is_unwanted = self.negated;
                self.phrase = Some(OpenPhrase { is_unwanted, ..OpenPhrase::default() });
            }
        }
        self.negated = self.phrase.is_none() && token.lemma == "-" && self.after_space;
    }

    fn close_phrase(&mut self) {
        let Some(phrase) = self.phrase.take() else {
            return;
        };
        if phrase.words.iter().all(Option::is_none) {
            return;
        }
        if phrase.is_unwanted {
            self.parsed.unwanted_phrases.push(phrase.words);
        } else {
            let OpenPhrase { words, first, last, .. } = phrase;
            self.add_term(TermText::Phrase(words), first, last);
        }
    }

    fn add_term(&mut self, text: TermText, first: u32, last: u32) {
        let terms = &mut self.parsed.terms;
        let is_distinct = terms.len() >= self.limits.distinct_from;
        match terms.iter_mut().find(|term| is_distinct && term.text == text) {
            Some(known) => known.times += 1,
            None => terms.push(ParsedTerm { text, times: 1, first, last }),
        }
    }
}

impl OpenPhrase {
    fn push(&mut self, word: Option<String>, position: u32) {
        if self.words.iter().all(Option::is_none) {
            self.first = position;
        }
        self.last = position;
        self.words.push(word);
    }
}

#[cfg(test)]
mod tests {
    use text::{Tokenizer, WordLists};

    use super::*;

    fn shown(query: &str) -> String {
        shown_within(TermLimits::REFERENCE, query)
    }

    fn shown_within(limits: TermLimits, query: &str) -> String {
        let lists = WordLists {
            stop_words: ["of".to_owned(), "the".to_owned()].into(),
            ..WordLists::default()
        };
        let tokenizer = Tokenizer::new(lists);
        let parsed = parse(&tokenizer.tokens(query, &[]), true, limits);
        let phrase = |words: &Phrase| {
            let words: Vec<&str> =
                words.iter().map(|word| word.as_deref().unwrap_or("*")).collect();
            format!("\"{}\"", words.join(" "))
        };
        let mut parts = Vec::new();
        for term in &parsed.terms {
            let text = match &term.text {
                TermText::Word { word, is_prefix: true } => format!("{word}…"),
                TermText::Word { word, .. } => word.clone(),
                TermText::Phrase(words) => phrase(words),
            };
            let times = if term.times > 1 { format!("×{}", term.times) } else { String::new() };
            parts.push(format!("{text}{times}@{}", term.first));
        }
        parts.extend(parsed.unwanted_words.iter().map(|word| format!("-{word}")));
        parts.extend(parsed.unwanted_phrases.iter().map(|words| format!("-{}", phrase(words))));
        parts.join(" ")
    }

    #[test]
    fn words_and_their_positions() {
        assert_eq!(shown("red lamp"), "red@0 lamp…@1");
        assert_eq!(shown("red lamp "), "red@0 lamp@1");
        assert_eq!(shown("salt, pepper "), "salt@0 pepper@8");
        assert_eq!(shown("! zebra!! fox"), "zebra@0 fox…@8");
        assert_eq!(shown("lord of rings "), "lord@0 rings@2");
        assert_eq!(shown("of "), "");
        assert_eq!(shown("of"), "of…@0");
        assert_eq!(shown("a b c d e f g h i j k"), "a@0 b@1 c@2 d@3 e@4 f@5 g@6 h@7 i@8 j@9");
    }

    #[test]
    fn long_questions() {
        let question = "a b a d e f g h i j k a \"k k\" -l k k";
        let ten = "a@0 b@1 a@2 d@3 e@4 f@5 g@6 h@7 i@8 j@9";
        assert_eq!(shown(question), ten);
        let further = "k×2@10 \"k k\"@12 k…@16 -l";
        let with_bm25 = format!("{} {further}", ten.replacen('a', "a×2", 1));
        assert_eq!(shown_within(TermLimits::WITH_BM25, question), with_bm25);
        let any = format!("{} {further}", ten.replacen('a', "a×3", 1).replace(" a@2", ""));
        assert_eq!(shown_within(TermLimits::ANY, question), any);
        let words: Vec<String> = (0..100).map(|number| format!("w{number}")).collect();
        let many = shown_within(TermLimits::ANY, &words.join(" "));
        assert!(many.ends_with(" w63@63"), "{many}");
    }

    #[test]
    fn phrases() {
        assert_eq!(shown("\"green tea\" leaf"), "\"green tea\"@0 leaf…@2");
        assert_eq!(shown("\"green tea"), "\"green tea\"@0");
        assert_eq!(shown("\"the lord of the"), "\"* lord * *\"@1");
        assert_eq!(shown("\"of the\" x "), "x@2");
        assert_eq!(shown("\"one. two\" x "), "\"one\"@0 \"two\"@8 x@9");
    }

    #[test]
    fn excluded_words_and_phrases_are_parsed() {
        assert_eq!(shown("tea -green"), "tea@0 -green");
        assert_eq!(shown("tea - green"), "tea@0 green…@1");
        assert_eq!(shown("tea-green "), "tea@0 green@1");
        assert_eq!(shown("-\"green tea\" x "), "x@2 -\"green tea\"");
    }
}
