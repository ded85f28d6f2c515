//! Chooses the part of a long text that is shown: the neighbourhood of its best matches.

use std::cmp::Reverse;
use std::ops::Range;

use text::{Token, TokenKind};

use super::matcher::{Match, Terms};

/// Matches further apart than this count as equally far.
const FAR: usize = 7;

/// Returns the bytes of the part of the text that holds at most `length` words. Separators at its
/// ends are left out unless they are the ends of the text.
pub fn crop_window(
    text: &str,
    tokens: &[Token<'_>],
    matches: &[Match],
    length: usize,
) -> Range<usize> {
    let window = match best_run(matches, length) {
        None => Window { tokens, start: 0, end: 0, missing: length },
        Some(run) => {
            let (first, last) = (&matches[run.start], &matches[run.end - 1]);
            let words = last.last_word - first.first_word + 1;
            if words > length {
                return cut_phrase(tokens, first, length);
            }
            let (start, end) = (first.first_token, last.last_token + 1);
            Window { tokens, start, end, missing: length - words }
        }
    };
    window.grown().bytes(text)
}

/// Returns the first words of a phrase that is too long for the window.
fn cut_phrase(tokens: &[Token<'_>], phrase: &Match, length: usize) -> Range<usize> {
    let inside = &tokens[phrase.first_token..=phrase.last_token];
    let last = inside.iter().filter(|token| !token.is_separator()).take(length).last();
    phrase.bytes.start..last.map_or(phrase.bytes.end, |token| token.byte_end)
}

/// Returns the best of the maximal runs of matches that fit into the window, the first of equals;
/// the first match if none fits.
fn best_run(matches: &[Match], length: usize) -> Option<Range<usize>> {
    if matches.is_empty() {
        return None;
    }
    let mut best: Option<(Score, Range<usize>)> = None;
    let mut run = Run::new(matches);
    for next in matches {
        let is_too_far = |first: &Match| next.last_word - first.first_word >= length;
        if run.first().is_some_and(is_too_far) {
            run.compare_with(&mut best);
            while run.first().is_some_and(is_too_far) {
                run.remove_first();
            }
        }
        if is_too_far(next) {
            run.skip();
        } else {
            run.add();
        }
    }
    run.compare_with(&mut best);
    Some(best.map_or(0..1, |(_, run)| run))
}

/// Distinct words of the query, then sum of the distances, then neighbours in the query's order.
type Score = (usize, Reverse<usize>, usize);

/// A run of matches with an incrementally updated score, so that texts with many matches are
/// scanned once.
struct Run<'m> {
    matches: &'m [Match],
    range: Range<usize>,
    /// The number of matches by word of the query.
    counts: Vec<u32>,
    distinct: usize,
    distance: usize,
    in_order: usize,
}

impl<'m> Run<'m> {
    fn new(matches: &'m [Match]) -> Self {
        let terms = matches.iter().map(|found| usize::from(found.terms.last) + 1).max();
        let counts = vec![0; terms.unwrap_or(0)];
        Self { matches, range: 0..0, counts, distinct: 0, distance: 0, in_order: 0 }
    }

    fn first(&self) -> Option<&'m Match> {
        self.matches[self.range.clone()].first()
    }

    fn add(&mut self) {
        let next = &self.matches[self.range.end];
        if let Some(last) = self.matches[self.range.clone()].last() {
            self.distance += distance(last, next);
            self.in_order += usize::from(is_in_order(last, next));
        }
        for term in terms(next.terms) {
            self.distinct += usize::from(self.counts[term] == 0);
            self.counts[term] += 1;
        }
        self.range.end += 1;
    }

    fn remove_first(&mut self) {
        let first = &self.matches[self.range.start];
        self.range.start += 1;
        if let Some(second) = self.first() {
            self.distance -= distance(first, second);
            self.in_order -= usize::from(is_in_order(first, second));
        }
        for term in terms(first.terms) {
            self.counts[term] -= 1;
            self.distinct -= usize::from(self.counts[term] == 0);
        }
    }

    /// Skips a match that fits into no window; the run is empty then.
    fn skip(&mut self) {
        self.range = self.range.end + 1..self.range.end + 1;
    }

    fn compare_with(&self, best: &mut Option<(Score, Range<usize>)>) {
        if self.range.is_empty() {
            return;
        }
        let score = (self.distinct, Reverse(self.distance), self.in_order);
        if best.as_ref().is_none_or(|(best, _)| score > *best) {
            *best = Some((score, self.range.clone()));
        }
    }
}

fn terms(terms: Terms) -> impl Iterator<Item = usize> {
    (terms.first..=terms.last).map(usize::from)
}

fn distance(left: &Match, right: &Match) -> usize {
    (right.first_word - left.last_word).min(FAR)
}

fn is_in_order(left: &Match, right: &Match) -> bool {
    right.terms.first > left.terms.first
}

/// A window that grows token by token until it has all its words.
struct Window<'w, 't> {
    tokens: &'w [Token<'t>],
    start: usize,
    end: usize,
    missing: usize,
}

impl Window<'_, '_> {
    fn grown(mut self) -> Self {
        while self.missing > 0 {
            match (self.left(), self.right()) {
                (None, None) => break,
                (Some(left), None) => self.take_left(left),
                (None, Some(right)) => self.take_right(right),
                (Some(left), Some(right)) => self.grow_between(left, right),
            }
        }
        self
    }

    /// Grows by one step where there is text on both sides: towards a word rather than a separator,
    /// through a soft separator rather than a hard one.
    fn grow_between(&mut self, left: Side, right: Side) {
        match (left, right) {
            (Side::Word, Side::Word) => {
                self.take_left(left);
                if self.missing > 0 {
                    self.take_right(right);
                }
            }
            (Side::Word, _) => self.take_left(left),
            (_, Side::Word) => self.take_right(right),
            _ if left == right => {
                self.take_left(left);
                // Otherwise the separator would be before the marker.
                if self.missing > 1 {
                    self.take_right(right);
                }
            }
            (Side::Soft, Side::Hard) => self.take_left(left),
            _ => self.take_right(right),
        }
    }

    fn left(&self) -> Option<Side> {
        self.start.checked_sub(1).map(|at| Side::of(&self.tokens[at]))
    }

    fn right(&self) -> Option<Side> {
        self.tokens.get(self.end).map(Side::of)
    }

    fn take_left(&mut self, side: Side) {
        self.start -= 1;
        self.missing -= usize::from(side == Side::Word);
    }

    fn take_right(&mut self, side: Side) {
        self.end += 1;
        self.missing -= usize::from(side == Side::Word);
    }

    fn bytes(&self, text: &str) -> Range<usize> {
        let start = self.start.checked_sub(1).map_or(0, |before| self.tokens[before].byte_end);
        start..self.tokens.get(self.end).map_or(text.len(), |after| after.byte_start)
    }
}

/// The side of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Word,
    Soft,
    Hard,
}

impl Side {
    fn of(token: &Token<'_>) -> Self {
        match token.kind {
            TokenKind::Word | TokenKind::StopWord => Side::Word,
            TokenKind::SoftSeparator => Side::Soft,
            TokenKind::HardSeparator => Side::Hard,
        }
    }
}
