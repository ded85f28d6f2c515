//! A search through the graph: greedily down the coarse layers, then with a beam through the
//! lowest one.
//!
//! Where not every node may be a result, only those that may are compared with the query. A
//! neighbour that may not is a bridge: its own neighbours are looked at in its place. So a filter
//! costs look-ups instead of comparisons, and the nodes that pass it stay connected.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Graph;
use super::beam::{Beam, Candidate};
use super::format::LAYERS;
use super::layer::{Layer, Links};
use super::visited::{Mark, Visited};
use crate::error::Result;
use crate::placed::{Placed, PlacedFiles};
use crate::simd::prefetch;
use crate::space::Space;

/// Neighbours that pass are enough; beyond them no bridge is taken.
const NEIGHBOURS_WANTED: usize = 24;
/// Bridges taken to get from a start to the first node that passes.
const FIRST_BRIDGES: usize = 4096;
/// Members of a layer that are tried as a start.
const STARTS: u32 = 64;
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
    /// All of them, so that nobody needs to ask.
    const EVERYTHING: bool = false;

    fn accepts(&self, placed: &Placed, row: u32) -> Result<bool>;
}

#[derive(Debug)]
pub struct Everything;

impl Accept for Everything {
    const EVERYTHING: bool = true;

    fn accepts(&self, _: &Placed, _: u32) -> Result<bool> {
        Ok(true)
    }
}

/// Nodes of documents that still have these vectors.
#[derive(Debug)]
pub struct Living;

impl Accept for Living {
    #[inline]
    fn accepts(&self, placed: &Placed, row: u32) -> Result<bool> {
        Ok(!placed.is_dead(row))
    }
}

/// Memory that a search needs, kept by its thread for the next one.
#[derive(Debug, Default)]
struct Scratch {
    visited: Visited,
    beam: Beam,
    bridges: Vec<u32>,
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

    /// A member of the highest layer that has one in sight.
    pub fn start(&self) -> Result<Option<(usize, Start)>> {
        for layer in (1..LAYERS).rev() {
            let members = self.graph.layers[layer].length();
            for index in 0..members.min(STARTS) {
                if let Some(row) = self.row(layer, index)? {
                    let distance = self.view.space.distance(self.query, row);
                    return Ok(Some((layer, Start { index, distance })));
                }
            }
        }
        Ok(None)
    }

    /// From the start to the nearest member in sight of layer `to`, going nearer at each step.
    pub fn descend(&self, from: usize, start: Start, to: usize) -> Result<Start> {
        let mut current = start;
        for layer in (to + 1..=from).rev() {
            current = self.approach(layer, current)?;
            current = self.below(layer, current)?;
        }
        Ok(current)
    }

    /// The same vector one layer down.
    pub fn below(&self, layer: usize, start: Start) -> Result<Start> {
        let member = self.graph.layers[layer].member(start.index)?;
        Ok(Start { index: member.map_or(start.index, |member| member.below), ..start })
    }

    fn approach(&self, layer: usize, mut current: Start) -> Result<Start> {
        let mut links = Links::default();
        loop {
            let from = current.index;
            self.graph.layers[layer].links(from, &mut links)?;
            for &index in links.as_slice() {
                if let Some(row) = self.row(layer, index)? {
                    let distance = self.view.space.distance(self.query, row);
                    if distance < current.distance {
                        current = Start { index, distance };
                    }
                }
            }
            if current.index == from {
                return Ok(current);
            }
        }
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
        self.scratch.visited.clear();
        self.scratch.beam.start(effort.width, effort.limit);
        let mut met = Vec::with_capacity(64);
        self.begin(layer, starts, accept, &mut met)?;
        let mut expansions = 0_usize;
        let mut unchanged = 0;
        while let Some(candidate) = self.scratch.beam.expand() {
            self.gather(layer, candidate.index, accept, &mut met)?;
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
        Ok(self.scratch.beam.candidates())
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
            if self.scratch.visited.meet(start.index) != Mark::New {
                continue;
            }
            match self.located(layer, start.index)? {
                Some((placed, row)) if accept.accepts(placed, row)? => {
                    self.scratch.beam.push(start.index, start.distance);
                }
                _ => {
                    self.scratch.visited.set(start.index, Mark::Bridged);
                    rejected.push(start.index);
                }
            }
        }
        let mut next = 0;
        while self.scratch.beam.candidates().is_empty() && next < rejected.len().min(FIRST_BRIDGES)
        {
            self.gather(layer, rejected[next], accept, met)?;
            self.compare(met);
            next += 1;
            // Neighbours that were not accepted lead on.
            let mut links = Links::default();
            self.graph.layers[layer].links(rejected[next - 1], &mut links)?;
            rejected.extend(links.as_slice().iter().filter(|&&link| {
                let is_new = self.scratch.visited.meet(link) == Mark::Rejected;
                if is_new {
                    self.scratch.visited.set(link, Mark::Bridged);
                }
                is_new
            }));
        }
        Ok(())
    }

    /// Collects accepted neighbours that are new, and asks for their vectors.
    fn gather(
        &mut self,
        layer: usize,
        index: u32,
        accept: &impl Accept,
        met: &mut Vec<(u32, &'w [u8])>,
    ) -> Result<()> {
        let mut links = Links::default();
        self.graph.layers[layer].links(index, &mut links)?;
        self.scratch.bridges.clear();
        let mut wanted = self.gather_links(layer, &links, accept, met, true)?;
        if !all_accepted(accept) {
            let mut next = 0;
            while wanted < NEIGHBOURS_WANTED && next < self.scratch.bridges.len() {
                let bridge = self.scratch.bridges[next];
                next += 1;
                self.scratch.visited.set(bridge, Mark::Bridged);
                self.graph.layers[layer].links(bridge, &mut links)?;
                wanted += self.gather_links(layer, &links, accept, met, false)?;
            }
        }
        Ok(())
    }

    /// Gives how many of the links lead to accepted nodes.
    #[inline]
    fn gather_links<A: Accept>(
        &mut self,
        layer: usize,
        links: &Links,
        accept: &A,
        met: &mut Vec<(u32, &'w [u8])>,
        with_bridges: bool,
    ) -> Result<usize> {
        let mut wanted = 0;
        for &link in links.as_slice() {
            match self.scratch.visited.meet(link) {
                Mark::New => {}
                Mark::Seen => {
                    wanted += 1;
                    continue;
                }
                Mark::Rejected => {
                    if with_bridges {
                        self.scratch.bridges.push(link);
                    }
                    continue;
                }
                Mark::Bridged => continue,
            }
            let Some((placed, row)) = self.located(layer, link)? else {
                continue;
            };
            if A::EVERYTHING || accept.accepts(placed, row)? {
                let bytes = placed.file.row(row)?;
                prefetch(bytes);
                met.push((link, bytes));
                wanted += 1;
            } else {
                self.scratch.visited.set(link, Mark::Rejected);
                if with_bridges {
                    self.scratch.bridges.push(link);
                }
            }
        }
        Ok(wanted)
    }

    /// Gives the best place in the beam that one of them got.
    #[inline]
    fn compare(&mut self, met: &mut Vec<(u32, &'w [u8])>) -> usize {
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
    fn located(&self, layer: usize, index: u32) -> Result<Option<(&'w Placed, u32)>> {
        let node = node_of(&self.graph.layers[layer], layer, index)?;
        Ok(node.and_then(|node| self.view.files.locate(node)))
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
}

/// Where a walk through a layer begins.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    pub index: u32,
    pub distance: f32,
}

impl From<Candidate> for Start {
    fn from(candidate: Candidate) -> Self {
        Self { index: candidate.index, distance: candidate.distance }
    }
}

fn all_accepted<A: Accept>(_: &A) -> bool {
    A::EVERYTHING
}

/// The node that a row of a layer stands for.
#[inline]
pub fn node_of(layer: &Layer, number: usize, index: u32) -> Result<Option<u32>> {
    if number == 0 {
        return Ok(Some(index));
    }
    Ok(layer.member(index)?.map(|member| member.node))
}
