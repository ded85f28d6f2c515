//! A packed tree of boxes over a list of items whose order keeps neighbours close: thirty-two items
//! have a box, thirty-two boxes have a box, and so on up to one. The children of a box follow from
//! its position, so only boxes are stored.

use std::ops::Range;

use crate::encoding::pages::{Pages, PagesWriter};
use crate::error::Result;
use crate::frame::{Frame, FrameWriter, Tag};

/// Items in a box at the bottom, and boxes in a box.
const GROUP: usize = 32;

/// Minimum and maximum along some axes. Bounds are rounded outwards to 32 bits: they only tell
/// where to search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds<const AXES: usize> {
    ranges: [[f32; 2]; AXES],
}

impl<const AXES: usize> Bounds<AXES> {
    /// Length of bounds on disk in bytes.
    pub const LENGTH: usize = AXES * 8;

    pub const NOTHING: Self = Self { ranges: [[f32::INFINITY, f32::NEG_INFINITY]; AXES] };

    pub fn include(&mut self, place: [f64; AXES]) {
        for ([low, high], value) in self.ranges.iter_mut().zip(place) {
            *low = low.min(rounded_down(value));
            *high = high.max(-rounded_down(-value));
        }
    }

    pub fn include_all(&mut self, other: &Self) {
        for ([low, high], [other_low, other_high]) in self.ranges.iter_mut().zip(other.ranges) {
            *low = low.min(other_low);
            *high = high.max(other_high);
        }
    }

    /// Returns whether bounds are equal, up to the rounding of another machine.
    pub fn is_close_to(&self, other: &Self) -> bool {
        let [ours, theirs] = [self, other].map(|bounds| bounds.ranges.as_flattened());
        ours.iter().zip(theirs).all(|(a, b)| a.next_down() <= *b && *b <= a.next_up())
    }

    pub fn ranges(&self) -> [[f64; 2]; AXES] {
        self.ranges.map(|range| range.map(f64::from))
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        self.ranges.as_flattened().iter().for_each(|value| out.extend(value.to_le_bytes()));
    }

    /// Reads bounds; missing bytes read as zeros.
    pub fn read(bytes: &[u8]) -> Self {
        let mut ranges = [[0.0; 2]; AXES];
        for (value, bytes) in ranges.as_flattened_mut().iter_mut().zip(bytes.as_chunks().0) {
            *value = f32::from_le_bytes(*bytes);
        }
        Self { ranges }
    }
}

fn rounded_down(value: f64) -> f32 {
    let rounded = value as f32;
    if f64::from(rounded) > value { rounded.next_down() } else { rounded }
}

/// Answer of a query about everything within some bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Outside,
    Inside,
    Unsure,
}

impl Verdict {
    pub fn unsure_if(unsure: bool) -> Self {
        if unsure { Self::Unsure } else { Self::Outside }
    }
}

/// Returns the levels of the tree over this many items, as ranges of boxes; the root comes first.
fn levels(things: usize) -> Vec<Range<usize>> {
    let mut counts = Vec::new();
    let mut count = things;
    while count > 1 || counts.is_empty() && count > 0 {
        count = count.div_ceil(GROUP);
        counts.push(count);
    }
    let mut end = 0;
    counts
        .into_iter()
        .rev()
        .map(|count| {
            end += count;
            end - count..end
        })
        .collect()
}

/// A box of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node {
    level: usize,
    /// Index within its level.
    place: usize,
}

/// Children of a box.
#[derive(Debug, Clone, PartialEq)]
pub enum Children<const AXES: usize> {
    Nodes(Vec<(Node, Bounds<AXES>)>),
    /// Items, by their position in the list.
    Things(Range<usize>),
}

pub struct Tree<const AXES: usize> {
    boxes: Pages,
    things: usize,
    levels: Vec<Range<usize>>,
}

impl<const AXES: usize> Tree<AXES> {
    /// Opens a tree; `None` if the number of boxes does not match the items.
    pub fn new(boxes: Pages, things: usize) -> Option<Self> {
        let levels = levels(things);
        let count = levels.last().map_or(0, |level| level.end);
        (count.checked_mul(Bounds::<AXES>::LENGTH) == Some(boxes.len())).then_some(Self {
            boxes,
            things,
            levels,
        })
    }

    /// Returns the root, unless the tree is empty.
    pub fn root(&self) -> Option<Node> {
        (self.things > 0).then_some(Node { level: 0, place: 0 })
    }

    pub fn bounds(&self, node: Node, frame: &Frame) -> Result<Bounds<AXES>> {
        let start = self.levels.get(node.level).map_or(usize::MAX, |level| level.start);
        let first = start.saturating_add(node.place).saturating_mul(Bounds::<AXES>::LENGTH);
        let bytes = self.boxes.get(first..first.saturating_add(Bounds::<AXES>::LENGTH), frame)?;
        Ok(Bounds::read(bytes))
    }

    pub fn below(&self, node: Node, frame: &Frame) -> Result<Children<AXES>> {
        let Some(level) = self.levels.get(node.level + 1) else {
            return Ok(Children::Things(grouped(node.place, self.things)));
        };
        let places = grouped(node.place, level.len());
        let bytes = (level.start + places.start) * Bounds::<AXES>::LENGTH
            ..(level.start + places.end) * Bounds::<AXES>::LENGTH;
        let boxes = self.boxes.get(bytes, frame)?.chunks_exact(Bounds::<AXES>::LENGTH);
        let nodes = places.map(|place| Node { level: node.level + 1, place });
        Ok(Children::Nodes(nodes.zip(boxes.map(Bounds::read)).collect()))
    }

    /// Returns all items below a box.
    fn things_of(&self, node: Node) -> Range<usize> {
        let below = self.levels.len() - node.level;
        let size = GROUP.saturating_pow(below as u32);
        let end = (node.place + 1).saturating_mul(size).min(self.things);
        node.place.saturating_mul(size).min(end)..end
    }

    /// Emits ranges of items, inside or unsure, descending wherever the verdict is unsure.
    pub fn search(
        &self,
        frame: &Frame,
        judge: impl Fn(&Bounds<AXES>) -> Verdict,
        mut found: impl FnMut(Range<usize>, Verdict) -> Result<()>,
    ) -> Result<()> {
        let mut open = Vec::new();
        if let Some(root) = self.root() {
            open.push((root, self.bounds(root, frame)?));
        }
        while let Some((node, bounds)) = open.pop() {
            match judge(&bounds) {
                Verdict::Outside => {}
                Verdict::Inside => found(self.things_of(node), Verdict::Inside)?,
                Verdict::Unsure => match self.below(node, frame)? {
                    Children::Nodes(nodes) => open.extend(nodes),
                    Children::Things(things) => found(things, Verdict::Unsure)?,
                },
            }
        }
        Ok(())
    }
}

fn grouped(place: usize, count: usize) -> Range<usize> {
    let end = (place + 1).saturating_mul(GROUP).min(count);
    place.saturating_mul(GROUP).min(end)..end
}

impl<const AXES: usize> std::fmt::Debug for Tree<AXES> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tree").field("things", &self.things).finish_non_exhaustive()
    }
}

/// Collects the boxes while the items are written.
#[derive(Debug)]
pub struct TreeWriter<const AXES: usize> {
    things: usize,
    lowest: Vec<Bounds<AXES>>,
}

impl<const AXES: usize> TreeWriter<AXES> {
    pub fn new() -> Self {
        Self { things: 0, lowest: Vec::new() }
    }

    pub fn add(&mut self, bounds: &Bounds<AXES>) {
        if self.things.is_multiple_of(GROUP) {
            self.lowest.push(Bounds::NOTHING);
        }
        if let Some(last) = self.lowest.last_mut() {
            last.include_all(bounds);
        }
        self.things += 1;
    }

    pub fn finish(self, frame: &mut FrameWriter, boxes: Tag, sums: Tag) -> Result<()> {
        let mut levels = vec![self.lowest];
        while let Some(last) = levels.last().filter(|level| level.len() > 1) {
            let united = |group: &[Bounds<AXES>]| {
                let mut all = Bounds::NOTHING;
                group.iter().for_each(|bounds| all.include_all(bounds));
                all
            };
            levels.push(last.chunks(GROUP).map(united).collect());
        }
        let mut out = PagesWriter::begin(frame, boxes)?;
        for bounds in levels.iter().rev().flatten() {
            bounds.write(&mut out.pending);
            out.flush(frame)?;
        }
        out.finish(frame, sums)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_end_in_one_box() {
        let ends = |things| levels(things).iter().map(|level| level.end).collect::<Vec<_>>();
        assert_eq!(ends(0), []);
        assert_eq!(ends(1), [1]);
        assert_eq!(ends(32), [1]);
        assert_eq!(ends(33), [1, 3]);
        assert_eq!(ends(1024), [1, 33]);
        assert_eq!(ends(1025), [1, 3, 36]);
    }

    #[test]
    fn bounds_are_rounded_outwards() {
        for value in [0.1, -0.1, 45.764, -179.999_999_99, 1e300, -1e300, 0.0, 1e-300] {
            let mut bounds = Bounds::<1>::NOTHING;
            bounds.include([value]);
            let [[low, high]] = bounds.ranges();
            assert!(low <= value && value <= high, "{value}");
            assert!(high - low < 1e-4 || value.abs() > 1e30, "{value}");
        }
    }

    #[test]
    fn bounds_come_back() {
        let mut bounds = Bounds::<2>::NOTHING;
        bounds.include([1.0, 2.0]);
        bounds.include([0.5, 3.0]);
        let mut bytes = Vec::new();
        bounds.write(&mut bytes);
        assert_eq!(bytes.len(), Bounds::<2>::LENGTH);
        assert_eq!(Bounds::read(&bytes), bounds);
        assert_eq!(bounds.ranges(), [[0.5, 1.0], [2.0, 3.0]]);
        bytes[0] ^= 1;
        assert!(Bounds::read(&bytes).is_close_to(&bounds));
        bytes[1] ^= 1;
        assert!(!Bounds::read(&bytes).is_close_to(&bounds));
    }
}
