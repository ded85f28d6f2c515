//! The shapes of a file, and searches by region.

use std::ops::Range;

use roaring::RoaringBitmap;

use super::format::{self, ShapeEntry};
use super::region::Region;
use super::shape::Shape;
use super::tree::{Tree, Verdict};
use crate::encoding::pages::Pages;
use crate::encoding::union::set_of;
use crate::error::Result;
use crate::frame::Frame;

pub struct Shapes {
    bytes: Pages,
    entries: Pages,
    pub tree: Tree<2>,
    pub doc_ids: RoaringBitmap,
}

impl Shapes {
    pub fn open(frame: &Frame) -> Result<Self> {
        let bytes = Pages::open_optional(frame, format::SHAPES, format::SHAPE_PAGES)?;
        let entries =
            Pages::open_optional(frame, format::SHAPE_ENTRIES, format::SHAPE_ENTRY_PAGES)?;
        let boxes = Pages::open_optional(frame, format::SHAPE_BOXES, format::SHAPE_BOX_PAGES)?;
        let doc_ids = format::optional_set(frame, format::SHAPE_DOC_IDS)?;
        let count = entries.len() / ShapeEntry::LENGTH;
        let disagree = || frame.damaged("the sections of shapes do not belong together");
        let tree = Tree::new(boxes, count).ok_or_else(disagree)?;
        if !entries.len().is_multiple_of(ShapeEntry::LENGTH) || doc_ids.len() != count as u64 {
            return Err(disagree());
        }
        Ok(Self { bytes, entries, tree, doc_ids })
    }

    pub fn count(&self) -> usize {
        self.entries.len() / ShapeEntry::LENGTH
    }

    pub fn entries<'s>(
        &'s self,
        places: Range<usize>,
        frame: &Frame,
    ) -> Result<impl Iterator<Item = ShapeEntry> + use<'s>> {
        let bytes = places.start.saturating_mul(ShapeEntry::LENGTH)
            ..places.end.saturating_mul(ShapeEntry::LENGTH);
        let (entries, _) = self.entries.get(bytes, frame)?.as_chunks();
        Ok(entries.iter().map(ShapeEntry::read))
    }

    pub fn entry(&self, place: usize, frame: &Frame) -> Result<ShapeEntry> {
        let missing = || frame.damaged(format!("shape {place} is missing"));
        self.entries(place..place.saturating_add(1), frame)?.next().ok_or_else(missing)
    }

    /// Returns the bytes of a shape, which end where the next one starts.
    pub fn bytes_of(&self, place: usize, frame: &Frame) -> Result<&[u8]> {
        let last = (place + 2).min(self.count());
        let mut entries = self.entries(place..last, frame)?;
        let start = entries.next().map_or(usize::MAX, |entry| entry.start as usize);
        let end = entries.next().map_or(self.bytes.len(), |entry| entry.start as usize);
        self.bytes.get(start..end, frame)
    }

    pub fn read(&self, place: usize, shape: &mut Shape, frame: &Frame) -> Result<()> {
        shape
            .read(self.bytes_of(place, frame)?)
            .ok_or_else(|| frame.damaged(format!("shape {place} is malformed")))
    }

    pub fn in_region(&self, region: &Region, frame: &Frame) -> Result<RoaringBitmap> {
        let mut found = Vec::new();
        let mut shape = Shape::new();
        let judge = |bounds: &_| region.judge(bounds);
        self.tree.search(frame, judge, |places, verdict| {
            for (place, entry) in places.clone().zip(self.entries(places, frame)?) {
                let verdict =
                    if verdict == Verdict::Unsure { judge(&entry.bounds) } else { verdict };
                let matches = match verdict {
                    Verdict::Inside => true,
                    Verdict::Outside => false,
                    Verdict::Unsure => {
                        self.read(place, &mut shape, frame)?;
                        region.meets(&shape)
                    }
                };
                if matches {
                    found.push(entry.doc_id);
                }
            }
            Ok(())
        })?;
        Ok(set_of(&mut found))
    }
}
