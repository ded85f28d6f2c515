//! `bm25`, a rule of our own: BM25F over the searched attributes. A word counts the more often it
//! stands in a document, the shorter the attribute is for its kind, the earlier the attribute
//! stands in `searchableAttributes`, and the rarer the word is in the index.
//!
//! A term that is in the index as it was typed counts by that word alone; one that is not counts
//! by its variants. Concatenations do not count: their words do.

use std::rc::Rc;

use roaring::RoaringBitmap;
use segment::DocId;
use settings::Precision;

use super::{Bucket, Rule};
use crate::context::Context;
use crate::graph::{Node, Path};
use crate::node_places::NodeSlots;
use crate::query::SearchError;
use crate::scan::scan;
use crate::score::Score;
use crate::term::ALL_LEVELS;

/// How soon more of the same word stops to count.
const SATURATION: f64 = 1.5;
/// How much the length of an attribute counts.
const LENGTH_SHARE: f64 = 0.75;
/// How much less than its predecessor an attribute counts.
const WEIGHT_STEP: f64 = 0.5;

pub(crate) struct Bm25Rule {
    paths: Rc<Vec<Path>>,
    universe: RoaringBitmap,
    /// Best last.
    ranked: Option<Vec<(f64, DocId)>>,
}

/// A term with the weight of its rarity.
struct Weighed {
    node: Rc<Node>,
    idf: f64,
}

/// By segment and field: weight, and one over the average length.
type FieldScales = Vec<Vec<(f64, f64)>>;

impl Bm25Rule {
    pub fn new(paths: Rc<Vec<Path>>, universe: RoaringBitmap) -> Self {
        Self { paths, universe, ranked: None }
    }

    fn fill(&self, context: &Context<'_>) -> Result<Vec<(f64, DocId)>, SearchError> {
        let terms = weigh(context, &self.paths)?;
        let nodes: Vec<Path> = vec![terms.iter().map(|term| Rc::clone(&term.node)).collect()];
        let slots = NodeSlots::new(context, &nodes);
        let slots_of_terms = slots.of_path(&nodes[0]);
        let scales = field_scales(context);
        let best: f64 = terms.iter().map(|term| term.idf).sum::<f64>().max(f64::MIN_POSITIVE);

        let mut ranked = Vec::with_capacity(self.universe.len() as usize);
        let mut lengths: Vec<f64> = Vec::new();
        let complete = scan(
            context,
            &self.universe,
            &slots.tables,
            slots.slots,
            |segment, doc_id, occurrences| {
                let scales = &scales[segment];
                lengths.clear();
                lengths.resize(scales.len(), 0.0);
                for &(field, tokens) in occurrences.lengths() {
                    lengths[usize::from(field)] = f64::from(tokens);
                }
                let mut score = 0.0;
                for (term, slots) in terms.iter().zip(&slots_of_terms) {
                    let places = slots.places(segment, Precision::ByWord, occurrences);
                    let frequency: f64 = places
                        .single_places()
                        .map(|place| {
                            let field = usize::from(place.field);
                            let (weight, scale) = scales[field];
                            weight / (1.0 + LENGTH_SHARE * (lengths[field] * scale - 1.0))
                        })
                        .sum();
                    score += term.idf * frequency / (SATURATION + frequency);
                }
                ranked.push(((score / best).clamp(0.0, 1.0), doc_id));
                Ok(())
            },
        )?;
        if !complete {
            return Ok(Vec::new());
        }
        // Taken from the end, so the best stand there.
        ranked.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        Ok(ranked)
    }
}

impl Rule for Bm25Rule {
    fn next_bucket(&mut self, context: &Context<'_>) -> Result<Option<Bucket>, SearchError> {
        if self.ranked.is_none() {
            self.ranked = Some(self.fill(context)?);
        }
        let Some(ranked) = &mut self.ranked else {
            return Ok(None);
        };
        let Some(&(score, _)) = ranked.last() else {
            return Ok(None);
        };
        let start = ranked.partition_point(|(other, _)| *other < score);
        let mut documents: Vec<DocId> = ranked.drain(start..).map(|(_, doc_id)| doc_id).collect();
        documents.sort_unstable();
        Ok(Some(Bucket {
            documents: documents.into_iter().collect(),
            paths: Rc::clone(&self.paths),
            score: Score::Bm25(score),
        }))
    }
}

/// The terms of the query, each once, in the form in which they count.
fn weigh(context: &Context<'_>, paths: &[Path]) -> Result<Vec<Weighed>, SearchError> {
    let mut terms: Vec<Weighed> = Vec::new();
    let all = context.live.len() as f64;
    let mut seen = Vec::new();
    for node in paths.iter().flatten() {
        // Whatever the rules before have left of a term, it counts once and as a whole.
        if node.term.is_joined() || seen.contains(&node.term.id) {
            continue;
        }
        seen.push(node.term.id);
        let exact_only = node.term.has_exact;
        let levels = if exact_only { 1 } else { ALL_LEVELS };
        let node = Rc::new(Node { levels, exact_only, ..(**node).clone() });
        let with_term = node.documents(context)?.len() as f64;
        if with_term > 0.0 {
            let idf = (1.0 + (all - with_term + 0.5) / (with_term + 0.5)).ln();
            terms.push(Weighed { node, idf });
        }
    }
    Ok(terms)
}

fn field_scales(context: &Context<'_>) -> FieldScales {
    // The average length of a field over the documents of the whole index that have it.
    let mut totals: hashbrown::HashMap<&str, (u64, u64)> = hashbrown::HashMap::new();
    for view in &context.segments {
        for (field, name) in view.text.fields().iter().enumerate() {
            let of_segment = view.text.field_totals(field as u16);
            let total = totals.entry(name).or_default();
            total.0 += of_segment.documents;
            total.1 += of_segment.tokens;
        }
    }
    let scale = |name: &String, weight: u32| {
        let (documents, tokens) = totals.get(name.as_str()).copied().unwrap_or_default();
        let weight = 1.0 / (1.0 + WEIGHT_STEP * f64::from(weight));
        (weight, documents as f64 / (tokens as f64).max(1.0))
    };
    context
        .segments
        .iter()
        .map(|view| {
            let fields = view.text.fields().iter().zip(&view.roles);
            fields.map(|(name, role)| scale(name, role.weight)).collect()
        })
        .collect()
}
