//! Splits a term into tiers of likelihood. For a word that is not in the index, words that were
//! more likely meant count more.

use std::collections::BTreeMap;
use std::rc::Rc;

use roaring::RoaringBitmap;

use crate::context::{Context, SegmentView};
use crate::error::SearchError;
use crate::graph::Node;
use crate::likelihood;
use crate::node_key::Breadth;
use crate::node_key::{ALL_LEVELS, TermId};
use crate::term::Term;
use crate::word_set::WordSet;

/// Words and phrases of a term that are about equally likely.
pub(super) struct TermTier {
    pub node: Rc<Node>,
    pub tier: Tier,
}

/// Likelihood relative to the likeliest words: occurrences count by 2 to the power of minus the
/// tier.
pub(super) type Tier = u8;

/// The tier of the least likely words.
const LAST_TIER: Tier = 15;
/// Among more completions than this, one was most likely meant.
const FEW_COMPLETIONS: usize = 64;
/// Above the ids of all terms of queries.
const FIRST_ID: TermId = 1000;

/// Returns the weight of an occurrence of a word of a tier.
#[inline]
pub(super) fn share(tier: Tier) -> f64 {
    1.0 / f64::from(1_u32 << tier.min(LAST_TIER))
}

impl TermTier {
    /// Returns the documents of a segment with one of its phrases.
    pub fn phrase_documents(
        &self,
        context: &Context<'_>,
        view: &SegmentView<'_>,
    ) -> Result<RoaringBitmap, SearchError> {
        Ok(self.node.phrase_documents(context)? & view.text.doc_ids())
    }
}

/// Returns a single tier with the whole term.
pub(super) fn whole(node: &Rc<Node>) -> Vec<TermTier> {
    vec![TermTier { node: Rc::clone(node), tier: 0 }]
}

/// A word in the dictionary of a segment.
struct Variant {
    segment: usize,
    level: usize,
    ordinal: u32,
    text: String,
}

/// Splits a word that is not in the index as typed.
pub(super) fn by_likelihood(
    context: &Context<'_>,
    node: &Rc<Node>,
) -> Result<Vec<TermTier>, SearchError> {
    let term = &node.term;
    if term.phrase.is_some() {
        return Ok(whole(node));
    }
    let variants = variants(context, term);
    let likelihoods = likelihoods(context, term, &variants)?;
    let of_completions = of_completions(context, term)?;
    let of_split = match &term.split {
        Some(split) => Some(likelihood::of_split(context.phrase_documents(split)?.len())),
        None => None,
    };
    let all = likelihoods.values().copied().chain(of_split).chain(of_completions);
    let best = all.fold(f64::NEG_INFINITY, f64::max);
    let tier = |likelihood: f64| {
        let halvings = (best - likelihood) * std::f64::consts::LOG2_E;
        (halvings.round() as Tier).min(LAST_TIER)
    };
    let mut tiers: BTreeMap<Tier, Term> = BTreeMap::new();
    if !term.synonyms.is_empty() {
        let part = tiers.entry(0).or_insert_with(|| empty_part(term, 0));
        part.synonyms.clone_from(&term.synonyms);
    }
    let of_completions = of_completions.map_or(0, tier);
    for (segment, levels) in term.words.iter().enumerate() {
        if levels[0].prefixed.is_some() {
            let part = tiers.entry(of_completions);
            let part = part.or_insert_with(|| empty_part(term, of_completions));
            part.words[segment][0].prefixed.clone_from(&levels[0].prefixed);
        }
    }
    for variant in variants {
        let tier = likelihoods.get(&variant.text).map_or(LAST_TIER, |found| tier(*found));
        let part = tiers.entry(tier).or_insert_with(|| empty_part(term, tier));
        part.words[variant.segment][variant.level].ordinals.push(variant.ordinal);
    }
    if let Some(likelihood) = of_split {
        let tier = tier(likelihood);
        let part = tiers.entry(tier).or_insert_with(|| empty_part(term, tier));
        part.split.clone_from(&term.split);
    }
    let part = |(tier, term): (Tier, Term)| {
        let node = Node {
            term: Rc::new(term),
            levels: ALL_LEVELS,
            breadth: Breadth::Full,
            ..(**node).clone()
        };
        TermTier { node: Rc::new(node), tier }
    };
    Ok(tiers.into_iter().map(part).collect())
}

/// Returns the words of a term, except those that begin with it.
fn variants(context: &Context<'_>, term: &Term) -> Vec<Variant> {
    let mut variants = Vec::new();
    for (segment, (levels, view)) in term.words.iter().zip(&context.segments).enumerate() {
        for (level, words) in levels.iter().enumerate() {
            for ordinal in words.others() {
                let word = view.text.word(ordinal).and_then(|word| String::from_utf8(word).ok());
                let text = word.unwrap_or_default();
                variants.push(Variant { segment, level, ordinal, text });
            }
        }
    }
    variants
}

/// Returns the log-likelihood that the word is unfinished; `None` if no words or too many begin
/// with it.
fn of_completions(context: &Context<'_>, term: &Term) -> Result<Option<f64>, SearchError> {
    let ranges = || {
        let prefixed = term.words.iter().map(|levels| levels[0].prefixed.clone());
        prefixed.zip(&context.segments).filter_map(|(range, view)| Some((range?, view)))
    };
    if ranges().map(|(range, _)| range.len()).sum::<usize>() > FEW_COMPLETIONS {
        return Ok(None);
    }
    let mut most = None;
    for (range, view) in ranges() {
        for ordinal in range {
            most = most.max(Some(u64::from(view.text.document_count(ordinal)?)));
        }
    }
    Ok(most.map(likelihood::of_completions))
}

/// Returns the log-likelihood of each word.
fn likelihoods(
    context: &Context<'_>,
    term: &Term,
    variants: &[Variant],
) -> Result<BTreeMap<String, f64>, SearchError> {
    let mut documents: BTreeMap<&str, u64> = BTreeMap::new();
    for variant in variants {
        let count = context.segments[variant.segment].text.document_count(variant.ordinal)?;
        *documents.entry(&variant.text).or_default() += u64::from(count);
    }
    let typed: Vec<char> = term.word.chars().collect();
    let likelihood = |(word, documents): (&str, u64)| {
        let letters: Vec<char> = word.chars().collect();
        (word.to_owned(), likelihood::of_word(&typed, &letters, term.is_prefix, documents))
    };
    Ok(documents.into_iter().map(likelihood).collect())
}

fn empty_part(term: &Term, tier: Tier) -> Term {
    Term {
        id: FIRST_ID + term.id * TermId::from(LAST_TIER + 1) + TermId::from(tier),
        word: term.word.clone(),
        phrase: None,
        parts: Vec::new(),
        is_prefix: term.is_prefix,
        budget: term.budget,
        has_exact: false,
        words: term.words.iter().map(|_| <[WordSet; 3]>::default()).collect(),
        stems: Vec::new(),
        synonyms: Vec::new(),
        split: None,
    }
}
