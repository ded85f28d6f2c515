//! Puts nodes into the graph, with several threads at a time.
//!
//! A node chooses the layers it is in by lot. One that nobody links to, and one of a cluster of
//! which nothing is above it, goes higher than that: see `upper.rs`.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use segment::SegmentError;

use super::descent::STARTS;
use super::format::{LOWEST_WIDTH, WIDTH};
use super::former::{Former, KnownLinks};
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
    alone: Alone,
}

/// Whether searches may not come to a new node.
#[derive(Debug)]
struct Alone {
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
        let known = former.map_or(Ok(None), |former| former.links_of(node))?;
        let mut links = Links::default();
        self.layers[0].links(node, &mut links)?;
        // Others that are known may have linked to one that has yet to be entered.
        if !links.as_slice().is_empty() && known.is_none() {
            return Ok(());
        }
        // The first node is in the layer where searches start.
        let highest = highest_layer(node).max(usize::from(self.layers[1].length() == 0));
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
        Ok(())
    }

    /// Where a new node belongs in each of its layers, the lowest first.
    fn places(
        &self,
        view: View<'_>,
        node: u32,
        query: &[u8],
        highest: usize,
        known: Option<&KnownLinks>,
    ) -> Result<Vec<Place>> {
        let mut walk = Walk::new(self, view, query);
        let mut starts = Vec::new();
        let mut places = Vec::with_capacity(highest + 1);
        for layer in (0..=highest).rev() {
            places.push(match known.filter(|_| layer == 0) {
                Some(links) => self.known_place(&mut walk, node, links, &starts)?,
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
        // Where all are alive, none has to be asked.
        let found = if view.files.dead_rows() == 0 {
            walk.search(layer, starts, EFFORT, &Everything, None)?
        } else {
            walk.search(layer, starts, EFFORT, &Living, None)?
        };
        let others = found.iter().filter(|candidate| layer > 0 || candidate.index() != node);
        let choices = others.map(|candidate| {
            let row = self.row(view, layer, candidate.index())?.unwrap_or_default();
            Ok(Choice { distance: candidate.distance, index: candidate.index(), row })
        });
        let alone = Alone::among(choices.clone(), view, query, starts)?;
        let chosen = select(view.space, choices, WIDTH)?;
        let neighbours = chosen.iter().map(|choice| choice.index).collect();
        if !found.is_empty() {
            starts.clear();
            starts.extend(found.iter().take(STARTS).copied().map(Start::from));
        }
        Ok(Place { neighbours, mutual: 0, alone })
    }

    /// Where a node belongs in the lowest layer that had these links in the graph before.
    fn known_place(
        &self,
        walk: &mut Walk<'_>,
        node: u32,
        links: &KnownLinks,
        starts: &[Start],
    ) -> Result<Place> {
        let (view, query) = (walk.view(), walk.query());
        let mut near = Vec::with_capacity(LOWEST_WIDTH);
        for &index in links.mutual.as_slice().iter().chain(links.others.as_slice()) {
            if let Some(row) = self.living_row(view, 0, index)? {
                near.push(Choice { distance: view.space.distance(query, row), index, row });
            }
        }
        sort(node, &mut near);
        let near = near.into_iter().map(Ok);
        let alone = if starts.is_empty() {
            Alone::among(near, view, query, &walk.descend(0, &Everything)?)?
        } else {
            Alone::among(near, view, query, starts)?
        };
        let neighbours = [links.mutual.as_slice(), links.others.as_slice()].concat();
        Ok(Place { neighbours, mutual: links.mutual.as_slice().len(), alone })
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
        let is_missed = !is_linked && !is_alone && !place.alone.is_twin;
        Ok(place.alone.is_apart || is_missed)
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

impl Alone {
    /// How a new node lies among candidates, nearest first; `starts` are those of the layer above.
    fn among<'v>(
        mut candidates: impl Iterator<Item = Result<Choice<'v>>>,
        view: View<'_>,
        query: &[u8],
        starts: &[Start],
    ) -> Result<Self> {
        let nearest = candidates.next().transpose()?;
        let around = candidates.nth(NEAREST - 1).transpose()?;
        let is_far = |(above, around): (&Start, Choice<'_>)| {
            view.space.is_far(above.distance, around.distance)
        };
        Ok(Self {
            is_apart: starts.first().zip(around).is_some_and(is_far),
            is_twin: nearest.is_some_and(|nearest| nearest.row == query),
        })
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
