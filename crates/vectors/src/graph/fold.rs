//! Writes the graph of a snapshot to a file: the rows of its file with what has changed in memory
//! since, under new numbers, and without the nodes that have died. Where a row links to one of
//! these, what it linked to in turn is chosen from, so that no way is lost with it.
//!
//! What led to others from the layers above may have died too: what is out of reach is raised to
//! them, in the graph in memory, before they are written.
//!
//! Rows are written one after the other, and of their links only the nearest are kept, so that it
//! takes little memory.

use parking_lot::Mutex;
use segment::{FrameWriter, PagesWriter};

use super::Graph;
use super::descent::WHOLE;
use super::enter::work_together;
use super::format::{self, LAYERS, Meta};
use super::layer::{Layer, Links, Member};
use super::reach::{ABSENT, NEAREST, Nearest, Reach};
use super::select::{Choice, add_chosen, sort};
use super::walk::{View, node_of};
use crate::error::Result;

/// Rows that one thread makes at a time.
const BLOCK: usize = 512;
/// Blocks between two writes.
const BLOCKS: usize = 64;
/// With fewer living candidates than this, those behind the dead behind the dead are looked for.
const ENOUGH: usize = 8;
/// Dead nodes that are passed through at most.
const DEAD_PASSED: usize = 64;

/// Up to so many members a layer is compared whole, and will be until the next time.
const SMALL_LAYER: u32 = WHOLE / 2;

/// Which nodes there will be.
pub trait Renumbered: Sync {
    /// The new number of a node, if it is still alive.
    fn new_node(&self, node: u32) -> Option<u32>;

    /// The present number of each new node; nothing where a new number stands for none.
    fn old_nodes(&self) -> &[Option<u32>];

    /// How many of them are alive.
    fn living(&self) -> u32;
}

/// Writes a graph file and syncs it.
pub fn write_folded(
    graph: &Graph,
    view: View<'_>,
    nodes: &impl Renumbered,
    frame: FrameWriter,
    threads: usize,
    should_stop: &dyn Fn() -> bool,
) -> Result<()> {
    let uppers = Default::default();
    Fold { graph, view, nodes, uppers, threads, should_stop }.write_again(frame)
}

struct Fold<'f, N> {
    graph: &'f Graph,
    view: View<'f>,
    nodes: &'f N,
    uppers: [Upper; LAYERS],
    threads: usize,
    should_stop: &'f dyn Fn() -> bool,
}

/// Of an upper layer the members that stay, and for each member its new place.
#[derive(Default)]
struct Upper {
    staying: Vec<Option<u32>>,
    new: Vec<Option<u32>>,
}

/// What threads share of it.
struct Rows<'f, N> {
    graph: &'f Graph,
    view: View<'f>,
    nodes: &'f N,
    uppers: &'f [Upper; LAYERS],
}

/// Rows one after the other.
#[derive(Default)]
struct Made {
    bytes: Vec<u8>,
    nearest: Vec<Nearest>,
}

impl<N: Renumbered> Fold<'_, N> {
    /// The lowest layer first. What is out of reach in a layer is raised to the one above, which
    /// is complete then, and so on upwards.
    fn write_again(mut self, mut frame: FrameWriter) -> Result<()> {
        let mut pages = PagesWriter::begin(&mut frame, format::LINKS)?;
        let reach = self.make_rows(0, &mut |bytes| {
            pages.pending.extend_from_slice(bytes);
            Ok(pages.flush(&mut frame)?)
        })?;
        pages.finish(&mut frame, format::LINK_PAGES)?;
        self.raise_out_of_reach(0, &reach)?;
        drop(reach);

        let mut meta = Meta { living: self.nodes.living(), rows: [0; LAYERS] };
        meta.rows[0] = self.nodes.old_nodes().len() as u32;
        let mut pages = PagesWriter::begin(&mut frame, format::UPPER)?;
        for layer in 1..LAYERS {
            meta.rows[layer] = self.number(layer)?;
            let reach = self.make_rows(layer, &mut |bytes| {
                pages.pending.extend_from_slice(bytes);
                Ok(pages.flush(&mut frame)?)
            })?;
            if meta.rows[layer] > SMALL_LAYER {
                self.raise_out_of_reach(layer, &reach)?;
            }
        }
        pages.finish(&mut frame, format::UPPER_PAGES)?;
        frame.section(format::META, &meta.to_bytes())?;
        frame.finish()?;
        Ok(())
    }

    /// Numbers the members of an upper layer that stay; gives how many there are.
    fn number(&mut self, layer: usize) -> Result<u32> {
        let mut upper = Upper::default();
        for index in 0..self.graph.layers[layer].length() {
            let node = node_of(&self.graph.layers[layer], layer, index)?;
            let stays = node.is_some_and(|node| self.nodes.new_node(node).is_some());
            upper.new.push(stays.then_some(upper.staying.len() as u32));
            if stays {
                upper.staying.push(Some(index));
            }
        }
        let count = upper.staying.len() as u32;
        self.uppers[layer] = upper;
        Ok(count)
    }

    /// The present place of each new row.
    fn indexes(&self, layer: usize) -> &[Option<u32>] {
        match layer {
            0 => self.nodes.old_nodes(),
            _ => &self.uppers[layer].staying,
        }
    }

    fn rows(&self) -> Rows<'_, N> {
        let (graph, view, nodes) = (self.graph, self.view, self.nodes);
        Rows { graph, view, nodes, uppers: &self.uppers }
    }

    /// Makes the rows of a layer and writes them; gives how they are linked.
    fn make_rows(&self, layer: usize, write: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<Reach> {
        let indexes = self.indexes(layer);
        let mut reach = Reach::new(indexes.len());
        let rows = self.rows();
        for part in indexes.chunks(BLOCK * BLOCKS) {
            let blocks: Vec<&[Option<u32>]> = part.chunks(BLOCK).collect();
            let done: Vec<Mutex<Made>> = blocks.iter().map(|_| Mutex::default()).collect();
            work_together(blocks.len(), self.threads, self.should_stop, |place| {
                let mut made = done[place].lock();
                for index in blocks[place] {
                    rows.make(layer, *index, &reach, &mut made)?;
                }
                Ok(())
            })?;
            for block in done {
                let made = block.into_inner();
                reach.extend(&made.nearest);
                write(&made.bytes)?;
            }
        }
        Ok(reach)
    }

    /// Raises members of a layer to the one above until all are within reach.
    fn raise_out_of_reach(&self, layer: usize, reach: &Reach) -> Result<()> {
        let (graph, view) = (self.graph, self.view);
        let Some(above) = graph.layers.get(layer + 1) else {
            return Ok(());
        };
        let (indexes, rows) = (self.indexes(layer), self.rows());
        let mut is_above = vec![false; indexes.len()];
        for index in 0..above.length() {
            if let Some(member) = above.member(index)?
                && let Some(place) = rows.new_index(layer, member.below)?
                && let Some(is_above) = is_above.get_mut(place as usize)
            {
                *is_above = true;
            }
        }
        let missing = reach.out_of_reach(&is_above);
        work_together(missing.len(), self.threads, self.should_stop, |place| {
            let index = indexes.get(missing[place] as usize).copied().flatten();
            let Some(below) = index else {
                return Ok(());
            };
            match node_of(&graph.layers[layer], layer, below)? {
                Some(node) => graph.raise(view, Member { node, below }, layer + 1),
                None => Ok(()),
            }
        })
    }
}

impl<N: Renumbered> Rows<'_, N> {
    /// Adds the row of a member, or an empty one.
    fn make(&self, layer: usize, index: Option<u32>, reach: &Reach, made: &mut Made) -> Result<()> {
        let end = made.bytes.len() + super::file::row_length(layer);
        let nearest = match index {
            Some(index) => self.make_member(layer, index, reach, &mut made.bytes)?,
            None => ABSENT,
        };
        made.nearest.push(nearest);
        made.bytes.resize(end, 0);
        Ok(())
    }

    fn make_member(
        &self,
        layer: usize,
        index: u32,
        reach: &Reach,
        out: &mut Vec<u8>,
    ) -> Result<Nearest> {
        let mut put = |number: u32| out.extend_from_slice(&(number + 1).to_le_bytes());
        if layer > 0
            && let Some(member) = self.graph.layers[layer].member(index)?
        {
            let below = self.new_index(layer - 1, member.below)?;
            put(self.nodes.new_node(member.node).unwrap_or_default());
            put(below.unwrap_or_default());
        }
        let kept = self.kept(layer, index)?;
        let own = self.row(layer, index)?.zip(self.new_index(layer, index)?);
        let Some((own, place)) = own.filter(|(row, _)| !self.view.space.is_zero(row)) else {
            return Ok(ABSENT);
        };
        let mut nearest = [(f32::INFINITY, place); NEAREST];
        for &link in kept.as_slice() {
            let (Some(new), Some(row)) = (self.new_index(layer, link)?, self.row(layer, link)?)
            else {
                continue;
            };
            put(new);
            reach.note_link(new);
            let distance = self.view.space.distance(own, row);
            if let Some(place) = nearest.iter().position(|known| distance < known.0) {
                nearest[place..].rotate_right(1);
                nearest[place] = (distance, new);
            }
        }
        Ok(nearest.map(|(_, link)| link))
    }

    /// The links of a row, with others in place of those that have died.
    fn kept(&self, layer: usize, index: u32) -> Result<Links> {
        let mut links = Links::default();
        self.layer(layer).links(index, &mut links)?;
        for &link in links.as_slice() {
            if self.new_index(layer, link)?.is_none() {
                return self.mended(layer, index, &links);
            }
        }
        Ok(links)
    }

    /// A row with other links in place of those that have died. The living ones stay; what is
    /// behind the dead is chosen from.
    fn mended(&self, layer: usize, index: u32, links: &Links) -> Result<Links> {
        let Some(own) = self.row(layer, index)? else {
            return Ok(*links);
        };
        let mut living = Vec::with_capacity(64);
        let mut dead = Vec::new();
        self.sort_out(layer, index, links, &mut living, &mut dead)?;
        let (staying, neighbours) = (living.len(), dead.len());
        let mut behind = Links::default();
        let mut next = 0;
        while next < neighbours || (next < dead.len().min(DEAD_PASSED) && living.len() < ENOUGH) {
            self.layer(layer).links(dead[next], &mut behind)?;
            self.sort_out(layer, index, &behind, &mut living, &mut dead)?;
            next += 1;
        }
        let mut chosen = self.choices(layer, own, &living[..staying])?;
        let mut found = self.choices(layer, own, &living[staying..])?;
        sort(index, &mut found);
        let width = self.layer(layer).width();
        add_chosen(self.view.space, found.iter().copied().map(Ok), width, &mut chosen)?;
        // With the dead, other nodes have lost ways to here; the nearest make up for them.
        for near in found {
            if chosen.len() >= width - width / 5 {
                break;
            }
            if chosen.iter().all(|known| known.index != near.index) {
                chosen.push(near);
            }
        }
        let mut mended = Links::default();
        chosen.iter().for_each(|choice| mended.push(choice.index));
        Ok(mended)
    }

    fn choices(&self, layer: usize, own: &[u8], indexes: &[u32]) -> Result<Vec<Choice<'_>>> {
        let mut choices = Vec::with_capacity(indexes.len());
        for &index in indexes {
            if let Some(row) = self.row(layer, index)? {
                choices.push(Choice { distance: self.view.space.distance(own, row), index, row });
            }
        }
        Ok(choices)
    }

    /// Adds links to the living or to the dead.
    fn sort_out(
        &self,
        layer: usize,
        own: u32,
        links: &Links,
        living: &mut Vec<u32>,
        dead: &mut Vec<u32>,
    ) -> Result<()> {
        for &link in links.as_slice().iter().filter(|&&link| link != own) {
            let is_living = self.new_index(layer, link)?.is_some();
            let list = if is_living { &mut *living } else { &mut *dead };
            if !list.contains(&link) {
                list.push(link);
            }
        }
        Ok(())
    }

    /// The new place of a member of a layer, if it stays.
    fn new_index(&self, layer: usize, index: u32) -> Result<Option<u32>> {
        if layer == 0 {
            return Ok(self.nodes.new_node(index));
        }
        Ok(self.uppers[layer].new.get(index as usize).copied().flatten())
    }

    fn row(&self, layer: usize, index: u32) -> Result<Option<&[u8]>> {
        match node_of(self.layer(layer), layer, index)? {
            Some(node) => self.view.row(node),
            None => Ok(None),
        }
    }

    fn layer(&self, layer: usize) -> &Layer {
        &self.graph.layers[layer]
    }
}
