//! The documents in which neighbours of the query can directly follow each other. They bound what
//! `proximity` costs: at least one for each pair of neighbours that cannot.

use roaring::{MultiOps, RoaringBitmap};

use crate::context::{Context, SegmentView};
use crate::graph::{Node, NodeWords, Path, are_adjacent};
use crate::query::SearchError;
use crate::scan::Reach;

/// Two nodes with more words than this are not looked up.
const MOST_WORDS: usize = 1024;

/// The pairs of neighbours of a query.
#[derive(Default)]
pub(in crate::together) struct Adjacencies {
    pairs: Vec<PairAdjacency>,
}

struct PairAdjacency {
    /// The place of the left node in the path.
    left: usize,
    /// By segment; nothing where that is not known.
    segments: Vec<Option<Adjacent>>,
}

/// The documents of a segment in which a word of one node directly follows one of another.
pub(super) struct Adjacent {
    /// Documents in which it may follow.
    pub possible: RoaringBitmap,
    /// Documents in which it follows for sure.
    pub certain: RoaringBitmap,
}

impl Adjacencies {
    pub fn new(context: &Context<'_>, path: &Path) -> Result<Self, SearchError> {
        let mut pairs = Vec::new();
        for (left, pair) in path.windows(2).enumerate() {
            let (node, next) = (&pair[0], &pair[1]);
            if !are_adjacent(node, next) || node.is_phrase() || next.is_phrase() {
                continue;
            }
            context.check_wanted()?;
            let segments = context.segments.iter().enumerate();
            let segments = segments.map(|(segment, view)| adjacent(view, segment, node, next));
            pairs.push(PairAdjacency { left, segments: segments.collect::<Result<_, _>>()? });
        }
        Ok(Self { pairs })
    }

    /// Documents in which all neighbours of the query follow each other for sure.
    pub fn certain(&self, path: &Path, documents: &RoaringBitmap) -> RoaringBitmap {
        let pairs = path.windows(2).filter(|pair| are_adjacent(&pair[0], &pair[1])).count();
        if self.pairs.len() < pairs {
            return RoaringBitmap::new();
        }
        let mut certain = documents.clone();
        for pair in &self.pairs {
            let known = pair.segments.iter().flatten().map(|adjacent| &adjacent.certain);
            certain &= known.union();
        }
        certain
    }

    /// The adjacency of a node and the next one in a segment, if it is known.
    pub(super) fn of(&self, left: usize, segment: usize) -> Option<&Adjacent> {
        let pair = self.pairs.iter().find(|pair| pair.left == left)?;
        pair.segments.get(segment)?.as_ref()
    }

    /// Documents by how many pairs of neighbours cannot follow each other, the fewest first. Nothing
    /// is known of those that are `unclear`.
    pub fn groups(
        &self,
        context: &Context<'_>,
        universe: &RoaringBitmap,
        unclear: &RoaringBitmap,
    ) -> Vec<RoaringBitmap> {
        let mut groups = vec![universe.clone()];
        for PairAdjacency { segments, .. } in &self.pairs {
            if segments.iter().all(Option::is_none) {
                continue;
            }
            let mut near = unclear.clone();
            for (view, adjacent) in context.segments.iter().zip(segments) {
                near |= adjacent.as_ref().map_or(view.text.doc_ids(), |known| &known.possible);
            }
            groups.push(RoaringBitmap::new());
            for apart in (0..groups.len() - 1).rev() {
                let far = &groups[apart] - &near;
                groups[apart] -= &far;
                groups[apart + 1] |= far;
            }
        }
        groups
    }
}

/// The documents in which a word of the right node may directly follow one of the left node;
/// nothing where that is not known.
fn adjacent(
    view: &SegmentView<'_>,
    segment: usize,
    left: &Node,
    right: &Node,
) -> Result<Option<Adjacent>, SearchError> {
    let text = view.text;
    if !text.has_occurrences() {
        return Ok(None);
    }
    let (lefts, rights) = (left.words(segment), right.words(segment));
    let count = |words: &[NodeWords]| words.iter().map(|(range, _)| range.len()).sum::<usize>();
    if count(&lefts) + count(&rights) > MOST_WORDS {
        return Ok(None);
    }
    let (lefts, rights) = (single_words(lefts), single_words(rights));
    // The few documents of a word that is not frequent are all worth a look.
    let all = lefts.iter().chain(&rights).map(|(ordinal, _)| *ordinal);
    let mut possible =
        text.documents_of_words(all.filter(|ordinal| !text.is_frequent(*ordinal)))?;
    let mut certain = RoaringBitmap::new();
    for left in lefts.iter().filter(|(ordinal, _)| text.is_frequent(*ordinal)) {
        let is_left_certain = counts_wherever_it_is(view, left)?;
        for right in rights.iter().filter(|(ordinal, _)| text.is_frequent(*ordinal)) {
            let Some(of_pair) = text.documents_of_frequent_pair(left.0, right.0)? else {
                continue;
            };
            // Otherwise the pair may be in an attribute that is not searched.
            if is_left_certain && counts_wherever_it_is(view, right)? {
                certain |= &of_pair;
            }
            possible |= of_pair;
        }
    }
    certain -= view.deleted;
    Ok(Some(Adjacent { possible, certain }))
}

fn single_words(words: Vec<NodeWords>) -> Vec<(u32, Reach)> {
    let each = |(range, reach): NodeWords| range.map(move |ordinal| (ordinal, reach));
    words.into_iter().flat_map(each).collect()
}

/// True if a word counts in all attributes that have it.
fn counts_wherever_it_is(
    view: &SegmentView<'_>,
    &(ordinal, reach): &(u32, Reach),
) -> Result<bool, SearchError> {
    let is_unlimited = !view.is_restricted && !view.has_exact_fields;
    let counts = |field: u16| reach.counts_in(view.role(field));
    Ok(is_unlimited || view.text.is_only_in(ordinal, counts)?)
}
