//! Puts nodes into the graph, with several threads at a time.
//!
//! A node chooses the layers it is in by lot. One that nobody links to, and one of a cluster of
//! which nothing is above it, goes higher than that: see `upper.rs`.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use segment::SegmentError;

use super::descent::STARTS;
use super::format::{LOWEST_WIDTH, WIDTH};
use super::former::{Former, Known, LaterNode};
use super::layer::{Links, Member};
use super::reach::NEAREST;
use super::select::{Choice, select, sort};
use super::walk::{Effort, Everything, Living, Start, View, Walk, node_of};
use super::{Graph, highest_layer};
use crate::error::Result;
use parking_lot::Mutex;

/// Candidates that a new node chooses its neighbours from.
const EFFORT: Effort =
    Effort { width: 100, limit: WIDTH, patience: usize::MAX, neighbours: WIDTH + WIDTH / 2 };
/// Nodes that are entered by one thread, so that those after them find something to link to.
const FIRST_NODES: usize = 512;

/// Where a new node belongs in a layer.
#[derive(Debug)]
pub struct Place {
    neighbours: Vec<u32>,
    /// So many of them, the first, link to it already.
    mutual: usize,
    /// Whether it is in a cluster of which the layer above has nothing.
    is_apart: bool,
    /// Whether an equal one is there already.
    is_twin: bool,
}

impl Graph {
    /// Enters nodes that are alive in this view. What is asked to stop has entered some of them.
    pub fn enter_all(
        &self,
        view: View<'_>,
        nodes: &[u32],
        threads: usize,
        should_stop: &dyn Fn() -> bool,
    ) -> Result<()> {
        let alone = if self.layers[2].length() > 0 { 0 } else { FIRST_NODES.min(nodes.len()) };
        let (first, rest) = nodes.split_at(alone);
        let former = self.former();
        let enter = |node| self.enter(view, node, former.as_deref());
        first.iter().try_for_each(|&node| enter(node))?;
        work_together(rest.len(), threads, should_stop, |place| enter(rest[place]))
    }

    fn enter(&self, view: View<'_>, node: u32, former: Option<&Former>) -> Result<()> {
        let Some(query) = view.row(node)? else {
            return Ok(());
        };
        let later = former.and_then(|former| former.later_node(node));
        let is_entered = match later {
            Some(later) => later.is_entered(),
            None => {
                let mut links = Links::default();
                self.layers[0].links(node, &mut links)?;
                !links.as_slice().is_empty()
            }
        };
        if is_entered {
            return Ok(());
        }
        let known = later.map_or(Ok(None), LaterNode::known)?;
        // The first node is in the layer where searches start.
        let first_of_all = usize::from(self.layers[1].length() == 0);
        let lot = known.as_ref().map_or_else(|| highest_layer(node), |known| known.highest);
        let highest = lot.max(first_of_all);
        let places = self.places(view, node, query, highest, known.as_ref())?;
        let mut member = Member { node, below: node };
        let mut is_apart = false;
        for (number, place) in places.iter().enumerate() {
            if number > 0 {
                member.below = self.layers[number].add(member)?;
            }
            is_apart = self.settle(view, number, member.below, place)?;
        }
        if is_apart {
            self.raise(view, member, highest + 1)?;
        }
        if let Some(later) = later {
            later.set_entered();
        }
        Ok(())
    }

    /// Where a new node belongs in each of its layers, the lowest first.
    fn places(
        &self,
        view: View<'_>,
        node: u32,
        query: &[u8],
        highest: usize,
        known: Option<&Known>,
    ) -> Result<Vec<Place>> {
        let mut walk = Walk::new(self, view, query);
        let mut starts = Vec::new();
        let mut places = Vec::with_capacity(highest + 1);
        for layer in (0..=highest).rev() {
            places.push(match known.filter(|_| layer == 0) {
                Some(known) => self.known_place(view, query, known)?,
                None => self.place(&mut walk, layer, node, &mut starts)?,
            });
            if layer > 0 {
                for start in &mut starts {
                    *start = walk.below(layer, *start)?;
                }
            }
        }
        places.reverse();
        Ok(places)
    }

    /// Where a new node belongs in a layer; what is near it there takes the place of `starts`.
    pub(super) fn place(
        &self,
        walk: &mut Walk<'_>,
        layer: usize,
        node: u32,
        starts: &mut Vec<Start>,
    ) -> Result<Place> {
        if starts.is_empty() {
            *starts = walk.descend(layer, &Everything)?;
        }
        let view = walk.view();
        let query = walk.query();
        // Where every node there is can be seen and is alive, none has to be asked.
        let nodes = self.next_node.load(Ordering::Acquire);
        let found = if view.files.live_rows() == u64::from(nodes) {
            walk.search(layer, starts, EFFORT, &Everything, None)?
        } else {
            walk.search(layer, starts, EFFORT, &Living, None)?
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
        Ok(Place { neighbours, mutual: 0, is_apart, is_twin })
    }

    /// Where a node belongs in the lowest layer of which the graph before knew it. Whether it lies
    /// apart was seen to there: it is in the layers that it was in.
    fn known_place(&self, view: View<'_>, query: &[u8], known: &Known) -> Result<Place> {
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
        Ok(Place { neighbours, mutual, is_apart: false, is_twin })
    }

    /// Links a new member of a layer with its neighbours. Gives whether searches may not find it
    /// there.
    pub(super) fn settle(
        &self,
        view: View<'_>,
        layer: usize,
        index: u32,
        place: &Place,
    ) -> Result<bool> {
        self.layers[layer].update(index, |links| {
            for neighbour in &place.neighbours {
                if !links.as_slice().contains(neighbour) {
                    links.push(*neighbour);
                }
            }
            Ok(())
        })?;
        let mut is_linked = place.mutual > 0;
        for &neighbour in &place.neighbours[place.mutual..] {
            is_linked |= self.link_back(view, layer, neighbour, index)?;
        }
        // One that is all there is of an upper layer is found there; of many equal ones some are.
        let is_alone = layer > 0 && place.neighbours.is_empty();
        let is_missed = !is_linked && !is_alone && !place.is_twin;
        Ok(place.is_apart || is_missed)
    }

    /// Links `from` to a new node; a full row keeps the best. Gives whether the new one is linked.
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
            Some((placed, row)) if !placed.is_dead(row) => Ok(Some(placed.file.row(row)?)),
            _ => Ok(None),
        }
    }
}

/// Does `count` pieces of work with several threads, the caller's among them. The first error
/// ends it. `should_stop` is asked by the caller's thread only.
pub fn work_together(
    count: usize,
    threads: usize,
    should_stop: &dyn Fn() -> bool,
    work: impl Fn(usize) -> Result<()> + Sync,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let ended = AtomicBool::new(false);
    let failure = Mutex::new(None);
    let run = |asks: &dyn Fn() -> bool| {
        while !ended.load(Ordering::Relaxed) {
            let place = next.fetch_add(1, Ordering::Relaxed);
            if place >= count {
                return;
            }
            let outcome = if asks() { Err(SegmentError::Stopped.into()) } else { work(place) };
            if let Err(error) = outcome {
                ended.store(true, Ordering::Relaxed);
                failure.lock().get_or_insert(error);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.clamp(1, count.max(1)) {
            scope.spawn(|| run(&|| false));
        }
        run(should_stop);
    });
    match failure.into_inner() {
        Some(error) => Err(error),
        None => Ok(()),
    }
}
