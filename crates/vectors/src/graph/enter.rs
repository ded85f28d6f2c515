//! Puts nodes into the graph, with several threads at a time.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use segment::SegmentError;

use super::format::{LAYERS, WIDTH};
use super::layer::{Links, Member};
use super::select::{Choice, select, sort};
use super::walk::{Effort, Living, Start, View, Walk, node_of};
use super::{Graph, highest_layer};
use crate::error::Result;
use parking_lot::Mutex;

/// Candidates that a new node chooses its neighbours from.
const EFFORT: Effort =
    Effort { width: 100, limit: WIDTH, patience: usize::MAX, neighbours: WIDTH + WIDTH / 2 };
/// Nodes that are entered by one thread, so that those after them find something to link to.
const FIRST_NODES: usize = 512;

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
        for &node in first {
            self.enter(view, node)?;
        }
        work_together(rest.len(), threads, should_stop, |place| self.enter(view, rest[place]))
    }

    fn enter(&self, view: View<'_>, node: u32) -> Result<()> {
        let Some(query) = view.row(node)? else {
            return Ok(());
        };
        let mut links = Links::default();
        self.layers[0].links(node, &mut links)?;
        if !links.as_slice().is_empty() {
            return Ok(());
        }
        // The first node is in the layer where searches start.
        let highest = highest_layer(node).max(usize::from(self.layers[1].length() == 0));
        let neighbours = self.neighbours(view, node, query, highest)?;
        let mut index = node;
        for (number, neighbours) in neighbours.iter().enumerate().take(highest + 1) {
            let layer = &self.layers[number];
            if number > 0 {
                index = layer.add(Member { node, below: index })?;
            }
            layer.update(index, |links| {
                neighbours.iter().for_each(|&neighbour| links.push(neighbour));
                Ok(())
            })?;
            for &neighbour in neighbours {
                self.link_back(view, number, neighbour, index)?;
            }
        }
        Ok(())
    }

    /// The links of a new node in each of its layers.
    fn neighbours(
        &self,
        view: View<'_>,
        node: u32,
        query: &[u8],
        highest: usize,
    ) -> Result<[Vec<u32>; LAYERS]> {
        let mut neighbours: [Vec<u32>; LAYERS] = Default::default();
        let mut walk = Walk::new(self, view, query);
        let Some((top, start)) = walk.start()? else {
            return Ok(neighbours);
        };
        let mut start = walk.descend(top, start, highest.min(top))?;
        for layer in (0..=highest.min(top)).rev() {
            let found = walk.search(layer, &[start], EFFORT, &Living, None)?;
            let choices = found.iter().filter(|candidate| layer > 0 || candidate.index() != node);
            let choices = choices.map(|candidate| {
                let row = self.row(view, layer, candidate.index())?.unwrap_or_default();
                Ok(Choice { distance: candidate.distance, index: candidate.index(), row })
            });
            let chosen = select(view.space, choices, WIDTH)?;
            neighbours[layer] = chosen.iter().map(|choice| choice.index).collect();
            if let Some(&nearest) = found.first() {
                start = Start::from(nearest);
            }
            if layer > 0 {
                start = walk.below(layer, start)?;
            }
        }
        Ok(neighbours)
    }

    /// Links `from` to a new node; a full row keeps the best.
    fn link_back(&self, view: View<'_>, layer: usize, from: u32, to: u32) -> Result<()> {
        let width = self.layers[layer].width();
        self.layers[layer].update(from, |links| {
            if links.as_slice().contains(&to) {
                return Ok(());
            }
            if links.as_slice().len() < width {
                links.push(to);
                return Ok(());
            }
            let Some(own) = self.row(view, layer, from)? else {
                return Ok(());
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
            Ok(())
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
