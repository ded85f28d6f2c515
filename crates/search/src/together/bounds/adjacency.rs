//! The documents in which neighbours of the query can directly follow each other. They bound what
//! `proximity` costs: at least one for each pair of neighbours that cannot.

use std::ops::Range;

use roaring::RoaringBitmap;

use crate::context::{Context, SegmentView};
use crate::graph::{Node, NodeWords, Path, are_adjacent};
use crate::query::SearchError;

/// Nodes with more words than this are not looked up pair by pair.
const MOST_WORDS: usize = 32;

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

/// The documents of a segment in which a word of one node may directly follow one of another.
pub(super) struct Adjacent {
    pub documents: RoaringBitmap,
    /// True if it follows in all of them.
    pub is_exact: bool,
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

    /// True if it is known of every pair of neighbours in which documents they follow each other.
    pub fn are_exact(&self, path: &Path) -> bool {
        let pairs = path.windows(2).filter(|pair| are_adjacent(&pair[0], &pair[1])).count();
        let is_exact = |adjacent: &Option<Adjacent>| adjacent.as_ref().is_some_and(|it| it.is_exact);
        self.pairs.len() == pairs && self.pairs.iter().all(|pair| pair.segments.iter().all(is_exact))
    }

    /// What is known of a node and the next one.
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
                near |= adjacent.as_ref().map_or(view.text.doc_ids(), |known| &known.documents);
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
    if count(&lefts).saturating_mul(count(&rights)) > MOST_WORDS {
        return Ok(None);
    }
    let ordinals = |words: Vec<NodeWords>| -> Vec<u32> {
        words.into_iter().flat_map(|(range, _): (Range<u32>, _)| range).collect()
    };
    let (lefts, rights) = (ordinals(lefts), ordinals(rights));
    let mut documents = RoaringBitmap::new();
    let mut is_exact = !view.is_restricted && !view.has_exact_fields;
    for &ordinal in lefts.iter().chain(&rights) {
        // The few documents of a word that is not frequent are all worth a look.
        if !text.is_frequent(ordinal) {
            documents |= text.documents_of(ordinal)?;
            is_exact = false;
        }
    }
    for &left in &lefts {
        for &right in &rights {
            if let Some(of_pair) = text.documents_of_frequent_pair(left, right)? {
                documents |= of_pair;
            }
        }
    }
    Ok(Some(Adjacent { documents, is_exact }))
}
