//! Documents by their distance from a point, found as they are asked for: the tree is opened where
//! the next one can be, and nowhere else.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::points::chords;
use super::reader::GeoReader;
use super::sphere::{self, Point, distance};
use super::tree::{Below, Bounds, Node};
use crate::DocId;
use crate::error::Result;

/// A document with a point, and how far away it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    pub doc_id: DocId,
    pub metres: f64,
    pub point: Point,
}

/// All documents with a point, by their distance; those at the same distance by DocId. After an
/// error there is nothing more.
#[derive(Debug)]
pub struct Nearest<'r> {
    reader: &'r GeoReader,
    centre: Point,
    /// The centre in space.
    place: [f64; 3],
    farthest_first: bool,
    started: bool,
    waiting: BinaryHeap<Waiting>,
}

/// Something to look at when its turn comes.
#[derive(Debug)]
struct Waiting {
    /// Metres, negative when the farthest comes first. Nothing in a box comes before it.
    turn: f64,
    what: What,
}

#[derive(Debug)]
enum What {
    Box(Node),
    Neighbour(Neighbour),
}

impl<'r> Nearest<'r> {
    pub(super) fn new(reader: &'r GeoReader, centre: Point, farthest_first: bool) -> Self {
        let place = centre.in_space();
        let waiting = BinaryHeap::new();
        Self { reader, centre, place, farthest_first, started: false, waiting }
    }

    fn start(&mut self) -> Result<()> {
        self.started = true;
        let tree = &self.reader.points.tree;
        if let Some(root) = tree.root() {
            self.wait_for_box(root, &tree.bounds(root, &self.reader.frame)?);
        }
        Ok(())
    }

    fn wait_for_box(&mut self, node: Node, bounds: &Bounds<5>) {
        let [least, most] = chords(bounds, self.place);
        let turn = if self.farthest_first {
            -sphere::metres_at_most(most)
        } else {
            sphere::metres_at_least(least)
        };
        self.waiting.push(Waiting { turn, what: What::Box(node) });
    }

    fn open(&mut self, node: Node) -> Result<()> {
        let reader = self.reader;
        match reader.points.tree.below(node, &reader.frame)? {
            Below::Nodes(nodes) => {
                nodes.iter().for_each(|(node, bounds)| self.wait_for_box(*node, bounds));
            }
            Below::Things(places) => {
                for entry in reader.points.entries(places, &reader.frame)? {
                    let metres = distance(self.centre, entry.point);
                    let turn = if self.farthest_first { -metres } else { metres };
                    let neighbour = Neighbour { doc_id: entry.doc_id, metres, point: entry.point };
                    self.waiting.push(Waiting { turn, what: What::Neighbour(neighbour) });
                }
            }
        }
        Ok(())
    }

    fn advance(&mut self) -> Result<Option<Neighbour>> {
        if !self.started {
            self.start()?;
        }
        while let Some(waiting) = self.waiting.pop() {
            match waiting.what {
                What::Neighbour(neighbour) => return Ok(Some(neighbour)),
                What::Box(node) => self.open(node)?,
            }
        }
        Ok(None)
    }
}

impl Iterator for Nearest<'_> {
    type Item = Result<Neighbour>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.advance();
        if next.is_err() {
            self.waiting.clear();
        }
        next.transpose()
    }
}

impl Waiting {
    /// Boxes go before documents at the same distance: they may hold a lower DocId.
    fn rank(&self) -> Option<DocId> {
        match &self.what {
            What::Box(_) => None,
            What::Neighbour(neighbour) => Some(neighbour.doc_id),
        }
    }
}

/// The heap gives out the greatest, so that what comes first is the greatest.
impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        other.turn.total_cmp(&self.turn).then_with(|| other.rank().cmp(&self.rank()))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}
