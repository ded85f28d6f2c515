//! First positions in documents of the words of a prefix, for prefixes whose documents are stored
//! as a union: half a byte per document of the union, the minimum over all attributes.

use std::ops::ControlFlow;

use crate::DocId;
use crate::encoding::stored_set::{RankCursor, StoredSet};
use crate::text::format::{FIRST_WORD, positions_of};
use crate::text::prefix_unions::Unions;

/// Stands for this position and all later ones.
pub const LATE: u8 = 15;

const NO_UNION: u32 = u32::MAX;

/// Documents of a union, each with the first position of a word of it.
#[derive(Debug)]
pub struct UnionPositions<'r> {
    documents: StoredSet<'r>,
    /// Number of documents before each part, and half a byte for each of its own.
    parts: Vec<(usize, &'r [u8])>,
}

impl<'r> UnionPositions<'r> {
    /// Combines the parts: number of documents of each, and half a byte for each document.
    pub(super) fn new(documents: StoredSet<'r>, parts: Vec<(usize, &'r [u8])>) -> Self {
        let mut before = 0;
        let parts = parts.into_iter().map(|(count, nibbles)| {
            before += count;
            (before - count, nibbles)
        });
        Self { documents, parts: parts.collect() }
    }

    /// Visits each document in ascending order, until one of the calls breaks.
    pub fn try_for_each(&self, mut each: impl FnMut(DocId, u8) -> ControlFlow<()>) {
        let mut positions = self.positions();
        let mut rank = 0;
        let _ = self.documents.try_for_each(|doc_id| {
            let Some(position) = positions.at(rank) else {
                return ControlFlow::Break(());
            };
            rank += 1;
            each(doc_id, position)
        });
    }

    /// Looks up the positions of some documents, which must be in ascending order. Calls `each` with
    /// the index and the position of each document that the union has.
    pub fn for_each_of(&self, doc_ids: &[DocId], mut each: impl FnMut(usize, u8)) {
        let (mut cursor, mut positions) = (RankCursor::default(), self.positions());
        for (place, &doc_id) in doc_ids.iter().enumerate() {
            let rank = self.documents.rank(doc_id, &mut cursor);
            if let Some(position) = rank.and_then(|rank| positions.at(rank)) {
                each(place, position);
            }
        }
    }

    fn positions(&self) -> Positions<'_> {
        Positions { parts: &self.parts }
    }
}

/// Looks up positions by ascending ranks.
struct Positions<'p> {
    /// The part of the last rank, and those after it.
    parts: &'p [(usize, &'p [u8])],
}

impl Positions<'_> {
    #[inline]
    fn at(&mut self, rank: usize) -> Option<u8> {
        while let [_, (next, _), ..] = self.parts
            && *next <= rank
        {
            self.parts = &self.parts[1..];
        }
        let (before, nibbles) = self.parts.first()?;
        let number = rank - before;
        Some(nibbles.get(number / 2)? >> (number % 2 * 4) & 15)
    }
}

pub struct UnionPositionsOfPart<'u> {
    unions: &'u Unions,
    /// By ordinal: the smallest union that has the word.
    innermost: Vec<u32>,
    /// By union: the next larger one with the same words.
    outer: Vec<u32>,
    /// By union: the last document, counted from 1, and its minimum position.
    last: Vec<(u64, u8)>,
    serial: u64,
    touched: Vec<u32>,
    /// By union: documents of this part with early positions.
    early: Vec<Vec<(DocId, u8)>>,
    /// The first and the last document of this part.
    documents: Option<(DocId, DocId)>,
}

impl<'u> UnionPositionsOfPart<'u> {
    pub fn new(unions: &'u Unions, words: u32) -> Self {
        let mut innermost = vec![NO_UNION; if unions.is_empty() { 0 } else { words as usize }];
        let mut outer = Vec::with_capacity(unions.len());
        // Longer ranges come before those within them.
        for (number, (range, _)) in (0..).zip(unions) {
            outer.push(innermost[range.start as usize]);
            innermost[range.start as usize..range.end as usize].fill(number);
        }
        Self {
            unions,
            innermost,
            outer,
            last: vec![(0, 0); unions.len()],
            serial: 0,
            touched: Vec::new(),
            early: vec![Vec::new(); unions.len()],
            documents: None,
        }
    }

    pub fn add(&mut self, doc_id: DocId, fields: &[(u16, u32)], tokens: &[u32]) {
        if self.unions.is_empty() {
            return;
        }
        self.serial += 1;
        self.touched.clear();
        let mut rest = tokens;
        for &(_, count) in fields {
            let (field, others) = rest.split_at(count as usize);
            rest = others;
            self.add_field(field);
        }
        for &union in &self.touched {
            let (_, position) = self.last[union as usize];
            self.early[union as usize].push((doc_id, position));
        }
        self.documents = Some((self.documents.map_or(doc_id, |(first, _)| first), doc_id));
    }

    fn add_field(&mut self, tokens: &[u32]) {
        let mut position = 0;
        for &token in tokens {
            if position >= u32::from(LATE) {
                return;
            }
            let Some(ordinal) = token.checked_sub(FIRST_WORD) else {
                position += positions_of(token);
                continue;
            };
            let mut union = self.innermost[ordinal as usize];
            while union != NO_UNION {
                let last = &mut self.last[union as usize];
                if last.0 != self.serial {
                    *last = (self.serial, position as u8);
                    self.touched.push(union);
                } else {
                    last.1 = last.1.min(position as u8);
                }
                union = self.outer[union as usize];
            }
            position += 1;
        }
    }

    /// Appends the positions of all unions in this part, and the number of each.
    pub fn write(&mut self, out: &mut Vec<u8>, counts: &mut Vec<u8>) {
        let Some((first, last)) = self.documents.take() else {
            return;
        };
        for ((_, documents), early) in self.unions.iter().zip(&mut self.early) {
            let mut positions = early.drain(..).peekable();
            let start = out.len();
            let mut count = 0_u32;
            for doc_id in documents.range(first..=last) {
                let known = positions.next_if(|(other, _)| *other == doc_id);
                let nibble = known.map_or(LATE, |(_, position)| position);
                let place = start + count as usize / 2;
                match count % 2 {
                    0 => out.push(nibble),
                    _ => out[place] |= nibble << 4,
                }
                count += 1;
            }
            counts.extend_from_slice(&count.to_le_bytes());
        }
    }
}
