//! Beam search through one layer of the graph: keeps the nearest members met and follows their
//! links until none leads nearer. `descent.rs` chooses where it starts.
//!
//! Where a filter rejects nodes, only accepted ones are compared with the query. A rejected
//! neighbour is a bridge: its own neighbours take its place. So a filter costs look-ups instead of
//! comparisons, and the accepted nodes stay connected.

use std::cell::RefCell;

use model::Cancel;

use super::Graph;
use super::beam::{Beam, Candidate};
use super::layer::{Layer, Links};
use super::visited::VisitedSet;
use crate::error::Result;
use crate::node_set::NodeSet;
use crate::numbered_files::NumberedFiles;
use crate::simd::prefetch;
use crate::space::Space;

/// Rows of bridges to prefetch.
const BRIDGES_AHEAD: usize = 4;
/// Most bridges from a start to the first accepted node.
const FIRST_BRIDGES: usize = 4096;
/// Expansions between two checks for cancellation.
const EXPANSIONS_PER_LOOK: usize = 32;

/// The vectors that a walk can see.
#[derive(Debug, Clone, Copy)]
pub struct View<'v> {
    pub files: &'v NumberedFiles,
    pub space: &'v Space,
}

impl<'v> View<'v> {
    /// Returns the row of a node, if this snapshot has it.
    #[inline]
    pub fn row(&self, node: u32) -> Result<Option<&'v [u8]>> {
        match self.files.locate(node) {
            Some((numbered, row)) => Ok(Some(numbered.file.row(row)?)),
            None => Ok(None),
        }
    }
}

/// Filter of the nodes that may be results.
pub trait Accept {
    /// True if the filter accepts all nodes, so that the walk needs no bridges.
    const EVERYTHING: bool = false;

    fn accepts(&self, files: &NumberedFiles, node: u32) -> Result<bool>;
}

#[derive(Debug)]
pub struct AcceptAll;

impl Accept for AcceptAll {
    const EVERYTHING: bool = true;

    fn accepts(&self, _: &NumberedFiles, _: u32) -> Result<bool> {
        Ok(true)
    }
}

/// Accepts nodes of documents that still have these vectors.
#[derive(Debug)]
pub struct LiveOnly;

impl Accept for LiveOnly {
    #[inline]
    fn accepts(&self, files: &NumberedFiles, node: u32) -> Result<bool> {
        Ok(files.locate(node).is_some_and(|(numbered, row)| !numbered.is_dead(row)))
    }
}

/// Accepts the nodes of the set.
impl Accept for NodeSet {
    #[inline(always)]
    fn accepts(&self, _: &NumberedFiles, node: u32) -> Result<bool> {
        Ok(self.contains(node))
    }
}

/// Buffers of a search, reused by the next one of the same thread.
#[derive(Debug, Default)]
struct Scratch {
    visited: VisitedSet,
    beam: Beam,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

#[derive(Debug)]
pub struct Walk<'w> {
    graph: &'w Graph,
    view: View<'w>,
    query: &'w [u8],
    scratch: Scratch,
}

impl Drop for Walk<'_> {
    fn drop(&mut self) {
        SCRATCH.set(std::mem::take(&mut self.scratch));
    }
}

impl<'w> Walk<'w> {
    pub fn new(graph: &'w Graph, view: View<'w>, query: &'w [u8]) -> Self {
        Self { graph, view, query, scratch: SCRATCH.take() }
    }

    pub fn view(&self) -> View<'w> {
        self.view
    }

    pub fn query(&self) -> &'w [u8] {
        self.query
    }

    /// Returns the number of members of an upper layer.
    pub fn members(&self, layer: usize) -> u32 {
        self.graph.layers[layer].length()
    }

    /// Returns the start of the same vector one layer down.
    pub fn below(&self, layer: usize, start: Start) -> Result<Start> {
        let member = self.graph.layers[layer].member(start.index)?;
        Ok(Start { index: member.map_or(start.index, |member| member.below), ..start })
    }

    /// Fills the beam with the nearest accepted members of a layer.
    pub fn search(
        &mut self,
        layer: usize,
        starts: &[Start],
        width: SearchWidth,
        accept: &impl Accept,
        cancel: Option<&Cancel>,
    ) -> Result<&[Candidate]> {
        self.begin_beam(width);
        let mut met = Vec::with_capacity(64);
        self.begin(layer, starts, accept, &mut met)?;
        let mut expansions = 0_usize;
        let mut unchanged = 0;
        while let Some(candidate) = self.scratch.beam.expand() {
            self.gather(layer, candidate.index(), width.neighbours, accept, &mut met)?;
            unchanged = if self.compare(&mut met) < width.limit { 0 } else { unchanged + 1 };
            if unchanged > width.patience {
                break;
            }
            expansions += 1;
            if expansions.is_multiple_of(EXPANSIONS_PER_LOOK)
                && cancel.is_some_and(Cancel::is_cancelled)
            {
                break;
            }
        }
        Ok(self.candidates())
    }

    /// Clears the beam and the visited nodes.
    pub(super) fn begin_beam(&mut self, width: SearchWidth) {
        self.scratch.visited.clear();
        self.scratch.beam.start(width.ef, width.limit);
    }

    /// Returns the candidates of the beam, nearest first.
    pub(super) fn candidates(&self) -> &[Candidate] {
        self.scratch.beam.candidates()
    }

    /// Puts the starts into the beam, or accepted nodes around them.
    fn begin(
        &mut self,
        layer: usize,
        starts: &[Start],
        accept: &impl Accept,
        met: &mut Vec<(u32, &'w [u8])>,
    ) -> Result<()> {
        let mut rejected = Vec::new();
        for start in starts {
            if self.scratch.visited.meet(start.index) {
                if self.accepts(layer, start.index, accept)? {
                    self.scratch.beam.push(start.index, start.distance);
                } else {
                    rejected.push(start.index);
                }
            }
        }
        let mut next = 0;
        let mut links = Links::default();
        while self.candidates().is_empty() && next < rejected.len().min(FIRST_BRIDGES) {
            self.graph.layers[layer].links(rejected[next], &mut links)?;
            for &link in links.as_slice() {
                if self.accepts(layer, link, accept)? {
                    self.meet(layer, link, met)?;
                } else if self.scratch.visited.meet(link) {
                    rejected.push(link);
                }
            }
            self.compare(met);
            next += 1;
        }
        Ok(())
    }

    /// Collects the accepted neighbours that are new, and prefetches their vectors.
    fn gather<A: Accept>(
        &mut self,
        layer: usize,
        index: u32,
        wanted: usize,
        accept: &A,
        met: &mut Vec<(u32, &'w [u8])>,
    ) -> Result<()> {
        let rows = &self.graph.layers[layer];
        let (mut links, mut accepted, mut bridges) = Default::default();
        rows.links(index, &mut links)?;
        if A::EVERYTHING {
            return links.as_slice().iter().try_for_each(|&link| self.meet(layer, link, met));
        }
        self.keep(layer, &links, accept, true, &mut accepted)?;
        let mut count = self.meet_all(layer, &accepted, met)?;
        if count < wanted {
            self.keep(layer, &links, accept, false, &mut bridges)?;
        }
        let bridges = bridges.as_slice();
        for &bridge in bridges.iter().take(BRIDGES_AHEAD) {
            rows.prefetch(bridge)?;
        }
        for (place, &bridge) in bridges.iter().enumerate() {
            if count >= wanted {
                break;
            }
            if let Some(&later) = bridges.get(place + BRIDGES_AHEAD) {
                rows.prefetch(later)?;
            }
            // A node that was a bridge before leads to nothing new.
            if self.scratch.visited.meet(bridge) {
                rows.links(bridge, &mut links)?;
                self.keep(layer, &links, accept, true, &mut accepted)?;
                count += self.meet_all(layer, &accepted, met)?;
            }
        }
        Ok(())
    }

    /// Keeps the links that are accepted, or those that are not.
    #[inline]
    fn keep(
        &self,
        layer: usize,
        links: &Links,
        accept: &impl Accept,
        are_accepted: bool,
        kept: &mut Links,
    ) -> Result<()> {
        kept.clear();
        for &link in links.as_slice() {
            kept.push_if(link, self.accepts(layer, link, accept)? == are_accepted);
        }
        Ok(())
    }

    #[inline]
    fn meet_all(
        &mut self,
        layer: usize,
        links: &Links,
        met: &mut Vec<(u32, &'w [u8])>,
    ) -> Result<usize> {
        for &link in links.as_slice() {
            self.meet(layer, link, met)?;
        }
        Ok(links.as_slice().len())
    }

    /// Queues a member for comparison if it is new.
    #[inline]
    fn meet(&mut self, layer: usize, index: u32, met: &mut Vec<(u32, &'w [u8])>) -> Result<()> {
        if self.scratch.visited.meet(index) { self.see(layer, index, met) } else { Ok(()) }
    }

    /// Queues a member for comparison if the snapshot has it, and prefetches its vector.
    #[inline]
    pub(super) fn see(
        &self,
        layer: usize,
        index: u32,
        met: &mut Vec<(u32, &'w [u8])>,
    ) -> Result<()> {
        if let Some(row) = self.row(layer, index)? {
            prefetch(row);
            met.push((index, row));
        }
        Ok(())
    }

    /// Compares the queued members; returns the best rank in the beam that one of them got.
    #[inline]
    pub(super) fn compare(&mut self, met: &mut Vec<(u32, &'w [u8])>) -> usize {
        let mut best = usize::MAX;
        for &(index, row) in &*met {
            let distance = self.view.space.distance(self.query, row);
            if self.scratch.beam.wants(distance) {
                best = best.min(self.scratch.beam.push(index, distance));
            }
        }
        met.clear();
        best
    }

    #[inline(always)]
    pub(super) fn accepts(&self, layer: usize, index: u32, accept: &impl Accept) -> Result<bool> {
        match node_of(&self.graph.layers[layer], layer, index)? {
            Some(node) => accept.accepts(self.view.files, node),
            None => Ok(false),
        }
    }

    #[inline]
    fn row(&self, layer: usize, index: u32) -> Result<Option<&'w [u8]>> {
        match node_of(&self.graph.layers[layer], layer, index)? {
            Some(node) => self.view.row(node),
            None => Ok(None),
        }
    }
}

/// Width of a search through a layer, and when it ends.
#[derive(Debug, Clone, Copy)]
pub struct SearchWidth {
    /// Candidates kept in the beam (`ef` in HNSW).
    pub ef: usize,
    /// How many of the nearest candidates matter.
    pub limit: usize,
    /// The search ends after this many expansions in a row that change no candidate that matters.
    pub patience: usize,
    /// Accepted neighbours wanted per expansion; bridges are taken until they are found.
    pub neighbours: usize,
}

/// Starting point of a walk through a layer.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    pub index: u32,
    pub distance: f32,
}

impl From<Candidate> for Start {
    fn from(candidate: Candidate) -> Self {
        Self { index: candidate.index(), distance: candidate.distance }
    }
}

/// Returns the node of a row of a layer.
#[inline]
pub fn node_of(layer: &Layer, number: usize, index: u32) -> Result<Option<u32>> {
    if number == 0 {
        return Ok(Some(index));
    }
    Ok(layer.member(index)?.map(|member| member.node))
}
