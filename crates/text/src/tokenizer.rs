//! The tokenizer of one state of the settings, which combines runs, pieces, normal forms and kinds.

use std::borrow::Cow;

use aho_corasick::AhoCorasick;
use charabia::Language;
use charabia::segmenter::DEFAULT_SEPARATOR_AHO;

use crate::chars::info;
use crate::cut::{self, CutEvent, Piece};
use crate::lists::{Lists, WordLists};
use crate::normalize::Treatment;
use crate::runs::{Run, Runs};
use crate::segmenter::Segmenter;
use crate::token::{Token, TokenKind};
use crate::words::{WordEvent, Words};

/// Cuts texts into words. It is built once for each state of the settings and then shared.
#[derive(Debug)]
pub struct Tokenizer {
    lists: Lists,
}

/// Buffers that are reused from one text to the next.
#[derive(Debug, Default)]
pub struct Scratch {
    lemma: String,
    plain: String,
    lower: String,
}

/// A piece of the text with its normal form.
struct Normalized<'t, 's> {
    kind: TokenKind,
    original: &'t str,
    /// Start in its run, in bytes.
    start: usize,
    lemma: &'s str,
    treatment: Treatment,
}

/// The pieces of which lemmas are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LemmaScope {
    All,
    /// Words only; separators are only counted.
    Words,
}

impl Tokenizer {
    pub fn new(lists: WordLists) -> Self {
        Self { lists: Lists::new(lists) }
    }

    /// Returns every token of the text in order; together they cover it. `languages` restricts the
    /// choice of language; an empty list does not.
    pub fn tokens<'t>(&self, text: &'t str, languages: &[Language]) -> Vec<Token<'t>> {
        self.first_tokens(text, languages, usize::MAX)
    }

    /// Returns the first tokens of the text, at most `most`.
    pub fn first_tokens<'t>(
        &self,
        text: &'t str,
        languages: &[Language],
        most: usize,
    ) -> Vec<Token<'t>> {
        let mut tokens = Vec::new();
        let mut scratch = Scratch::default();
        self.for_each_run(text, |run| {
            let (segmenter, treatment) = run.judge(languages);
            self.normalize(run, segmenter, treatment, LemmaScope::All, &mut scratch, |piece| {
                if tokens.len() >= most {
                    return;
                }
                let byte_start = run.start + piece.start;
                let unchanged = piece.lemma == piece.original;
                tokens.push(Token {
                    kind: piece.kind,
                    byte_start,
                    byte_end: byte_start + piece.original.len(),
                    char_map: piece.treatment.char_map(piece.original, piece.lemma),
                    lemma: if unchanged {
                        Cow::Borrowed(piece.original)
                    } else {
                        Cow::Owned(piece.lemma.to_owned())
                    },
                });
            });
        });
        tokens
    }

    /// Calls `each` with the words of a text in order, and with the separators that matter for
    /// positions. Text that needs no dictionary causes no allocations.
    pub fn for_each_word(
        &self,
        text: &str,
        languages: &[Language],
        scratch: &mut Scratch,
        mut each: impl FnMut(WordEvent<'_>),
    ) {
        let mut words = Words::default();
        self.for_each_run(text, |run| {
            let (segmenter, treatment) = run.judge(languages);
            if segmenter.is_none() && self.cuts_by_table(run) {
                return self.plain_words(run.text, treatment, scratch, &mut words, &mut each);
            }
            self.normalize(run, segmenter, treatment, LemmaScope::Words, scratch, |piece| {
                words.push(piece.kind, piece.lemma, &mut each);
            });
        });
    }

    /// The hot path. The ASCII part of the run is lower-cased as a whole.
    #[inline]
    fn plain_words(
        &self,
        run: &str,
        treatment: Treatment,
        scratch: &mut Scratch,
        words: &mut Words,
        each: &mut impl FnMut(WordEvent<'_>),
    ) {
        let mut lower = std::mem::take(&mut scratch.lower);
        lower.clear();
        lower.push_str(run);
        if treatment.class.lowers() {
            lower.make_ascii_lowercase();
        }
        let has_stop_words = self.lists.has_stop_words();
        cut::words_by_table(run, |found| match found {
            CutEvent::Word(start, end) if has_stop_words && self.is_stop_word(run, start, end) => {
                words.place(WordEvent::Skip, each);
            }
            CutEvent::Word(start, end) => words.place(WordEvent::Word(&lower[start..end]), each),
            CutEvent::Hard => words.hard_separator(),
            CutEvent::Piece(piece) => {
                self.piece(piece, treatment, LemmaScope::Words, scratch, &mut |piece| {
                    words.push(piece.kind, piece.lemma, each);
                });
            }
        });
        scratch.lower = lower;
    }

    fn is_stop_word(&self, run: &str, start: usize, end: usize) -> bool {
        self.lists.is_stop_word(&run[start..end])
    }

    #[inline]
    fn for_each_run<'t>(&self, text: &'t str, mut each: impl FnMut(Run<'t>)) {
        if text.is_ascii() {
            each(Run::ascii(text));
        } else {
            Runs::new(text).for_each(each);
        }
    }

    fn cuts_by_table(&self, run: Run<'_>) -> bool {
        self.lists.cuts_by_table() && !run.has_long_separators()
    }

    #[inline]
    fn normalize<'t>(
        &self,
        run: Run<'t>,
        segmenter: Segmenter,
        treatment: Treatment,
        scope: LemmaScope,
        scratch: &mut Scratch,
        mut each: impl FnMut(Normalized<'t, '_>),
    ) {
        let cut = |piece: Piece<'t>| {
            if piece.is_listed || segmenter.is_none() {
                return self.piece(piece, treatment, scope, scratch, &mut each);
            }
            segmenter.cut(piece.text, |start, end| {
                self.piece(piece.part(start, end), treatment, scope, scratch, &mut each);
            });
        };
        if self.cuts_by_table(run) {
            cut::by_table(run.text, cut);
        } else {
            cut::by_automaton(run.text, self.automaton(), cut);
        }
    }

    #[inline]
    fn piece<'t>(
        &self,
        piece: Piece<'t>,
        treatment: Treatment,
        scope: LemmaScope,
        scratch: &mut Scratch,
        each: &mut impl FnMut(Normalized<'t, '_>),
    ) {
        let kind = self.kind(&piece, treatment, &mut scratch.plain);
        let is_separator = matches!(kind, TokenKind::SoftSeparator | TokenKind::HardSeparator);
        let skips_lemma = scope == LemmaScope::Words && is_separator;
        let lemma = if piece.is_special && !skips_lemma {
            treatment.lemma(piece.text, &mut scratch.lemma);
            &scratch.lemma
        } else if piece.has_upper && treatment.class.lowers() && !skips_lemma {
            scratch.lemma.clear();
            scratch.lemma.push_str(piece.text);
            scratch.lemma.make_ascii_lowercase();
            &scratch.lemma
        } else {
            piece.text
        };
        each(Normalized { kind, original: piece.text, start: piece.start, lemma, treatment });
    }

    #[inline]
    fn kind(&self, piece: &Piece<'_>, treatment: Treatment, plain: &mut String) -> TokenKind {
        if let Some(separator) = piece.separator {
            return separator;
        }
        if piece.is_cut_by_table && !self.lists.has_stop_words() {
            let may_separate = || piece.text.chars().next().is_some_and(|c| info(c).may_separate);
            if !piece.is_special || !may_separate() {
                return TokenKind::Word;
            }
        }
        if piece.is_special {
            treatment.plain(piece.text, plain);
            self.lists.kind(plain)
        } else {
            self.lists.kind(piece.text)
        }
    }

    fn automaton(&self) -> &AhoCorasick {
        self.lists.automaton().unwrap_or(&DEFAULT_SEPARATOR_AHO)
    }
}
