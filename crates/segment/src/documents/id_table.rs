//! Table from external id to DocId: the sorted ids, in groups found by binary search, each id
//! prefix-compressed against the one before.
//!
//! Letters take only the bits that the alphabet of the ids needs and DocIds only those that
//! their group needs. A finite-state map was a quarter larger for numbers, two thirds larger for
//! UUIDs, and took 11 CPU seconds for a million of those instead of one.

use std::cmp::Ordering;

use super::bits::{BitReader, SLACK};
use super::id_form::{Alphabet, HEAD_LENGTH, IdForm};
use crate::DocId;
use crate::directory::FileBytes;

/// Ids in a group; the last group may have fewer.
pub const GROUP_LENGTH: u64 = 32;
/// The smallest DocId of a group is stored in full; the width of the others in as many bits.
pub const BASE_BITS: u32 = 32;
pub const WIDTH_BITS: u32 = 6;

/// start of the first id 8 | where the group starts 8
const GROUP_ENTRY_LENGTH: usize = 16;

/// An opened table.
#[derive(Debug)]
pub struct IdTable {
    bytes: FileBytes,
    /// First id and offset of each group.
    groups: FileBytes,
    count: u64,
    form: IdForm,
    alphabet: Alphabet,
}

impl IdTable {
    /// Opens a table; `None` if the two sections do not match.
    pub fn new(bytes: FileBytes, groups: FileBytes) -> Option<Self> {
        let head = bytes.first_chunk::<HEAD_LENGTH>()?;
        let mut count = [0; 8];
        count.copy_from_slice(&head[..8]);
        let count = u64::from_le_bytes(count);
        let group_count = count.div_ceil(GROUP_LENGTH);
        if groups.len() as u64 != group_count.checked_mul(GROUP_ENTRY_LENGTH as u64)? {
            return None;
        }
        let form = IdForm::parse(head);
        Some(Self { count, alphabet: Alphabet::new(&form), form, bytes, groups })
    }

    pub fn len(&self) -> u64 {
        self.count
    }

    pub fn form(&self) -> &IdForm {
        &self.form
    }

    /// Finds an id. The outer `None` means that the table is malformed.
    pub fn find(&self, id: &[u8]) -> Option<Option<DocId>> {
        let Some(wanted) = self.alphabet.numbers_of(id, &self.form) else {
            return Some(None);
        };
        // The last group that does not start after the wanted id.
        let key = self.alphabet.key(wanted.iter().copied());
        let (mut low, mut high) = (0, self.groups.len() / GROUP_ENTRY_LENGTH);
        while low < high {
            let middle = low.midpoint(high);
            let order = match self.group_entry(middle)?.0.cmp(&key) {
                Ordering::Equal => self.compare_first(middle, &wanted)?,
                order => order,
            };
            if order == Ordering::Greater {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        match low.checked_sub(1) {
            Some(group) => self.find_in(group, &wanted),
            None => Some(None),
        }
    }

    /// Returns a cursor over all ids with their DocIds, in id order.
    pub fn cursor(&self) -> IdCursor<'_> {
        IdCursor { table: self, passed: 0, group: None, id: Vec::new() }
    }

    fn group_entry(&self, number: usize) -> Option<(u64, u64)> {
        let entry = self.groups.get(number * GROUP_ENTRY_LENGTH..)?;
        let (key, rest) = entry.split_first_chunk::<8>()?;
        let start = rest.first_chunk::<8>()?;
        Some((u64::from_le_bytes(*key), u64::from_le_bytes(*start)))
    }

    fn group(&self, number: usize) -> Option<Group<'_>> {
        let start = usize::try_from(self.group_entry(number)?.1).ok()?;
        let mut reader = BitReader::new(&self.bytes, start)?;
        let base = reader.read(BASE_BITS)?;
        let width = reader.read(WIDTH_BITS)?;
        (width <= 32).then_some(Group { reader, base, width, is_first: true })
    }

    fn compare_first(&self, group: usize, wanted: &[u32]) -> Option<Ordering> {
        let mut group = self.group(group)?;
        let entry = group.entry(&self.form)?;
        for place in 0..entry.rest as usize {
            let letter = group.reader.read(self.alphabet.bits)?;
            let Some(wanted) = wanted.get(place) else {
                return Some(Ordering::Greater);
            };
            if letter != *wanted {
                return Some(letter.cmp(wanted));
            }
        }
        Some((entry.rest as usize).cmp(&wanted.len()))
    }

    /// Scans a group without assembling its ids: an id that shares more with its predecessor than
    /// the wanted id does is still too small, one that shares less is too large.
    fn find_in(&self, number: usize, wanted: &[u32]) -> Option<Option<DocId>> {
        let mut group = self.group(number)?;
        let in_group = (self.count - number as u64 * GROUP_LENGTH).min(GROUP_LENGTH);
        // Length of the common prefix of the wanted id and the current one.
        let mut matched = 0;
        for _ in 0..in_group {
            let entry = group.entry(&self.form)?;
            let mut rest = entry.rest as usize;
            match (entry.shared as usize).cmp(&matched) {
                Ordering::Less => return Some(None),
                Ordering::Greater => {}
                Ordering::Equal => {
                    while rest > 0 {
                        let letter = group.reader.read(self.alphabet.bits)?;
                        rest -= 1;
                        match wanted.get(matched).map(|wanted| letter.cmp(wanted)) {
                            Some(Ordering::Equal) => matched += 1,
                            Some(Ordering::Less) => break,
                            Some(Ordering::Greater) | None => return Some(None),
                        }
                    }
                    let length = entry.shared as usize + entry.rest as usize;
                    if matched == length && matched == wanted.len() {
                        return Some(Some(entry.doc_id));
                    }
                }
            }
            group.reader.skip(rest * self.alphabet.bits as usize)?;
        }
        Some(None)
    }
}

/// A group being read.
#[derive(Debug)]
struct Group<'a> {
    reader: BitReader<'a>,
    base: DocId,
    width: u32,
    is_first: bool,
}

/// An id without its letters.
struct Entry {
    /// Number of letters in common with the id before.
    shared: u32,
    /// Number of letters that follow.
    rest: u32,
    doc_id: DocId,
}

impl Group<'_> {
    /// Reads the next id up to its letters.
    fn entry(&mut self, form: &IdForm) -> Option<Entry> {
        let shared = if self.is_first { 0 } else { self.reader.read(form.length_bits())? };
        self.is_first = false;
        let rest = self.reader.read(form.length_bits())?;
        let doc_id = self.base.checked_add(self.reader.read(self.width)?)?;
        form.allows(shared, rest).then_some(Entry { shared, rest, doc_id })
    }
}

/// Iterates over a table.
#[derive(Debug)]
pub struct IdCursor<'a> {
    table: &'a IdTable,
    passed: u64,
    group: Option<Group<'a>>,
    id: Vec<u8>,
}

impl IdCursor<'_> {
    pub fn is_done(&self) -> bool {
        self.passed == self.table.count
    }

    /// Returns the next id and its DocId. `None` at the end, or if the table is malformed, which
    /// [`IdCursor::is_done`] distinguishes.
    pub fn next(&mut self) -> Option<(&[u8], DocId)> {
        if self.is_done() {
            return None;
        }
        if self.passed.is_multiple_of(GROUP_LENGTH) {
            self.group = self.table.group((self.passed / GROUP_LENGTH) as usize);
        }
        let group = self.group.as_mut()?;
        let entry = group.entry(&self.table.form)?;
        if entry.shared as usize > self.id.len() {
            return None;
        }
        self.id.truncate(entry.shared as usize);
        for _ in 0..entry.rest {
            let letter = group.reader.read(self.table.alphabet.bits)? as usize;
            self.id.push(*self.table.alphabet.letters.get(letter)?);
        }
        self.passed += 1;
        Some((&self.id, entry.doc_id))
    }
}

/// Bytes after the last group, so that its last number can be read.
pub const TAIL: [u8; SLACK] = [0; SLACK];
