//! Writes external ids, in order, together with the filter in front of them.

use super::assemble::id_hash;
use super::bits::{BitWriter, width_of};
use super::format;
use super::id_filter::IdFilterBuilder;
use super::id_form::{Alphabet, HEAD_LENGTH, IdForm};
use super::id_table::{BASE_BITS, GROUP_LENGTH, TAIL, WIDTH_BITS};
use crate::DocId;
use crate::error::{Result, SegmentError};
use crate::frame::{Check, FrameWriter};

pub struct IdTableWriter<'a> {
    frame: &'a mut FrameWriter,
    expected: u64,
    written: u64,
    length_bits: u32,
    alphabet: Alphabet,
    bits: BitWriter,
    /// Concatenated ids of the current group.
    letters: Vec<u8>,
    /// Their ends in `letters`, and their DocIds.
    group: Vec<(usize, DocId)>,
    last: Vec<u8>,
    groups: Vec<u8>,
    filter: IdFilterBuilder,
}

impl<'a> IdTableWriter<'a> {
    /// Starts a table of `expected` ids of this form.
    pub fn new(frame: &'a mut FrameWriter, expected: u64, form: &IdForm) -> Result<Self> {
        frame.begin(format::IDS, Check::AtOpen)?;
        let mut head = Vec::with_capacity(HEAD_LENGTH);
        form.write(expected, &mut head);
        frame.append(&head)?;
        Ok(Self {
            frame,
            expected,
            written: 0,
            length_bits: form.length_bits(),
            alphabet: Alphabet::new(form),
            bits: BitWriter::default(),
            letters: Vec::new(),
            group: Vec::new(),
            last: Vec::new(),
            groups: Vec::new(),
            filter: IdFilterBuilder::new(expected),
        })
    }

    pub fn add(&mut self, id: &[u8], doc_id: DocId) -> Result<()> {
        self.add_hashed(id, id_hash(id), doc_id)
    }

    /// Adds an id whose hash is known.
    pub fn add_hashed(&mut self, id: &[u8], hash: u64, doc_id: DocId) -> Result<()> {
        if self.written > 0 && *self.last >= *id {
            let id = String::from_utf8_lossy(id);
            let what = format!("id `{id}` comes twice or out of order");
            return Err(SegmentError::Inconsistent(what));
        }
        self.last.clear();
        self.last.extend_from_slice(id);
        self.filter.insert(hash);
        self.letters.extend_from_slice(id);
        self.group.push((self.letters.len(), doc_id));
        self.written += 1;
        if self.group.len() as u64 == GROUP_LENGTH {
            self.write_group()?;
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<()> {
        if self.written != self.expected {
            return Err(SegmentError::Inconsistent(format!(
                "{} documents have {} external ids",
                self.expected, self.written
            )));
        }
        self.write_group()?;
        self.frame.append(&TAIL)?;
        self.frame.section(format::ID_GROUPS, &self.groups)?;
        self.frame.section(format::ID_FILTER, self.filter.bytes())
    }

    fn write_group(&mut self) -> Result<()> {
        let doc_ids = self.group.iter().map(|(_, doc_id)| *doc_id);
        let (Some(base), Some(largest)) = (doc_ids.clone().min(), doc_ids.max()) else {
            return Ok(());
        };
        let width = width_of(largest - base);
        self.bits.write(base, BASE_BITS);
        self.bits.write(width, WIDTH_BITS);

        let mut previous: &[u8] = &[];
        let mut start = 0;
        for (place, &(end, doc_id)) in self.group.iter().enumerate() {
            let id = &self.letters[start..end];
            let shared = shared_prefix(previous, id);
            if place > 0 {
                self.bits.write(shared as u32, self.length_bits);
            }
            self.bits.write((id.len() - shared) as u32, self.length_bits);
            self.bits.write(doc_id - base, width);
            for &letter in &id[shared..] {
                self.bits.write(self.alphabet.number(letter), self.alphabet.bits);
            }
            previous = id;
            start = end;
        }

        let first = &self.letters[..self.group[0].0];
        let key = self.alphabet.key(first.iter().map(|&letter| self.alphabet.number(letter)));
        let start = self.frame.section_length();
        self.groups.extend_from_slice(&key.to_le_bytes());
        self.groups.extend_from_slice(&start.to_le_bytes());
        self.frame.append(&self.bits.take())?;
        self.letters.clear();
        self.group.clear();
        Ok(())
    }
}

fn shared_prefix(left: &[u8], right: &[u8]) -> usize {
    left.iter().zip(right).take_while(|(left, right)| left == right).count()
}
