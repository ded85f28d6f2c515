//! Inserts nodes into the graph, with several threads at a time.
//!
//! The highest layer of a node is drawn by lot. A node without incoming links, and one of a cluster
//! that has no member above it, goes higher than that: see `upper.rs`.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use model::Cancel;

use super::descent::STARTS;
use super::format::{LOWEST_WIDTH, WIDTH};
use super::layer::{Links, Member};
use super::previous_graph::{ConcurrentNode, PreviousGraph, PreviousLinks};
use super::reachability::NEAREST;
use super::select::{Choice, select, sort};
use super::walk::{AcceptAll, LiveOnly, SearchWidth, Start, View, Walk, node_of};
use super::{Graph, highest_layer};
use crate::error::{Result, VectorsError};
use parking_lot::Mutex;

/// Search from which a new node chooses its neighbours (`efConstruction` 100, `M` 16 in HNSW).
const INSERT_WIDTH: SearchWidth =
    SearchWidth { ef: 100, limit: WIDTH, patience: usize::MAX, neighbours: WIDTH + WIDTH / 2 };
/// Nodes inserted by a single thread, so that later ones find something to link to.
const FIRST_NODES: usize = 512;

/// The position of a new node in one layer: the links that it gets there.
#[derive(Debug)]
pub struct LayerPosition {
    neighbours: Vec<u32>,
    /// How many of the neighbours, the first ones, link to it already.
    mutual: usize,
    /// True if it is in a cluster that has no member in the layer above.
    is_apart: bool,
    /// True if an equal vector is in the layer already.
    is_twin: bool,
}

impl Graph {
    /// Inserts nodes that are alive in this view. When stopped, some of them have been inserted.
    pub fn insert_all(
        &self,
        view: View<'_>,
        nodes: &[u32],
        threads: usize,
        cancel: &Cancel,
    ) -> Result<()> {
        let alone = if self.layers[2].length() > 0 { 0 } else { FIRST_NODES.min(nodes.len()) };
        let (first, rest) = nodes.split_at(alone);
        let previous = self.previous();
        let insert = |node| self.insert(view, node, previous.as_deref());
        first.iter().try_for_each(|&node| insert(node))?;
        work_together(rest.len(), threads, cancel, |index| insert(rest[index]))
    }

    fn insert(&self, view: View<'_>, node: u32, previous: Option<&PreviousGraph>) -> Result<()> {
        let Some(query) = view.row(node)? else {
            return Ok(());
        };
        let concurrent = previous.and_then(|previous| previous.concurrent_node(node));
        let is_inserted = match concurrent {
            Some(concurrent) => concurrent.is_inserted(),
            None => {
                let mut links = Links::default();
                self.layers[0].links(node, &mut links)?;
                !links.as_slice().is_empty()
            }
        };
        if is_inserted {
            return Ok(());
        }
        let known = concurrent.map_or(Ok(None), ConcurrentNode::known)?;
        // The first node goes into the layer where searches start.
        let first_of_all = usize::from(self.layers[1].length() == 0);
        let lot = known.as_ref().map_or_else(|| highest_layer(node), |known| known.highest);
        let highest = lot.max(first_of_all);
        let positions = self.find_positions(view, node, query, highest, known.as_ref())?;
        let mut member = Member { node, below: node };
        let mut is_apart = false;
        for (number, position) in positions.iter().enumerate() {
            if number > 0 {
                member.below = self.layers[number].add(member)?;
            }
            is_apart = self.link_member(view, number, member.below, position)?;
        }
        if is_apart {
            self.raise(view, member, highest + 1)?;
        }
        if let Some(concurrent) = concurrent {
            concurrent.set_inserted();
        }
        Ok(())
    }

    /// Finds the position of a new node in each of its layers, the lowest first.
    fn find_positions(
        &self,
        view: View<'_>,
        node: u32,
        query: &[u8],
        highest: usize,
        known: Option<&PreviousLinks>,
    ) -> Result<Vec<LayerPosition>> {
        let mut walk = Walk::new(self, view, query);
        let mut starts = Vec::new();
        let mut positions = Vec::with_capacity(highest + 1);
        for layer in (0..=highest).rev() {
            positions.push(match known.filter(|_| layer == 0) {
                Some(known) => self.previous_position(view, query, known)?,
                None => self.find_position(&mut walk, layer, node, &mut starts)?,
            });
            if layer > 0 {
                for start in &mut starts {
                    *start = walk.below(layer, *start)?;
                }
            }
        }
        positions.reverse();
        Ok(positions)
    }

    /// Finds the position of a new node in a layer; replaces `starts` by the nearest members there.
    pub(super) fn find_position(
        &self,
        walk: &mut Walk<'_>,
        layer: usize,
        node: u32,
        starts: &mut Vec<Start>,
    ) -> Result<LayerPosition> {
        if starts.is_empty() {
            *starts = walk.descend(layer, &AcceptAll)?;
        }
        let view = walk.view();
        let query = walk.query();
        // If the view has every node, and all alive, no node has to be checked.
        let nodes = self.next_node.load(Ordering::Acquire);
        let found = if view.files.live_rows() == u64::from(nodes) {
            walk.search(layer, starts, INSERT_WIDTH, &AcceptAll, None)?
        } else {
            walk.search(layer, starts, INSERT_WIDTH, &LiveOnly, None)?
        };
        let others = found.iter().filter(|candidate| layer > 0 || candidate.index() != node);
        let choices = others.clone().map(|candidate| {
            let row = self.row(view, layer, candidate.index())?.unwrap_or_default();
            Ok(Choice { distance: candidate.distance, index: candidate.index(), row })
        });
        let chosen = select(view.space, choices, WIDTH)?;
        let neighbours = chosen.iter().map(|choice| choice.index).collect();
        let above = starts.first().map(|start| start.distance);
        let is_twin = match others.clone().next() {
            Some(nearest) => self.row(view, layer, nearest.index())? == Some(query),
            None => false,
        };
        let around = others.map(|candidate| candidate.distance).nth(NEAREST);
        let is_apart =
            above.zip(around).is_some_and(|(above, around)| view.space.is_far(above, around));
        if !found.is_empty() {
            starts.clear();
            starts.extend(found.iter().take(STARTS).copied().map(Start::from));
        }
        Ok(LayerPosition { neighbours, mutual: 0, is_apart, is_twin })
    }

    /// Returns the position of a node in the lowest layer from its links in the previous graph.
    /// That graph has checked whether it lies apart: the node keeps the layers it had there.
    fn previous_position(
        &self,
        view: View<'_>,
        query: &[u8],
        known: &PreviousLinks,
    ) -> Result<LayerPosition> {
        let mut neighbours = Vec::with_capacity(LOWEST_WIDTH);
        let (mut mutual, mut is_twin) = (0, false);
        for (links, is_mutual) in [(&known.mutual, true), (&known.others, false)] {
            for &link in links.as_slice() {
                if let Some(row) = self.living_row(view, 0, link)? {
                    neighbours.push(link);
                    is_twin |= row == query;
                    mutual += usize::from(is_mutual);
                }
            }
        }
        Ok(LayerPosition { neighbours, mutual, is_apart: false, is_twin })
    }

    /// Links a new member of a layer with its neighbours. Returns whether searches may miss it.
    pub(super) fn link_member(
        &self,
        view: View<'_>,
        layer: usize,
        index: u32,
        position: &LayerPosition,
    ) -> Result<bool> {
        self.layers[layer].update(index, |links| {
            for neighbour in &position.neighbours {
                if !links.as_slice().contains(neighbour) {
                    links.push(*neighbour);
                }
            }
            Ok(())
        })?;
        let mut is_linked = position.mutual > 0;
        for &neighbour in &position.neighbours[position.mutual..] {
            is_linked |= self.link_back(view, layer, neighbour, index)?;
        }
        // The only member of an upper layer is found anyway, and so are some of many equal vectors.
        let is_alone = layer > 0 && position.neighbours.is_empty();
        let is_missed = !is_linked && !is_alone && !position.is_twin;
        Ok(position.is_apart || is_missed)
    }

    /// Links `from` to a new node; a full row keeps the best. Returns whether the link was kept.
    fn link_back(&self, view: View<'_>, layer: usize, from: u32, to: u32) -> Result<bool> {
        let width = self.layers[layer].width();
        self.layers[layer].update(from, |links| {
            if links.as_slice().contains(&to) {
                return Ok(true);
            }
            if links.as_slice().len() < width {
                links.push(to);
                return Ok(true);
            }
            let Some(own) = self.row(view, layer, from)? else {
                return Ok(false);
            };
            let mut choices = Vec::with_capacity(width + 1);
            for &index in links.as_slice().iter().chain([&to]) {
                if let Some(row) = self.living_row(view, layer, index)? {
                    choices.push(Choice { distance: view.space.distance(own, row), index, row });
                }
            }
            sort(from, &mut choices);
            let chosen = select(view.space, choices.into_iter().map(Ok), width)?;
            links.clear();
            chosen.iter().for_each(|choice| links.push(choice.index));
            Ok(links.as_slice().contains(&to))
        })
    }

    fn row<'v>(&self, view: View<'v>, layer: usize, index: u32) -> Result<Option<&'v [u8]>> {
        match node_of(&self.layers[layer], layer, index)? {
            Some(node) => view.row(node),
            None => Ok(None),
        }
    }

    fn living_row<'v>(&self, view: View<'v>, layer: usize, index: u32) -> Result<Option<&'v [u8]>> {
        let node = node_of(&self.layers[layer], layer, index)?;
        match node.and_then(|node| view.files.locate(node)) {
            Some((numbered, row)) if !numbered.is_dead(row) => Ok(Some(numbered.file.row(row)?)),
            _ => Ok(None),
        }
    }
}

/// Runs `count` jobs on several threads, including the caller's, until the first error.
pub fn work_together(
    count: usize,
    threads: usize,
    cancel: &Cancel,
    work: impl Fn(usize) -> Result<()> + Sync,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let ended = AtomicBool::new(false);
    let failure = Mutex::new(None);
    let run = || {
        while !ended.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return;
            }
            if let Err(error) =
                cancel.check().map_err(VectorsError::from).and_then(|()| work(index))
            {
                ended.store(true, Ordering::Relaxed);
                failure.lock().get_or_insert(error);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.clamp(1, count.max(1)) {
            scope.spawn(run);
        }
        run();
    });
    match failure.into_inner() {
        Some(error) => Err(error),
        None => Ok(()),
    }
}
