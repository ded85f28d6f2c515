//! The documents in which neighbours of the query can directly follow each other. They bound what
//! `proximity` costs: at least one for each pair of neighbours that cannot.

use roaring::{MultiOps, RoaringBitmap};

use crate::context::{Context, SegmentView};
use crate::graph::{Node, NodeWords, Path, are_adjacent};
use crate::query::SearchError;

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
    let ordinals = |words: &[NodeWords]| words.iter().flat_map(|(range, _)| range.clone()).collect();
    let (lefts, rights): (Vec<u32>, Vec<u32>) = (ordinals(&lefts), ordinals(&rights));
    // The few documents of a word that is not frequent are all worth a look.
    let rare = lefts.iter().chain(&rights).copied().filter(|ordinal| !text.is_frequent(*ordinal));
    let mut possible = text.documents_of_words(rare)?;
    let mut certain = RoaringBitmap::new();
    let frequent_rights: Vec<u32> =
        rights.iter().copied().filter(|ordinal| text.is_frequent(*ordinal)).collect();
    for &left in &lefts {
        for &right in &frequent_rights {
            if let Some(of_pair) = text.documents_of_frequent_pair(left, right)? {
                certain |= of_pair;
            }
        }
    }
    possible |= &certain;
    if view.is_restricted || view.has_exact_fields {
        certain.clear();
    }
    certain -= view.deleted;
    Ok(Some(Adjacent { possible, certain }))
}
