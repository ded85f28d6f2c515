//! What a rule costs, as sets of documents: how far apart the words of two neighbours stand, and
//! how far the words of a node are from where they should be. Segments keep such sets, so that
//! documents need not be looked into for what was found out before. Only single words count here;
//! documents in which several words in a row stand for a node are not for these sets.

use std::ops::Range;

use roaring::RoaringBitmap;
use segment::SegmentError;
use segment::text::{Classes, DocumentTokens, TextReader};

use crate::context::{Context, SegmentView};
use crate::graph::Node;
use crate::query::SearchError;
use crate::rules::{FAR, apart_in_stream, position_cost, telling_beginning};
use crate::scan::{DOCUMENTS_BETWEEN_CHECKS, Occurrences, Reach, Table};

/// Documents by what they cost, those that cost nothing first. All others cost `rest`, or more.
pub(super) struct CostSets {
    pub sets: Vec<RoaringBitmap>,
    pub rest: u32,
    /// Whether others cost exactly `rest`.
    pub is_rest_exact: bool,
}

/// What is farther from its position is not told apart by sets: each more divides them further.
const NEAR_POSITION_COSTS: u32 = 3;

/// Looking through so many times the documents of the universe is worth it: the result may serve
/// others too.
const WORTH_TIMES: u64 = 2;

/// The kinds of subjects that segments keep sets of.
const PROXIMITY: u32 = 0;
const POSITION: u32 = 1;

/// What two neighbours cost by how far apart they stand; nothing where finding out would take
/// longer than to look into the documents of a universe of so many.
pub(super) fn of_neighbours(
    context: &Context<'_>,
    left: &Node,
    right: &Node,
    universe: u64,
) -> Result<Option<CostSets>, SearchError> {
    let both = left.documents(context)?.intersection_len(&*right.documents(context)?);
    let mut sets = vec![RoaringBitmap::new(); FAR as usize];
    for (number, view) in context.segments.iter().enumerate() {
        let (Some(lefts), Some(rights)) = (left.word_ranges(number), right.word_ranges(number))
        else {
            return Ok(None);
        };
        if !is_simple(view) {
            return Ok(None);
        }
        if lefts.is_empty() || rights.is_empty() {
            continue;
        }
        let mut subject = vec![PROXIMITY, lefts.len() as u32];
        add_ranges(&lefts, &mut subject);
        add_ranges(&rights, &mut subject);
        let classes = match view.text.kept_classes(&subject) {
            Some(kept) => kept,
            None if !is_affordable(both, universe) => return Ok(None),
            None => {
                let candidates =
                    documents_of(view.text, &lefts)? & documents_of(view.text, &rights)?;
                let mut meter = NeighbourMeter::new(&lefts, &rights);
                let found = classify(context, view, &subject, &candidates, sets.len(), |tokens| {
                    meter.apart(view, tokens)
                })?;
                let Some(found) = found else {
                    return Ok(None);
                };
                found
            }
        };
        unite(&mut sets, &classes, view);
    }
    Ok(Some(CostSets { sets, rest: FAR, is_rest_exact: true }))
}

/// What a node costs by where its words stand; nothing as above.
pub(super) fn of_position(
    context: &Context<'_>,
    node: &Node,
    universe: u64,
) -> Result<Option<CostSets>, SearchError> {
    let documents = node.documents(context)?.len();
    let mut sets = vec![RoaringBitmap::new(); NEAR_POSITION_COSTS as usize];
    for (number, view) in context.segments.iter().enumerate() {
        let Some(ranges) = node.word_ranges(number).filter(|_| is_simple(view)) else {
            return Ok(None);
        };
        if ranges.is_empty() {
            continue;
        }
        let mut subject = vec![POSITION, node.first_position, node.size()];
        add_ranges(&ranges, &mut subject);
        let classes = match view.text.kept_classes(&subject) {
            Some(kept) => kept,
            None if !is_affordable(documents, universe) => return Ok(None),
            None => {
                let candidates = documents_of(view.text, &ranges)?;
                let table = table_of(&ranges);
                let mut occurrences = Occurrences::new(1);
                let beginning = telling_beginning(node.first_position);
                let cost = |tokens: DocumentTokens<'_>| {
                    occurrences.gather(view, &table, tokens, Some(beginning));
                    let costs =
                        occurrences.of(0).iter().map(|place| position_cost(node, place.position));
                    costs.min().unwrap_or(NEAR_POSITION_COSTS)
                };
                let found = classify(context, view, &subject, &candidates, sets.len(), cost)?;
                let Some(found) = found else {
                    return Ok(None);
                };
                found
            }
        };
        unite(&mut sets, &classes, view);
    }
    Ok(Some(CostSets { sets, rest: NEAR_POSITION_COSTS, is_rest_exact: false }))
}

fn is_affordable(documents: u64, universe: u64) -> bool {
    documents <= WORTH_TIMES * universe
}

/// The documents of a segment by what they cost; nothing when the time for ranking is over.
fn classify(
    context: &Context<'_>,
    view: &SegmentView<'_>,
    subject: &[u32],
    candidates: &RoaringBitmap,
    count: usize,
    mut cost: impl FnMut(DocumentTokens<'_>) -> u32,
) -> Result<Option<Classes>, SearchError> {
    let mut seen = 0_usize;
    let found = view.text.classify(subject, candidates, count, |tokens| {
        seen += 1;
        if seen.is_multiple_of(DOCUMENTS_BETWEEN_CHECKS) {
            context.check_wanted().map_err(Stop::Failed)?;
            if context.is_late() {
                return Err(Stop::Late);
            }
        }
        Ok(cost(tokens) as usize)
    });
    match found {
        Ok(classes) => Ok(Some(classes)),
        Err(Stop::Late) => Ok(None),
        Err(Stop::Failed(error)) => Err(error),
    }
}

/// Why documents are looked into no longer.
enum Stop {
    Late,
    Failed(SearchError),
}

impl From<SegmentError> for Stop {
    fn from(error: SegmentError) -> Self {
        Self::Failed(error.into())
    }
}

/// Whether a result depends on nothing but the words: every attribute is searched, with typos.
fn is_simple(view: &SegmentView<'_>) -> bool {
    !view.is_restricted && !view.has_exact_fields
}

/// Adds the documents of a segment by class, those that are deleted there left out.
fn unite(sets: &mut [RoaringBitmap], classes: &Classes, view: &SegmentView<'_>) {
    for (set, class) in sets.iter_mut().zip(classes.iter()) {
        match view.deleted.is_empty() {
            true if set.is_empty() => set.clone_from(class),
            true => *set |= class,
            false => *set |= class - view.deleted,
        }
    }
}

fn add_ranges(ranges: &[Range<u32>], subject: &mut Vec<u32>) {
    subject.extend(ranges.iter().flat_map(|range| [range.start, range.end]));
}

/// Deleted documents included: what is found is kept for longer than this snapshot.
fn documents_of(text: &TextReader, ranges: &[Range<u32>]) -> Result<RoaringBitmap, SearchError> {
    let mut documents = RoaringBitmap::new();
    for range in ranges {
        documents |= match range.len() {
            1 => text.documents_of(range.start)?,
            _ => text.documents_of_range(range.clone())?,
        };
    }
    Ok(documents)
}

fn table_of(ranges: &[Range<u32>]) -> Table {
    let mut table = Table::default();
    for range in ranges {
        match range.len() {
            1 => table.add_word(range.start, 0, Reach::Everywhere),
            _ => table.add_range(range, 0, Reach::Everywhere),
        }
    }
    table
}

/// Finds the words of the left node and looks around them for those of the right one.
struct NeighbourMeter {
    left: Table,
    right: Table,
    occurrences: Occurrences,
}

impl NeighbourMeter {
    fn new(lefts: &[Range<u32>], rights: &[Range<u32>]) -> Self {
        Self { left: table_of(lefts), right: table_of(rights), occurrences: Occurrences::new(1) }
    }

    fn apart(&mut self, view: &SegmentView<'_>, tokens: DocumentTokens<'_>) -> u32 {
        let mut least = FAR;
        for field in tokens.fields() {
            self.occurrences.gather_field(view, &self.left, field);
            for place in self.occurrences.of(0) {
                let index = place.index as usize;
                least = least.min(apart_in_stream(field, index, |t| self.right.contains(t)));
                if least == 0 {
                    return 0;
                }
            }
        }
        least
    }
}
