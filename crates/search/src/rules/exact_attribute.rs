//! The first step of `exactness`: whether an attribute equals the query, or begins with it.

use std::borrow::Cow;
use std::rc::Rc;

use roaring::RoaringBitmap;
use segment::text::{DocumentTokens, FIRST_WORD, positions_of, rounded_position};

use super::{Bucket, Rule, short_fields};
use crate::context::{Context, SegmentView};
use crate::error::SearchError;
use crate::graph::{Node, Path};
use crate::parse::Phrase;
use crate::score::{ExactAttribute, Score};

/// Longer fields are never an exact match.
const LONGEST_FIELD: usize = 30;

pub(crate) struct ExactAttributeRule {
    paths: Rc<Vec<Path>>,
    universe: RoaringBitmap,
    buckets: Option<std::vec::IntoIter<(ExactAttribute, RoaringBitmap)>>,
}

/// Decides whether an attribute of a document equals the query.
pub(crate) struct ExactJudge {
    length: usize,
    /// Tokens with their bucketed positions, by segment; `None` where a word is missing.
    tokens: Vec<Option<Vec<(u32, u32)>>>,
    /// The only documents that can match.
    pub candidates: RoaringBitmap,
}

impl ExactJudge {
    /// Returns `None` if no document can match.
    pub fn new(
        context: &Context<'_>,
        paths: &[Path],
        universe: &RoaringBitmap,
    ) -> Result<Option<Self>, SearchError> {
        let Some(wanted) = TypedWords::of(paths) else {
            return Ok(None);
        };
        let mut candidates = universe.clone();
        for (word, _) in &wanted.words {
            candidates &= &*context.word_documents(word)?;
        }
        let tokens = context.segments.iter().map(|view| wanted.tokens_in(view.text)).collect();
        Ok(Some(Self { length: wanted.length, tokens, candidates }))
    }

    /// Returns the candidates that can be exact matches. Others can at most begin with the query.
    pub fn possible_matches(&self, context: &Context<'_>) -> Result<RoaringBitmap, SearchError> {
        let mut possible = RoaringBitmap::new();
        for (view, tokens) in context.segments.iter().zip(&self.tokens) {
            let short = match tokens {
                Some(tokens) => short_fields::documents(view, tokens)?,
                None => Some(RoaringBitmap::new()),
            };
            let short = short.map_or(Cow::Borrowed(view.text.doc_ids()), Cow::Owned);
            possible |= &*short & &self.candidates;
        }
        Ok(possible)
    }

    pub fn judge(
        &self,
        view: &SegmentView<'_>,
        segment: usize,
        document: DocumentTokens<'_>,
    ) -> ExactAttribute {
        let Some(tokens) = &self.tokens[segment] else {
            return ExactAttribute::NoExactMatch;
        };
        document
            .fields()
            .filter(|field| view.role(field.field()).is_searched)
            .map(|field| match_of(field, tokens, self.length))
            .min()
            .unwrap_or(ExactAttribute::NoExactMatch)
    }
}

/// The words that must be at their own positions of the query.
struct TypedWords {
    /// Word and its bucketed position in the query.
    words: Vec<(String, u32)>,
    /// Number of positions of the query that they cover.
    length: usize,
}

impl ExactAttributeRule {
    pub fn new(paths: Rc<Vec<Path>>, universe: RoaringBitmap) -> Self {
        Self { paths, universe, buckets: None }
    }

    fn fill(
        &self,
        context: &Context<'_>,
    ) -> Result<Vec<(ExactAttribute, RoaringBitmap)>, SearchError> {
        let mut exact = RoaringBitmap::new();
        let mut start = RoaringBitmap::new();
        if let Some(judge) = ExactJudge::new(context, &self.paths, &self.universe)? {
            for (number, view) in context.segments.iter().enumerate() {
                let here = (&judge.candidates & view.text.doc_ids()) - view.deleted;
                let mut cursor = view.text.tokens();
                for doc_id in &here {
                    let Some(document) = cursor.seek(doc_id)? else {
                        continue;
                    };
                    match judge.judge(view, number, document) {
                        ExactAttribute::ExactMatch => drop(exact.insert(doc_id)),
                        ExactAttribute::MatchesStart => drop(start.insert(doc_id)),
                        ExactAttribute::NoExactMatch => {}
                    }
                }
            }
        }
        let rest = &self.universe - &exact - &start;
        let buckets = [
            (ExactAttribute::ExactMatch, exact),
            (ExactAttribute::MatchesStart, start),
            (ExactAttribute::NoExactMatch, rest),
        ];
        Ok(buckets.into_iter().filter(|(_, documents)| !documents.is_empty()).collect())
    }
}

impl Rule for ExactAttributeRule {
    fn next_bucket(&mut self, context: &Context<'_>) -> Result<Option<Bucket>, SearchError> {
        if self.buckets.is_none() {
            self.buckets = Some(self.fill(context)?.into_iter());
        }
        let next = self.buckets.as_mut().and_then(Iterator::next);
        Ok(next.map(|(kind, documents)| Bucket {
            documents,
            paths: Rc::clone(&self.paths),
            score: Score::ExactAttribute(kind),
        }))
    }
}

impl TypedWords {
    /// Returns the terms that still have an exact form, if they are the first ones of the query
    /// without a gap.
    fn of(paths: &[Path]) -> Option<Self> {
        let mut nodes: Vec<&Rc<Node>> =
            paths.iter().flatten().filter(|node| node.allows_exact()).collect();
        nodes.sort_by_key(|node| node.first_term);
        nodes.dedup_by_key(|node| node.first_term);
        let starts = nodes.iter().map(|node| node.first_term);
        if nodes.is_empty() || !starts.eq(0..nodes.len() as u32) {
            return None;
        }
        let mut wanted = Self { words: Vec::new(), length: 0 };
        for node in nodes {
            let single: Phrase;
            let phrase = match &node.term.phrase {
                Some(phrase) => phrase,
                None => {
                    single = vec![Some(node.term.word.clone())];
                    &single
                }
            };
            for (place, word) in phrase.iter().enumerate() {
                if let Some(word) = word {
                    let position = node.first_position + place as u32;
                    wanted.words.push((word.clone(), rounded_position(position)));
                }
            }
            wanted.length += (node.last_position - node.first_position + 1) as usize;
        }
        Some(wanted)
    }

    fn tokens_in(&self, text: &segment::text::TextReader) -> Option<Vec<(u32, u32)>> {
        let token = |(word, position): &(String, u32)| {
            Some((text.ordinal(word.as_bytes())? + FIRST_WORD, *position))
        };
        self.words.iter().map(token).collect()
    }
}

fn match_of(
    field: segment::text::FieldTokens<'_>,
    wanted: &[(u32, u32)],
    length: usize,
) -> ExactAttribute {
    let mut missing: Vec<(u32, u32)> = wanted.to_vec();
    let furthest = wanted.iter().map(|(_, position)| *position).max().unwrap_or(0);
    let (mut words, mut position) = (0, 0);
    for token in field.iter() {
        if token < FIRST_WORD {
            position += positions_of(token);
            continue;
        }
        words += 1;
        let bucket = rounded_position(position);
        missing.retain(|one| *one != (token, bucket));
        position += 1;
        // The result can no longer change.
        if bucket > furthest && (!missing.is_empty() || words > length) {
            break;
        }
    }
    if !missing.is_empty() {
        ExactAttribute::NoExactMatch
    } else if words == length && words <= LONGEST_FIELD {
        ExactAttribute::ExactMatch
    } else {
        ExactAttribute::MatchesStart
    }
}
