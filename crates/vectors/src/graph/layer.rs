//! One layer of the graph: a row of links for each member. Rows of the file are overlaid by rows in
//! memory: those of new members, and copies of changed ones.
//!
//! A word is a number plus one, and 0 means none, in the file and in memory. Readers take no lock:
//! of a row that is being changed they see some old and some new links, all of which are valid.
//! Writers of the same row take turns.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;

use super::file::GraphFile;
use super::format::{self, LOWEST_WIDTH};
use super::rows::Rows;
use crate::error::{Result, VectorsError};
use crate::simd::prefetch;

/// Number of locks shared by all rows; more than there are threads is enough.
const LOCKS: usize = 256;

#[derive(Debug)]
pub struct Layer {
    number: usize,
    file: Option<Arc<GraphFile>>,
    /// Number of rows in the file.
    file_rows: u32,
    /// Number of the copy of each row of the file, plus one.
    copy_of: Rows,
    copies: Rows,
    copies_count: AtomicU32,
    /// Rows of members that are not in the file.
    new: Rows,
    /// Number of members; not counted in the lowest layer.
    length: AtomicU32,
    locks: Box<[Mutex<()>]>,
}

/// The links of a row.
#[derive(Debug, Clone, Copy)]
pub struct Links {
    numbers: [u32; LOWEST_WIDTH],
    length: usize,
}

/// Node and lower row of a member of an upper layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    pub node: u32,
    /// Its row in the layer below.
    pub below: u32,
}

enum Row<'r> {
    File(&'r [[u8; 4]]),
    Memory(&'r [AtomicU32]),
}

impl Default for Links {
    fn default() -> Self {
        Self { numbers: [0; LOWEST_WIDTH], length: 0 }
    }
}

impl Links {
    pub fn as_slice(&self) -> &[u32] {
        &self.numbers[..self.length]
    }

    pub fn clear(&mut self) {
        self.length = 0;
    }

    /// Adds a link, unless the row is full.
    pub fn push(&mut self, link: u32) {
        if let Some(place) = self.numbers.get_mut(self.length) {
            *place = link;
            self.length += 1;
        }
    }
}

impl Links {
    /// Adds a link if `is_wanted`, without a branch on that.
    #[inline(always)]
    pub fn push_if(&mut self, link: u32, is_wanted: bool) {
        if let Some(place) = self.numbers.get_mut(self.length) {
            *place = link;
            self.length += usize::from(is_wanted);
        }
    }
}

impl Layer {
    pub fn new(number: usize, file: Option<Arc<GraphFile>>) -> Self {
        let file_rows = file.as_ref().map_or(0, |file| file.rows(number));
        let width = format::header(number) + format::width(number);
        Self {
            number,
            file,
            file_rows,
            copy_of: Rows::new(1),
            copies: Rows::new(width),
            copies_count: AtomicU32::new(0),
            new: Rows::new(width),
            length: AtomicU32::new(file_rows),
            locks: (0..LOCKS).map(|_| Mutex::new(())).collect(),
        }
    }

    /// Returns the number of members of an upper layer, including those that are just being added.
    pub fn length(&self) -> u32 {
        self.length.load(Ordering::Acquire)
    }

    /// Returns the capacity of a row.
    pub fn width(&self) -> usize {
        format::width(self.number)
    }

    /// Adds a member to an upper layer. It is visible at once and has no links yet.
    pub fn add(&self, member: Member) -> Result<u32> {
        let claim = |length: u32| length.checked_add(1).filter(|&length| length != u32::MAX);
        let index = self
            .length
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, claim)
            .map_err(|_| VectorsError::Full)?;
        let row = self.new.get_or_new(index - self.file_rows);
        row[1].store(member.below + 1, Ordering::Relaxed);
        row[0].store(member.node + 1, Ordering::Release);
        Ok(index)
    }

    /// Returns a member of an upper layer; `None` if there is no such member (yet).
    #[inline]
    pub fn member(&self, index: u32) -> Result<Option<Member>> {
        let (node, below) = match self.row(index)? {
            None => return Ok(None),
            Some(Row::File(words)) => (u32::from_le_bytes(words[0]), u32::from_le_bytes(words[1])),
            Some(Row::Memory(words)) => {
                (words[0].load(Ordering::Acquire), words[1].load(Ordering::Relaxed))
            }
        };
        let member = node.checked_sub(1).zip(below.checked_sub(1));
        Ok(member.map(|(node, below)| Member { node, below }))
    }

    /// Reads the links of a row into `links`.
    #[inline]
    pub fn links(&self, index: u32, links: &mut Links) -> Result<()> {
        let header = format::header(self.number);
        match self.row(index)? {
            None => links.clear(),
            Some(Row::File(words)) => {
                links.read(words[header..].iter().map(|word| u32::from_le_bytes(*word)));
            }
            Some(Row::Memory(words)) => {
                links.read(words[header..].iter().map(|word| word.load(Ordering::Acquire)));
            }
        }
        Ok(())
    }

    /// Prefetches a row that will be read soon.
    #[inline]
    pub fn prefetch(&self, index: u32) -> Result<()> {
        match self.row(index)? {
            None => {}
            Some(Row::File(words)) => prefetch(words.as_flattened()),
            Some(Row::Memory(words)) => prefetch(words),
        }
        Ok(())
    }

    /// Changes the links of a row, one writer at a time.
    pub fn update<T>(&self, index: u32, change: impl FnOnce(&mut Links) -> Result<T>) -> Result<T> {
        let _turn = self.locks[index as usize % LOCKS].lock();
        let mut links = Links::default();
        self.links(index, &mut links)?;
        let outcome = change(&mut links)?;
        let row = self.row_to_write(index)?;
        let words = &row[format::header(self.number)..];
        for (place, word) in words.iter().enumerate() {
            let link = links.as_slice().get(place).map_or(0, |link| link + 1);
            word.store(link, Ordering::Release);
        }
        Ok(outcome)
    }

    /// Returns the number of rows of the file that have changed since.
    pub fn copies(&self) -> u32 {
        self.copies_count.load(Ordering::Relaxed)
    }

    #[inline]
    fn row(&self, index: u32) -> Result<Option<Row<'_>>> {
        let Some(place) = self.copy_place(index) else {
            return Ok(self.new.get(index - self.file_rows).map(Row::Memory));
        };
        if let Some(copy) = place.checked_sub(1) {
            return Ok(self.copies.get(copy).map(Row::Memory));
        }
        match &self.file {
            Some(file) => Ok(Some(Row::File(file.row(self.number, index)?))),
            None => Ok(None),
        }
    }

    /// Returns the copy of a row of the file, 0 without a copy; `None` if the file has no such row.
    #[inline]
    fn copy_place(&self, index: u32) -> Option<u32> {
        if index >= self.file_rows {
            return None;
        }
        Some(self.copy_of.get(index).map_or(0, |word| word[0].load(Ordering::Acquire)))
    }

    /// Returns the row in memory, copied there if needed. The caller holds the row's lock.
    fn row_to_write(&self, index: u32) -> Result<&[AtomicU32]> {
        let Some(place) = self.copy_place(index) else {
            return Ok(self.new.get_or_new(index - self.file_rows));
        };
        if let Some(copy) = place.checked_sub(1) {
            return Ok(self.copies.get_or_new(copy));
        }
        let copy = self.copies_count.fetch_add(1, Ordering::Relaxed);
        let row = self.copies.get_or_new(copy);
        if let Some(file) = &self.file {
            for (word, bytes) in row.iter().zip(file.row(self.number, index)?) {
                word.store(u32::from_le_bytes(*bytes), Ordering::Relaxed);
            }
        }
        self.copy_of.get_or_new(index)[0].store(copy + 1, Ordering::Release);
        Ok(row)
    }
}

impl Links {
    /// Reads the words of a row up to the first empty one.
    #[inline]
    fn read(&mut self, words: impl ExactSizeIterator<Item = u32>) {
        let length = words.len().min(LOWEST_WIDTH);
        // All words are copied, empty or not, which takes no branches.
        for (number, word) in self.numbers[..length].iter_mut().zip(words) {
            *number = word.wrapping_sub(1);
        }
        let is_none = |number: &u32| *number == u32::MAX;
        self.length = self.numbers[..length].iter().position(is_none).unwrap_or(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links_of(layer: &Layer, index: u32) -> Vec<u32> {
        let mut links = Links::default();
        layer.links(index, &mut links).unwrap();
        links.as_slice().to_vec()
    }

    #[test]
    fn rows_hold_what_was_written_last() {
        let layer = Layer::new(0, None);
        assert_eq!(links_of(&layer, 7), []);
        for round in 0..3 {
            layer
                .update(7, |links| {
                    links.clear();
                    (0..40 - round).for_each(|link| links.push(link * round));
                    Ok(())
                })
                .unwrap();
        }
        assert_eq!(links_of(&layer, 7), (0..32).map(|link| link * 2).collect::<Vec<u32>>());
        assert_eq!(links_of(&layer, 8), []);
    }

    #[test]
    fn members_of_upper_layers_know_what_is_below() {
        let layer = Layer::new(2, None);
        assert_eq!(layer.member(0).unwrap(), None);
        let member = Member { node: 0, below: 5 };
        assert_eq!(layer.add(member).unwrap(), 0);
        assert_eq!(layer.add(Member { node: 9, below: 0 }).unwrap(), 1);
        layer
            .update(0, |links| {
                links.push(1);
                Ok(())
            })
            .unwrap();
        assert_eq!(layer.member(0).unwrap(), Some(member));
        assert_eq!(links_of(&layer, 0), [1]);
        assert_eq!(layer.length(), 2);
    }
}
