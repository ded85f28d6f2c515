//! Reader of a vector file. Rows and owners are read in place, in pages that are checked on first
//! access; the document sets are kept in memory.

use std::ops::Range;

use roaring::RoaringBitmap;
use segment::{Directory, DocId, FileBytes, Frame, Pages, SegmentError, parse_set};

use super::format::{self, Meta, NO_OWNER};
use crate::error::Result;
use crate::ranked_set::RankedSet;
use crate::space::Space;

#[derive(Debug)]
pub struct VectorFile {
    pub(super) frame: Frame,
    pub(super) meta: Meta,
    pub(super) space: Space,
    stride: usize,
    rows: Pages,
    owners: Pages,
    places: Option<Pages>,
    documents: RoaringBitmap,
    ranks: RankedSet,
    /// Document of the first row, where consecutive rows belong to consecutive documents.
    straight: Option<DocId>,
    gone: RoaringBitmap,
    zeros: Vec<u32>,
    nodes: Option<RoaringBitmap>,
}

impl VectorFile {
    pub fn open(directory: &dyn Directory, name: &str) -> Result<Self> {
        Self::from_bytes(name, directory.open(name)?)
    }

    pub fn from_bytes(name: &str, bytes: FileBytes) -> Result<Self> {
        let frame = Frame::open(name, bytes, format::KIND, format::VERSION)?;
        let meta = frame.parse(format::META, "the description", Meta::parse)?;
        let set = |tag| frame.parse(tag, "a set of documents", parse_set);
        let zeros = frame.section(format::ZEROS)?;
        let (zeros, []) = zeros.as_chunks::<4>() else {
            return Err(frame.unreadable("the list of zeros").into());
        };
        let nodes = frame.optional_section(format::NODES);
        let nodes = nodes.map(|set| parse_set(&set).ok_or_else(|| frame.unreadable("the nodes")));
        let documents = set(format::DOC_IDS)?;
        let space = Space::new(meta.options);
        let stride = space.stride();
        let numbers = |count: u32| 4 * count as usize;
        let rows_length = (meta.rows as usize).checked_mul(stride);
        let ranks = RankedSet::new(&documents);
        let is_straight = frame.optional_section(format::PLACES).is_none()
            && meta.most == 1
            && meta.owned == meta.rows;
        let file = Self {
            rows: Pages::open(&frame, format::ROWS, format::ROW_PAGES)?,
            owners: Pages::open(&frame, format::OWNERS, format::OWNER_PAGES)?,
            places: match frame.optional_section(format::PLACES) {
                Some(_) => Some(Pages::open(&frame, format::PLACES, format::PLACE_PAGES)?),
                None => None,
            },
            straight: ranks.first_of_run().filter(|_| is_straight),
            ranks,
            gone: set(format::GONE)?,
            zeros: zeros.iter().map(|row| u32::from_le_bytes(*row)).collect(),
            nodes: nodes.transpose()?,
            documents,
            stride,
            space,
            meta,
            frame,
        };
        let lengths_agree = rows_length == Some(file.rows.len())
            && file.owners.len() == numbers(meta.rows)
            && file.places.as_ref().is_none_or(|places| places.len() == numbers(meta.documents))
            && file.documents.len() == u64::from(meta.documents)
            && file.nodes.as_ref().is_none_or(|nodes| nodes.len() == u64::from(meta.rows))
            && file.zeros.iter().all(|&row| row < meta.rows);
        if !lengths_agree {
            return Err(file.frame.damaged("its sections contradict each other").into());
        }
        Ok(file)
    }

    pub fn name(&self) -> &str {
        self.frame.name()
    }

    pub fn length(&self) -> u64 {
        self.frame.length()
    }

    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    pub fn space(&self) -> &Space {
        &self.space
    }

    pub fn rows(&self) -> u32 {
        self.meta.rows
    }

    /// Returns the documents that have rows in this file.
    pub fn documents(&self) -> &RoaringBitmap {
        &self.documents
    }

    /// Returns the documents that lost their vectors from earlier files.
    pub fn gone(&self) -> &RoaringBitmap {
        &self.gone
    }

    /// Returns the rows of zero vectors.
    pub fn zeros(&self) -> &[u32] {
        &self.zeros
    }

    /// Returns the nodes that the rows had when the file was written, relative to the first; `None`
    /// if they were consecutive.
    pub fn nodes(&self) -> Option<&RoaringBitmap> {
        self.nodes.as_ref()
    }

    #[inline(always)]
    pub fn row(&self, row: u32) -> Result<&[u8]> {
        let start = row as usize * self.stride;
        Ok(self.rows.get(start..start + self.stride, &self.frame)?)
    }

    /// Returns the document of the first row, if consecutive rows have consecutive documents.
    pub fn straight(&self) -> Option<DocId> {
        self.straight
    }

    /// Returns the document of a row, unless the row has no owner.
    #[inline]
    pub fn owner(&self, row: u32) -> Result<Option<DocId>> {
        if let Some(first) = self.straight {
            return Ok(Some(first + row));
        }
        let owner = self.number(&self.owners, row)?;
        Ok((owner != NO_OWNER).then_some(owner))
    }

    /// Returns the rows of a document, in the order in which its vectors were given.
    #[inline]
    pub fn rows_of(&self, doc_id: DocId) -> Result<Option<Range<u32>>> {
        if let Some(first) = self.straight {
            let row = doc_id.checked_sub(first).filter(|&row| row < self.meta.rows);
            return Ok(row.map(|row| row..row + 1));
        }
        self.rows_of_any(doc_id)
    }

    fn rows_of_any(&self, doc_id: DocId) -> Result<Option<Range<u32>>> {
        let Some(place) = self.ranks.place(doc_id) else {
            return Ok(None);
        };
        let first = match &self.places {
            Some(places) => self.number(places, place)?,
            None => place,
        };
        if self.meta.most == 1 {
            return Ok(Some(first..first + 1));
        }
        let mut end = first;
        let last = first.saturating_add(self.meta.most).min(self.meta.rows);
        while end < last && self.owner(end)? == Some(doc_id) {
            end += 1;
        }
        if first == end {
            return Err(self.damaged(format!("document {doc_id} has no rows")).into());
        }
        Ok(Some(first..end))
    }

    /// Returns the position of a row among the vectors of its document.
    pub fn position(&self, row: u32) -> Result<u32> {
        if self.meta.most == 1 {
            return Ok(0);
        }
        let owner = self.owner(row)?;
        let mut position = 0;
        while position < row && self.owner(row - position - 1)? == owner {
            position += 1;
        }
        Ok(position)
    }

    pub fn damaged(&self, what: impl Into<String>) -> SegmentError {
        self.frame.damaged(what)
    }

    #[inline]
    fn number(&self, pages: &Pages, place: u32) -> Result<u32> {
        let start = 4 * place as usize;
        let bytes = pages.get(start..start + 4, &self.frame)?;
        Ok(format::number(bytes).unwrap_or(NO_OWNER))
    }
}
