//! Iterates over documents by their distance from a point, lazily: only the parts of the tree that
//! can hold the next one are read.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::points::chords;
use super::reader::GeoReader;
use super::sphere::{self, Point, distance};
use super::tree::{Bounds, Children, Node};
use crate::DocId;
use crate::error::Result;

/// A document with its distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    pub doc_id: DocId,
    pub metres: f64,
    pub point: Point,
}

/// All documents with a point, by their distance; ties by DocId. Ends after an error.
#[derive(Debug)]
pub struct Nearest<'r> {
    reader: &'r GeoReader,
    centre: Point,
    /// The centre in space.
    place: [f64; 3],
    farthest_first: bool,
    started: bool,
    waiting: BinaryHeap<QueueEntry>,
}

/// An entry of the priority queue.
#[derive(Debug)]
struct QueueEntry {
    /// Lower bound of the distance in metres, negative if the farthest comes first.
    turn: f64,
    what: QueueItem,
}

#[derive(Debug)]
enum QueueItem {
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
        self.waiting.push(QueueEntry { turn, what: QueueItem::Box(node) });
    }

    fn open(&mut self, node: Node) -> Result<()> {
        let reader = self.reader;
        match reader.points.tree.below(node, &reader.frame)? {
            Children::Nodes(nodes) => {
                nodes.iter().for_each(|(node, bounds)| self.wait_for_box(*node, bounds));
            }
            Children::Things(places) => {
                for entry in reader.points.entries(places, &reader.frame)? {
                    let metres = distance(self.centre, entry.point);
                    let turn = if self.farthest_first { -metres } else { metres };
                    let neighbour = Neighbour { doc_id: entry.doc_id, metres, point: entry.point };
                    self.waiting.push(QueueEntry { turn, what: QueueItem::Neighbour(neighbour) });
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
                QueueItem::Neighbour(neighbour) => return Ok(Some(neighbour)),
                QueueItem::Box(node) => self.open(node)?,
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

impl QueueEntry {
    /// Boxes go before documents at the same distance: they may hold a lower DocId.
    fn rank(&self) -> Option<DocId> {
        match &self.what {
            QueueItem::Box(_) => None,
            QueueItem::Neighbour(neighbour) => Some(neighbour.doc_id),
        }
    }
}

/// The heap pops the greatest, so the next one is the greatest.
impl Ord for QueueEntry {
    fn cmp(&self, other: &Self) -> Ordering {
        other.turn.total_cmp(&self.turn).then_with(|| other.rank().cmp(&self.rank()))
    }
}

impl PartialOrd for QueueEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for QueueEntry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for QueueEntry {}
