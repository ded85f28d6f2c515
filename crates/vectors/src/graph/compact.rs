//! Compacts the graph of a snapshot into a file: the rows of its file with the changes made in
//! memory since, renumbered, and without deleted nodes. Where a row links to a deleted node,
//! replacements are chosen from that node's links, so that no path is lost.
//!
//! The deleted nodes may also have been the way from the upper layers to others: unreachable
//! members are raised, in the graph in memory, before the upper layers are written.
//!
//! Rows are written one after the other, and only their nearest links are kept, to save memory.

use model::Cancel;
use parking_lot::Mutex;
use segment::{FrameWriter, PagesWriter};

use super::Graph;
use super::descent::WHOLE;
use super::format::{self, LAYERS, Meta};
use super::insert::work_together;
use super::layer::{Layer, Links, Member};
use super::reachability::{ABSENT, NEAREST, Nearest, Reachability};
use super::select::{Choice, add_chosen, sort};
use super::walk::{View, node_of};
use crate::error::Result;

/// Rows that one thread builds at a time.
const BLOCK: usize = 512;
/// Blocks between two writes.
const BLOCKS: usize = 64;
/// Below this many live candidates, the search expands further hops through deleted nodes.
const ENOUGH: usize = 8;
/// Most deleted nodes to pass through.
const DEAD_PASSED: usize = 64;

/// Layers of up to this many members can grow until the next compaction and stay small.
const SMALL_LAYER: u32 = WHOLE / 2;

/// The numbers that nodes get in the new graph.
pub trait Renumbering: Sync {
    /// Returns the new number of a node, if it is alive.
    fn new_node(&self, node: u32) -> Option<u32>;

    /// Returns the present number of each new node; `None` where a new number is unused.
    fn old_nodes(&self) -> &[Option<u32>];

    /// Returns the number of live nodes.
    fn living(&self) -> u32;
}

/// Writes the compacted graph file and syncs it.
pub fn write_compacted(
    graph: &Graph,
    view: View<'_>,
    nodes: &impl Renumbering,
    frame: FrameWriter,
    threads: usize,
    cancel: &Cancel,
) -> Result<()> {
    let uppers = Default::default();
    Compaction { graph, view, nodes, uppers, threads, cancel }.write(frame)
}

struct Compaction<'f, N> {
    graph: &'f Graph,
    view: View<'f>,
    nodes: &'f N,
    uppers: [UpperLayer; LAYERS],
    threads: usize,
    cancel: &'f Cancel,
}

/// Members of an upper layer that stay, and the new row of each member.
#[derive(Default)]
struct UpperLayer {
    staying: Vec<Option<u32>>,
    new: Vec<Option<u32>>,
}

/// State shared by the threads that build rows.
struct Rows<'f, N> {
    graph: &'f Graph,
    view: View<'f>,
    nodes: &'f N,
    uppers: &'f [UpperLayer; LAYERS],
}

/// Consecutive rows with their nearest links.
#[derive(Default)]
struct RowBlock {
    bytes: Vec<u8>,
    nearest: Vec<Nearest>,
}

impl<N: Renumbering> Compaction<'_, N> {
    /// Writes the layers from the lowest up. Unreachable members of a layer are raised to the one
    /// above, which is then complete, and so on.
    fn write(mut self, mut frame: FrameWriter) -> Result<()> {
        let mut pages = PagesWriter::begin(&mut frame, format::LINKS)?;
        let reach = self.write_rows(0, &mut |bytes| {
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
            let reach = self.write_rows(layer, &mut |bytes| {
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

    /// Numbers the members of an upper layer that stay; returns their count.
    fn number(&mut self, layer: usize) -> Result<u32> {
        let mut upper = UpperLayer::default();
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

    /// Returns the present row of each new row.
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

    /// Builds and writes the rows of a layer; returns how they are linked.
    fn write_rows(
        &self,
        layer: usize,
        write: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<Reachability> {
        let indexes = self.indexes(layer);
        let mut reach = Reachability::new(indexes.len());
        let rows = self.rows();
        for part in indexes.chunks(BLOCK * BLOCKS) {
            let blocks: Vec<&[Option<u32>]> = part.chunks(BLOCK).collect();
            let done: Vec<Mutex<RowBlock>> = blocks.iter().map(|_| Mutex::default()).collect();
            work_together(blocks.len(), self.threads, self.cancel, |place| {
                let mut block = done[place].lock();
                for index in blocks[place] {
                    rows.add(layer, *index, &reach, &mut block)?;
                }
                Ok(())
            })?;
            for block in done {
                let block = block.into_inner();
                reach.extend(&block.nearest);
                write(&block.bytes)?;
            }
        }
        Ok(reach)
    }

    /// Raises members of a layer to the one above until all are reachable.
    fn raise_out_of_reach(&self, layer: usize, reach: &Reachability) -> Result<()> {
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
        work_together(missing.len(), self.threads, self.cancel, |place| {
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

impl<N: Renumbering> Rows<'_, N> {
    /// Adds the row of a member, or an empty row.
    fn add(
        &self,
        layer: usize,
        index: Option<u32>,
        reach: &Reachability,
        block: &mut RowBlock,
    ) -> Result<()> {
        let end = block.bytes.len() + super::file::row_length(layer);
        let nearest = match index {
            Some(index) => self.add_member(layer, index, reach, &mut block.bytes)?,
            None => ABSENT,
        };
        block.nearest.push(nearest);
        block.bytes.resize(end, 0);
        Ok(())
    }

    fn add_member(
        &self,
        layer: usize,
        index: u32,
        reach: &Reachability,
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
        let links = self.repaired_links(layer, index)?;
        let own = self.row(layer, index)?.zip(self.new_index(layer, index)?);
        let Some((own, place)) = own.filter(|(row, _)| !self.view.space.is_zero(row)) else {
            return Ok(ABSENT);
        };
        let mut nearest = [(f32::INFINITY, place); NEAREST];
        for &link in links.as_slice() {
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

    /// Returns the links of a row, with replacements for those to deleted nodes.
    fn repaired_links(&self, layer: usize, index: u32) -> Result<Links> {
        let mut links = Links::default();
        self.layer(layer).links(index, &mut links)?;
        for &link in links.as_slice() {
            if self.new_index(layer, link)?.is_none() {
                return self.repair(layer, index, &links);
            }
        }
        Ok(links)
    }

    /// Repairs a row that links to deleted nodes: live links stay, and replacements are chosen from
    /// the links of the deleted ones.
    fn repair(&self, layer: usize, index: u32, links: &Links) -> Result<Links> {
        let Some(own) = self.row(layer, index)? else {
            return Ok(*links);
        };
        let mut live = Vec::with_capacity(64);
        let mut dead = Vec::new();
        self.partition(layer, index, links, &mut live, &mut dead)?;
        let (staying, neighbours) = (live.len(), dead.len());
        let mut behind = Links::default();
        let mut next = 0;
        while next < neighbours || (next < dead.len().min(DEAD_PASSED) && live.len() < ENOUGH) {
            self.layer(layer).links(dead[next], &mut behind)?;
            self.partition(layer, index, &behind, &mut live, &mut dead)?;
            next += 1;
        }
        let mut chosen = self.choices(layer, own, &live[..staying])?;
        let mut found = self.choices(layer, own, &live[staying..])?;
        sort(index, &mut found);
        let width = self.layer(layer).width();
        add_chosen(self.view.space, found.iter().copied().map(Ok), width, &mut chosen)?;
        // Other nodes have lost their paths to this one; the nearest make up for them.
        for near in found {
            if chosen.len() >= width - width / 5 {
                break;
            }
            if chosen.iter().all(|known| known.index != near.index) {
                chosen.push(near);
            }
        }
        let mut repaired = Links::default();
        chosen.iter().for_each(|choice| repaired.push(choice.index));
        Ok(repaired)
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

    /// Adds links to the list of the live or of the deleted.
    fn partition(
        &self,
        layer: usize,
        own: u32,
        links: &Links,
        live: &mut Vec<u32>,
        dead: &mut Vec<u32>,
    ) -> Result<()> {
        for &link in links.as_slice().iter().filter(|&&link| link != own) {
            let is_living = self.new_index(layer, link)?.is_some();
            let list = if is_living { &mut *live } else { &mut *dead };
            if !list.contains(&link) {
                list.push(link);
            }
        }
        Ok(())
    }

    /// Returns the new row of a member of a layer, if it stays.
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
