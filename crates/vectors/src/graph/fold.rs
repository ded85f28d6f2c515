//! Writes the graph of a snapshot to a file: the rows of its file with what has changed in memory
//! since, under new numbers, and without the nodes that have died. Where a row links to one of
//! these, what it linked to in turn is chosen from, so that no way is lost with it.
//!
//! Rows are written one after the other and nothing is kept of them, so that the memory it takes
//! does not grow with the links.

use parking_lot::Mutex;
use segment::{FrameWriter, PagesWriter, Tag};

use super::Graph;
use super::enter::work_together;
use super::format::{self, LAYERS, Meta};
use super::layer::{Layer, Links};
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
    mut frame: FrameWriter,
    threads: usize,
    should_stop: &dyn Fn() -> bool,
) -> Result<()> {
    let mut fold =
        Fold { graph, view, nodes, new_indexes: Default::default(), threads, should_stop };
    let mut meta = Meta { living: nodes.living(), rows: [0; LAYERS] };
    meta.rows[0] = nodes.old_nodes().len() as u32;
    fold.write_layers(&mut frame, 0..1, format::LINKS, format::LINK_PAGES)?;
    for layer in 1..LAYERS {
        meta.rows[layer] = fold.number(layer)?;
    }
    fold.write_layers(&mut frame, 1..LAYERS, format::UPPER, format::UPPER_PAGES)?;
    frame.section(format::META, &meta.to_bytes())?;
    frame.finish()?;
    Ok(())
}

struct Fold<'f, N> {
    graph: &'f Graph,
    view: View<'f>,
    nodes: &'f N,
    /// For each upper layer, the members that stay, and for each member its new place.
    new_indexes: [UpperIndexes; LAYERS],
    threads: usize,
    should_stop: &'f dyn Fn() -> bool,
}

#[derive(Default)]
struct UpperIndexes {
    staying: Vec<Option<u32>>,
    new: Vec<Option<u32>>,
}

/// What threads share of it.
struct Rows<'f, N> {
    graph: &'f Graph,
    view: View<'f>,
    nodes: &'f N,
    new_indexes: &'f [UpperIndexes; LAYERS],
}

impl<N: Renumbered> Fold<'_, N> {
    /// Numbers the members of an upper layer that stay; gives how many there are.
    fn number(&mut self, layer: usize) -> Result<u32> {
        let members = self.graph.layers[layer].length();
        let mut indexes = UpperIndexes::default();
        for index in 0..members {
            let node = node_of(&self.graph.layers[layer], layer, index)?;
            let stays = node.is_some_and(|node| self.nodes.new_node(node).is_some());
            indexes.new.push(stays.then_some(indexes.staying.len() as u32));
            if stays {
                indexes.staying.push(Some(index));
            }
        }
        let count = indexes.staying.len() as u32;
        self.new_indexes[layer] = indexes;
        Ok(count)
    }

    fn write_layers(
        &self,
        frame: &mut FrameWriter,
        layers: std::ops::Range<usize>,
        tag: Tag,
        sums: Tag,
    ) -> Result<()> {
        let mut pages = PagesWriter::begin(frame, tag)?;
        let (graph, view, nodes) = (self.graph, self.view, self.nodes);
        let rows = Rows { graph, view, nodes, new_indexes: &self.new_indexes };
        for layer in layers {
            let indexes = match layer {
                0 => self.nodes.old_nodes(),
                _ => &self.new_indexes[layer].staying,
            };
            for part in indexes.chunks(BLOCK * BLOCKS) {
                let blocks: Vec<&[Option<u32>]> = part.chunks(BLOCK).collect();
                let done: Vec<Mutex<Vec<u8>>> = blocks.iter().map(|_| Mutex::default()).collect();
                work_together(blocks.len(), self.threads, self.should_stop, |place| {
                    let mut out = done[place].lock();
                    for index in blocks[place] {
                        rows.write(layer, *index, &mut out)?;
                    }
                    Ok(())
                })?;
                for block in done {
                    pages.pending.extend_from_slice(&block.into_inner());
                    pages.flush(frame)?;
                }
            }
        }
        Ok(pages.finish(frame, sums)?)
    }
}

impl<N: Renumbered> Rows<'_, N> {
    /// Adds the row of a member, or an empty one.
    fn write(&self, layer: usize, index: Option<u32>, out: &mut Vec<u8>) -> Result<()> {
        let end = out.len() + super::file::row_length(layer);
        if let Some(index) = index {
            self.write_member(layer, index, out)?;
        }
        out.resize(end, 0);
        Ok(())
    }

    fn write_member(&self, layer: usize, index: u32, out: &mut Vec<u8>) -> Result<()> {
        let mut put = |number: u32| out.extend_from_slice(&(number + 1).to_le_bytes());
        if layer > 0
            && let Some(member) = self.graph.layers[layer].member(index)?
        {
            let below = self.new_index(layer - 1, member.below)?;
            put(self.nodes.new_node(member.node).unwrap_or_default());
            put(below.unwrap_or_default());
        }
        let mut links = Links::default();
        self.layer(layer).links(index, &mut links)?;
        let mut kept = Links::default();
        for &link in links.as_slice() {
            match self.new_index(layer, link)? {
                Some(_) => kept.push(link),
                None => {
                    kept = self.mended(layer, index, &links)?;
                    break;
                }
            }
        }
        for &link in kept.as_slice() {
            if let Some(link) = self.new_index(layer, link)? {
                put(link);
            }
        }
        Ok(())
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
        Ok(self.new_indexes[layer].new.get(index as usize).copied().flatten())
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
