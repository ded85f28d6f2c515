//! A search through one layer of the graph, with a beam: the nearest members it has met, whose
//! links are followed until they lead to nothing nearer. Where it starts is told in `descent.rs`.
//!
//! Where not every node may be a result, only those that may are compared with the query. A
//! neighbour that may not is a bridge: its own neighbours are looked at in its place. So a filter
//! costs look-ups instead of comparisons, and the nodes that pass it stay connected.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Graph;
use super::beam::{Beam, Candidate};
use super::layer::{Layer, Links};
use super::visited::Visited;
use crate::error::Result;
use crate::node_set::NodeSet;
use crate::placed::PlacedFiles;
use crate::simd::prefetch;
use crate::space::Space;

/// Rows of bridges that are fetched ahead.
const BRIDGES_AHEAD: usize = 4;
/// Bridges taken to get from a start to the first node that passes.
const FIRST_BRIDGES: usize = 4096;
/// Expansions between two looks at the clock.
const EXPANSIONS_PER_LOOK: usize = 32;

/// The vectors that a walk can see.
#[derive(Debug, Clone, Copy)]
pub struct View<'v> {
    pub files: &'v PlacedFiles,
    pub space: &'v Space,
}

impl<'v> View<'v> {
    /// The row of a node, if this snapshot has it.
    #[inline]
    pub fn row(&self, node: u32) -> Result<Option<&'v [u8]>> {
        match self.files.locate(node) {
            Some((placed, row)) => Ok(Some(placed.file.row(row)?)),
            None => Ok(None),
        }
    }
}

/// Which nodes may be results.
pub trait Accept {
    /// All of them, so that nobody needs a bridge.
    const EVERYTHING: bool = false;

    fn accepts(&self, files: &PlacedFiles, node: u32) -> Result<bool>;
}

#[derive(Debug)]
pub struct Everything;

impl Accept for Everything {
    const EVERYTHING: bool = true;

    fn accepts(&self, _: &PlacedFiles, _: u32) -> Result<bool> {
        Ok(true)
    }
}

/// Nodes of documents that still have these vectors.
#[derive(Debug)]
pub struct Living;

impl Accept for Living {
    #[inline]
    fn accepts(&self, files: &PlacedFiles, node: u32) -> Result<bool> {
        Ok(files.locate(node).is_some_and(|(placed, row)| !placed.is_dead(row)))
    }
}

/// Just these nodes.
impl Accept for NodeSet {
    #[inline(always)]
    fn accepts(&self, _: &PlacedFiles, node: u32) -> Result<bool> {
        Ok(self.contains(node))
    }
}

/// Memory that a search needs, kept by its thread for the next one.
#[derive(Debug, Default)]
struct Scratch {
    visited: Visited,
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

    /// Members of an upper layer.
    pub fn members(&self, layer: usize) -> u32 {
        self.graph.layers[layer].length()
    }

    /// The same vector one layer down.
    pub fn below(&self, layer: usize, start: Start) -> Result<Start> {
        let member = self.graph.layers[layer].member(start.index)?;
        Ok(Start { index: member.map_or(start.index, |member| member.below), ..start })
    }

    /// Fills the beam with the nearest accepted members of a layer.
    pub fn search(
        &mut self,
        layer: usize,
        starts: &[Start],
        effort: Effort,
        accept: &impl Accept,
        cancelled: Option<&AtomicBool>,
    ) -> Result<&[Candidate]> {
        self.begin_beam(effort);
        let mut met = Vec::with_capacity(64);
        self.begin(layer, starts, accept, &mut met)?;
        let mut expansions = 0_usize;
        let mut unchanged = 0;
        while let Some(candidate) = self.scratch.beam.expand() {
            self.gather(layer, candidate.index(), effort.neighbours, accept, &mut met)?;
            unchanged = if self.compare(&mut met) < effort.limit { 0 } else { unchanged + 1 };
            if unchanged > effort.patience {
                break;
            }
            expansions += 1;
            if expansions.is_multiple_of(EXPANSIONS_PER_LOOK)
                && cancelled.is_some_and(|cancelled| cancelled.load(Ordering::Relaxed))
            {
                break;
            }
        }
        Ok(self.candidates())
    }

    /// Forgets what has been met.
    pub(super) fn begin_beam(&mut self, effort: Effort) {
        self.scratch.visited.clear();
        self.scratch.beam.start(effort.width, effort.limit);
    }

    /// What is in the beam, nearest first.
    pub(super) fn candidates(&self) -> &[Candidate] {
        self.scratch.beam.candidates()
    }

    /// Puts the starts into the beam, or what is accepted around them.
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

    /// Collects accepted neighbours that are new, and asks for their vectors.
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
            // One that was a bridge before leads to nothing new.
            if self.scratch.visited.meet(bridge) {
                rows.links(bridge, &mut links)?;
                self.keep(layer, &links, accept, true, &mut accepted)?;
                count += self.meet_all(layer, &accepted, met)?;
            }
        }
        Ok(())
    }

    /// Those links that are accepted, or those that are not.
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

    /// Adds a member to those to compare with, if it is new.
    #[inline]
    fn meet(&mut self, layer: usize, index: u32, met: &mut Vec<(u32, &'w [u8])>) -> Result<()> {
        if self.scratch.visited.meet(index) { self.see(layer, index, met) } else { Ok(()) }
    }

    /// Adds a member to those to compare with, if it is in sight, and asks for its vector.
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

    /// Gives the best place in the beam that one of them got.
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

/// When a search through a layer is over.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Candidates that are kept in view.
    pub width: usize,
    /// How many of them matter.
    pub limit: usize,
    /// So many expansions in a row may change nothing that matters.
    pub patience: usize,
    /// Accepted neighbours that an expansion takes bridges for.
    pub neighbours: usize,
}

/// Where a walk through a layer begins.
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

/// The node that a row of a layer stands for.
#[inline]
pub fn node_of(layer: &Layer, number: usize, index: u32) -> Result<Option<u32>> {
    if number == 0 {
        return Ok(Some(index));
    }
    Ok(layer.member(index)?.map(|member| member.node))
}
