//! Files of a store as one snapshot sees them: every row has a number, its node, and is live or
//! dead. Nodes are the targets of graph links; a snapshot cannot see nodes that none of its files
//! has.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use roaring::RoaringBitmap;
use segment::DocId;

use crate::bits::Bits;
use crate::entry::FileEntry;
use crate::error::Result;
use crate::file::VectorFile;
use crate::ranked_set::RankedSet;

#[derive(Debug, Clone)]
pub struct NumberedFile {
    pub entry: FileEntry,
    pub file: Arc<VectorFile>,
    /// One past its last node.
    end: u32,
    /// Nodes of its rows, relative to the first, where they are not consecutive.
    sparse: Option<Arc<RankedSet>>,
    /// Documents whose current vectors are in this file.
    live: Arc<RoaringBitmap>,
    /// Rows that belong to none of them.
    dead: Arc<Bits>,
    /// True if the graph contains all live rows of the file. All snapshots with this file and this
    /// graph share the flag.
    inserted: Arc<AtomicBool>,
}

impl NumberedFile {
    /// Creates the file with all its documents, as if it were the only one.
    pub fn new(entry: FileEntry, file: Arc<VectorFile>) -> Result<Self> {
        let span = match file.nodes().filter(|_| entry.sparse) {
            Some(nodes) => nodes.max().map_or(0, |last| u64::from(last) + 1),
            None => file.rows().into(),
        };
        let end = u32::try_from(u64::from(entry.first_node) + span)
            .map_err(|_| file.damaged("its nodes are beyond all others"))?;
        let sparse =
            file.nodes().filter(|_| entry.sparse).map(|nodes| Arc::new(RankedSet::new(nodes)));
        let mut dead = Bits::default();
        if file.meta().owned < file.rows() {
            for row in 0..file.rows() {
                if file.owner(row)?.is_none() {
                    dead.insert(row);
                }
            }
        }
        Ok(Self {
            live: Arc::new(file.documents().clone()),
            dead: Arc::new(dead),
            inserted: Arc::default(),
            end,
            sparse,
            entry,
            file,
        })
    }

    /// Returns the file without some documents.
    pub fn without(&self, documents: &RoaringBitmap) -> Result<Self> {
        let lost = &*self.live & documents;
        if lost.is_empty() {
            return Ok(self.clone());
        }
        let mut dead = (*self.dead).clone();
        for doc_id in &lost {
            for row in self.file.rows_of(doc_id)?.into_iter().flatten() {
                dead.insert(row);
            }
        }
        Ok(Self { live: Arc::new(&*self.live - &lost), dead: Arc::new(dead), ..self.clone() })
    }

    /// Returns the file with consecutive nodes from `first_node` on.
    pub fn at(&self, first_node: u32) -> Result<Self> {
        let entry = FileEntry { first_node, sparse: false, ..self.entry.clone() };
        let end = first_node.checked_add(self.file.rows()).ok_or(crate::VectorsError::Full)?;
        Ok(Self { entry, end, sparse: None, inserted: Arc::default(), ..self.clone() })
    }

    pub fn first_node(&self) -> u32 {
        self.entry.first_node
    }

    pub fn end(&self) -> u32 {
        self.end
    }

    /// Returns the documents whose current vectors are in this file.
    pub fn live(&self) -> &RoaringBitmap {
        &self.live
    }

    /// Returns the part of `some`, a subset of the store's documents `all`, that is live here.
    pub fn living_of<'d>(
        &self,
        all: &RoaringBitmap,
        some: &'d RoaringBitmap,
    ) -> Cow<'d, RoaringBitmap> {
        // Often one file has everything.
        if self.live.len() == all.len() {
            Cow::Borrowed(some)
        } else {
            Cow::Owned(some & &*self.live)
        }
    }

    pub fn live_rows(&self) -> u32 {
        self.file.rows() - self.dead.count()
    }

    pub fn dead_rows(&self) -> u32 {
        self.dead.count()
    }

    #[inline]
    pub fn is_dead(&self, row: u32) -> bool {
        self.dead.contains(row)
    }

    /// Returns the row of a node, if it is in this file.
    #[inline(always)]
    pub fn row_of(&self, node: u32) -> Option<u32> {
        let offset = node.checked_sub(self.entry.first_node)?;
        match &self.sparse {
            None => (offset < self.file.rows()).then_some(offset),
            Some(nodes) => nodes.place(offset),
        }
    }

    /// Returns the nodes of the rows, in row order.
    pub fn nodes(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        let first = self.entry.first_node;
        match self.file.nodes().filter(|_| self.sparse.is_some()) {
            None => Box::new(first..first + self.file.rows()),
            Some(nodes) => Box::new(nodes.iter().map(move |offset| first + offset)),
        }
    }

    /// Returns the node of a row.
    #[inline]
    pub fn node_of(&self, row: u32) -> Option<u32> {
        match &self.sparse {
            None => (row < self.file.rows()).then(|| self.entry.first_node + row),
            Some(nodes) => nodes.number(row).map(|offset| self.entry.first_node + offset),
        }
    }

    /// Returns the number to add to a document to get its node (wrapping), if it is constant.
    pub fn node_of_document_zero(&self) -> Option<u32> {
        let first = self.file.straight().filter(|_| self.sparse.is_none())?;
        Some(self.entry.first_node.wrapping_sub(first))
    }

    /// Returns the rows of a document, if its current vectors are in this file.
    pub fn rows_of(&self, doc_id: DocId) -> Result<Option<std::ops::Range<u32>>> {
        if self.live.contains(doc_id) { self.file.rows_of(doc_id) } else { Ok(None) }
    }

    pub fn is_inserted(&self) -> bool {
        self.inserted.load(Ordering::Acquire)
    }

    pub fn set_inserted(&self) {
        self.inserted.store(true, Ordering::Release);
    }
}

/// All files of a snapshot, oldest first, which is also the order of their nodes.
#[derive(Debug, Clone, Default)]
pub struct NumberedFiles(Vec<NumberedFile>);

impl NumberedFiles {
    /// Returns the oldest `count` files, unchanged.
    pub fn first_few(&self, count: usize) -> Self {
        Self(self.0[..count].to_vec())
    }

    pub fn iter(&self) -> std::slice::Iter<'_, NumberedFile> {
        self.0.iter()
    }

    pub fn as_slice(&self) -> &[NumberedFile] {
        &self.0
    }

    /// Returns the file and the row of a node, if this snapshot has it.
    #[inline(always)]
    pub fn locate(&self, node: u32) -> Option<(&NumberedFile, u32)> {
        // Most nodes are in the oldest file, which is the largest.
        let first = self.0.first()?;
        if node < first.end {
            return Some((first, first.row_of(node)?));
        }
        let (place, row) = self.locate_place(node)?;
        Some((&self.0[place], row))
    }

    /// Returns the index of the file and the row of a node.
    pub fn locate_place(&self, node: u32) -> Option<(usize, u32)> {
        let after = self.0.partition_point(|numbered| numbered.first_node() <= node);
        let place = after.checked_sub(1)?;
        Some((place, self.0[place].row_of(node)?))
    }

    /// Returns the number past the last node.
    pub fn end(&self) -> u32 {
        self.0.iter().map(NumberedFile::end).max().unwrap_or(0)
    }

    pub fn documents(&self) -> RoaringBitmap {
        self.0.iter().fold(RoaringBitmap::new(), |all, numbered| all | numbered.live())
    }

    /// Returns whether a document may have several vectors.
    pub fn has_several(&self) -> bool {
        self.0.iter().any(|numbered| numbered.file.meta().most > 1)
    }

    pub fn live_rows(&self) -> u64 {
        self.0.iter().map(|numbered| u64::from(numbered.live_rows())).sum()
    }

    pub fn dead_rows(&self) -> u64 {
        self.0.iter().map(|numbered| u64::from(numbered.dead_rows())).sum()
    }

    /// Returns these files followed by a newer one, which takes over the documents it replaces.
    pub fn followed_by(&self, newest: NumberedFile) -> Result<Self> {
        let replaced = newest.file.documents() | newest.file.gone();
        let mut files = Vec::with_capacity(self.0.len() + 1);
        for numbered in &self.0 {
            files.push(numbered.without(&replaced)?);
        }
        files.push(newest);
        Ok(Self(files))
    }
}
