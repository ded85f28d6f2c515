//! Occurrence of a word in an attribute of a document: about where it first occurs there, and how
//! often. With these, ranking can leave most token streams unread.
//!
//! The occurrences of a word follow its posting list, attribute by attribute: which of the
//! documents have it there, then one mark per document. FORMAT.md has the bytes.

use std::ops::Range;

use super::position::bucket_of;
use crate::DocId;
use crate::varint;

/// First position of a word in an attribute, as a bucket, and its frequency there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(u8);

/// Higher frequencies are stored as this one.
pub const HIGHEST_FREQUENCY: u32 = 8;

impl Mark {
    /// Returns the mark of a word that occurs once, at this position.
    #[inline]
    pub fn first(position: u32) -> Self {
        Self(bucket_of(position) << 3)
    }

    /// Returns the mark with one more, later occurrence of the word.
    #[inline]
    pub fn and_again(self) -> Self {
        Self(self.0 + u8::from(self.0 & 7 < 7))
    }

    /// Returns the combined mark of two words that both occur.
    #[inline]
    pub fn or(self, other: Self) -> Self {
        Self(self.bucket().min(other.bucket()) << 3).and_again()
    }

    #[inline]
    pub fn bucket(self) -> u8 {
        self.0 >> 3
    }

    /// Returns the frequency; [`HIGHEST_FREQUENCY`] stands for any higher number too.
    #[inline]
    pub fn frequency(self) -> u32 {
        u32::from(self.0 & 7) + 1
    }

    #[inline]
    pub fn to_byte(self) -> u8 {
        self.0
    }

    /// Returns the mark as half a byte, if it fits.
    fn to_nibble(self) -> Option<u8> {
        (self.frequency() == 1 && self.bucket() < ESCAPE).then_some(self.bucket())
    }
}

/// Half a byte that means that the mark has a byte of its own.
const ESCAPE: u8 = 15;

/// A word in an attribute of a document. Ordered by document, then by attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Occurrence(u64);

impl Occurrence {
    #[inline]
    pub fn new(doc_id: DocId, field: u16, mark: Mark) -> Self {
        Self(u64::from(doc_id) << 24 | u64::from(field) << 8 | u64::from(mark.0))
    }

    #[inline]
    pub fn doc_id(self) -> DocId {
        (self.0 >> 24) as DocId
    }

    #[inline]
    pub fn field(self) -> u16 {
        (self.0 >> 8) as u16
    }

    #[inline]
    pub fn mark(self) -> Mark {
        Mark(self.0 as u8)
    }

    /// Returns the occurrence as a number.
    pub fn to_number(self) -> u64 {
        self.0
    }

    /// Adds one more use of the word in the same attribute.
    #[inline]
    pub fn add_use(&mut self) {
        self.0 = self.0 & !0xff | u64::from(self.mark().and_again().0);
    }
}

/// Writes the occurrences of words; reusable from word to word.
#[derive(Debug, Default)]
pub struct OccurrenceWriter {
    fields: Vec<FieldMarks>,
    unused: Vec<FieldMarks>,
}

#[derive(Debug, Default)]
struct FieldMarks {
    field: u16,
    /// One bit per document of the list.
    present: Vec<u8>,
    marks: Vec<Mark>,
}

impl OccurrenceWriter {
    /// Appends the bytes of all occurrences of a word, in order, in this many documents.
    pub fn write(&mut self, out: &mut Vec<u8>, occurrences: &[Occurrence], documents: usize) {
        self.group(occurrences, documents);
        if let [only] = &self.fields[..] {
            let is_short = has_short_marks(&only.marks);
            varint::write(out, u64::from(only.field) << 2 | u64::from(is_short) << 1 | 1);
            write_marks(out, &only.marks, is_short);
            return;
        }
        varint::write(out, (self.fields.len() as u64) << 1);
        let mut next_field = 0;
        for FieldMarks { field, present, marks } in &self.fields {
            let step = u64::from(*field) - next_field;
            next_field = u64::from(*field) + 1;
            let is_short = has_short_marks(marks);
            let is_partial = marks.len() < documents;
            varint::write(out, step << 2 | u64::from(is_short) << 1 | u64::from(is_partial));
            if is_partial {
                out.extend_from_slice(present);
            }
            write_marks(out, marks, is_short);
        }
    }

    /// Groups occurrences by attribute.
    fn group(&mut self, occurrences: &[Occurrence], documents: usize) {
        self.unused.append(&mut self.fields);
        let mut near = 0;
        let mut place = 0;
        let mut last = None;
        for &occurrence in occurrences {
            let doc_id = occurrence.doc_id();
            place += usize::from(last.is_some_and(|last| last != doc_id));
            last = Some(doc_id);
            let field = occurrence.field();
            if self.fields.get(near).is_none_or(|group| group.field != field) {
                near = self.group_of(field, documents);
            }
            let group = &mut self.fields[near];
            group.present[place / 8] |= 1 << (place % 8);
            group.marks.push(occurrence.mark());
        }
    }

    /// Returns the index of an attribute among the groups, which are sorted by attribute.
    fn group_of(&mut self, field: u16, documents: usize) -> usize {
        self.fields.binary_search_by_key(&field, |group| group.field).unwrap_or_else(|place| {
            let mut group = self.unused.pop().unwrap_or_default();
            group.field = field;
            group.marks.clear();
            group.present.clear();
            group.present.resize(documents.div_ceil(8), 0);
            self.fields.insert(place, group);
            place
        })
    }
}

fn count_escapes(marks: &[Mark]) -> usize {
    marks.iter().filter(|mark| mark.to_nibble().is_none()).count()
}

/// Returns whether half bytes take less space than bytes.
fn has_short_marks(marks: &[Mark]) -> bool {
    marks.len().div_ceil(2) + 1 + count_escapes(marks) < marks.len()
}

fn write_marks(out: &mut Vec<u8>, marks: &[Mark], is_short: bool) {
    if !is_short {
        out.extend(marks.iter().map(|mark| mark.0));
        return;
    }
    varint::write(out, count_escapes(marks) as u64);
    let nibble = |mark: &Mark| mark.to_nibble().unwrap_or(ESCAPE);
    out.extend(marks.chunks(2).map(|pair| match pair {
        [first, second] => nibble(first) | nibble(second) << 4,
        _ => nibble(&pair[0]),
    }));
    out.extend(marks.iter().filter(|mark| mark.to_nibble().is_none()).map(|mark| mark.0));
}

/// Occurrences of a word, as stored.
#[derive(Debug, Clone)]
pub struct Occurrences<'r> {
    fields: Vec<FieldOccurrences<'r>>,
}

/// Occurrences of a word in one attribute.
#[derive(Debug, Clone, Copy)]
pub struct FieldOccurrences<'r> {
    field: u16,
    /// One bit per document of the list; `None` if all of them have the word here.
    present: Option<&'r [u8]>,
    marks: Marks<'r>,
}

#[derive(Debug, Clone, Copy)]
enum Marks<'r> {
    Bytes(&'r [u8]),
    Nibbles { nibbles: &'r [u8], escaped: &'r [u8] },
}

impl<'r> Occurrences<'r> {
    /// Parses the occurrences in this many documents; `None` if the bytes are invalid.
    pub fn parse(mut bytes: &'r [u8], documents: usize) -> Option<Self> {
        let head = varint::read(&mut bytes)?;
        let mut fields = Vec::new();
        if head & 1 == 1 {
            let marks = Marks::parse(&mut bytes, documents, head & 2 != 0)?;
            let field = u16::try_from(head >> 2).ok()?;
            fields.push(FieldOccurrences { field, present: None, marks });
        } else {
            let mut next_field = 0_u64;
            for _ in 0..head >> 1 {
                let head = varint::read(&mut bytes)?;
                let field = next_field.checked_add(head >> 2)?;
                next_field = field + 1;
                let present = match head & 1 {
                    0 => None,
                    _ => {
                        let (present, rest) = bytes.split_at_checked(documents.div_ceil(8))?;
                        bytes = rest;
                        Some(present)
                    }
                };
                let count = present.map_or(documents, |present| {
                    present.iter().map(|byte| byte.count_ones() as usize).sum()
                });
                let marks = Marks::parse(&mut bytes, count, head & 2 != 0)?;
                fields.push(FieldOccurrences { field: u16::try_from(field).ok()?, present, marks });
            }
        }
        (bytes.is_empty() && !fields.is_empty()).then_some(Self { fields })
    }

    /// Returns the attribute that has the word, if it is only one; reads no further.
    pub fn only_field(mut bytes: &[u8]) -> Option<u16> {
        let head = varint::read(&mut bytes)?;
        u16::try_from(head >> 2).ok().filter(|_| head & 1 == 1)
    }

    /// Returns the attributes that have the word, by ascending number.
    pub fn fields(&self) -> &[FieldOccurrences<'r>] {
        &self.fields
    }
}

impl<'r> FieldOccurrences<'r> {
    pub fn field(&self) -> u16 {
        self.field
    }

    /// Returns whether every document of the word has it here.
    pub fn is_everywhere(&self) -> bool {
        self.present.is_none()
    }

    /// Returns a cursor before the first document of the word.
    pub fn cursor(&self) -> MarkCursor<'r> {
        MarkCursor { of: *self, document: 0, mark: 0, escape: 0 }
    }

    /// Visits each document that has the word here, in ascending order, with its mark; `doc_ids`
    /// are the documents of the word.
    #[inline]
    pub fn for_each(&self, doc_ids: &[DocId], mut each: impl FnMut(DocId, Mark)) {
        match self.marks {
            Marks::Bytes(bytes) => {
                let mut marks = bytes.iter().map(|&byte| Mark(byte));
                self.for_each_document(doc_ids, |doc_id| {
                    if let Some(mark) = marks.next() {
                        each(doc_id, mark);
                    }
                });
            }
            Marks::Nibbles { nibbles, escaped } => {
                let mut marks = ShortMarks { nibbles, place: 0, escaped: escaped.iter() };
                self.for_each_document(doc_ids, |doc_id| {
                    if let Some(mark) = marks.next() {
                        each(doc_id, mark);
                    }
                });
            }
        }
    }

    /// Visits each document that has the word here, in ascending order.
    #[inline]
    pub fn for_each_document(&self, doc_ids: &[DocId], mut each: impl FnMut(DocId)) {
        let Some(present) = self.present else {
            return doc_ids.iter().for_each(|&doc_id| each(doc_id));
        };
        for (doc_ids, &bits) in doc_ids.chunks(8).zip(present) {
            let mut bits = bits;
            while bits != 0 {
                if let Some(&doc_id) = doc_ids.get(bits.trailing_zeros() as usize) {
                    each(doc_id);
                }
                bits &= bits - 1;
            }
        }
    }
}

impl<'r> Marks<'r> {
    fn parse(bytes: &mut &'r [u8], count: usize, is_short: bool) -> Option<Self> {
        if !is_short {
            let (marks, rest) = bytes.split_at_checked(count)?;
            *bytes = rest;
            return Some(Self::Bytes(marks));
        }
        let escapes = usize::try_from(varint::read(bytes)?).ok()?;
        let (nibbles, rest) = bytes.split_at_checked(count.div_ceil(2))?;
        let (escaped, rest) = rest.split_at_checked(escapes)?;
        *bytes = rest;
        Some(Self::Nibbles { nibbles, escaped })
    }
}

/// Reads the marks of a word in an attribute for some of its documents, in ascending order.
#[derive(Debug, Clone)]
pub struct MarkCursor<'r> {
    of: FieldOccurrences<'r>,
    /// The next document, by its index in the list of the word.
    document: usize,
    /// Number of the next mark.
    mark: usize,
    escape: usize,
}

impl MarkCursor<'_> {
    /// Goes back to the first document.
    pub fn rewind(&mut self) {
        *self = self.of.cursor();
    }

    pub fn field(&self) -> u16 {
        self.of.field
    }

    /// Returns the mark of the document at an index in the list of the word; `None` if it does not
    /// have the word here. Indexes must ascend.
    #[inline]
    pub fn at(&mut self, document: usize) -> Option<Mark> {
        let mark = match self.of.present {
            None => document,
            Some(present) => {
                let mark = self.mark + count_bits(present, self.document, document);
                self.document = document;
                if present.get(document / 8)? >> (document % 8) & 1 == 0 {
                    self.pass(mark);
                    return None;
                }
                mark
            }
        };
        self.pass(mark);
        match self.of.marks {
            Marks::Bytes(bytes) => bytes.get(mark).map(|&byte| Mark(byte)),
            Marks::Nibbles { nibbles, escaped } => {
                match nibbles.get(mark / 2)? >> (mark % 2 * 4) & 15 {
                    ESCAPE => escaped.get(self.escape).map(|&byte| Mark(byte)),
                    bucket => Some(Mark(bucket << 3)),
                }
            }
        }
    }

    /// Visits the marks of a range of documents, with the indexes of those that have the word here.
    /// Indexes must ascend.
    #[inline]
    pub fn read(&mut self, documents: Range<usize>, mut each: impl FnMut(usize, Mark)) {
        let Range { start, end } = documents;
        match self.of.present {
            None => {
                self.pass(start);
                self.decode(end.saturating_sub(start), |place, mark| each(start + place, mark));
            }
            Some(present) => {
                self.pass(self.mark + count_bits(present, self.document, start));
                let count = count_bits(present, start, end);
                self.document = end.max(start);
                let mut place = start;
                self.decode(count, |_, mark| {
                    while present.get(place / 8).is_some_and(|bits| bits >> (place % 8) & 1 == 0) {
                        place += 1;
                    }
                    each(place, mark);
                    place += 1;
                });
            }
        }
    }

    /// Decodes the next marks, with their numbers.
    #[inline]
    fn decode(&mut self, count: usize, mut each: impl FnMut(usize, Mark)) {
        let range = self.mark..self.mark + count;
        match self.of.marks {
            Marks::Bytes(bytes) => {
                let bytes = bytes.get(range).unwrap_or_default();
                bytes.iter().enumerate().for_each(|(place, &byte)| each(place, Mark(byte)));
            }
            Marks::Nibbles { nibbles, escaped } => {
                for (place, mark) in range.enumerate() {
                    let nibble =
                        nibbles.get(mark / 2).map_or(0, |byte| byte >> (mark % 2 * 4) & 15);
                    let mark = match nibble {
                        ESCAPE => {
                            self.escape += 1;
                            Mark(escaped.get(self.escape - 1).copied().unwrap_or_default())
                        }
                        bucket => Mark(bucket << 3),
                    };
                    each(place, mark);
                }
            }
        }
        self.mark += count;
    }

    /// Skips to a mark.
    #[inline]
    fn pass(&mut self, mark: usize) {
        if let Marks::Nibbles { nibbles, .. } = self.of.marks {
            self.escape += count_escaped(nibbles, self.mark, mark);
        }
        self.mark = mark;
    }
}

/// Counts the bits set in a range.
#[inline]
fn count_bits(bits: &[u8], start: usize, end: usize) -> usize {
    let bit = |place: usize| bits.get(place / 8).map_or(0, |byte| byte >> (place % 8) & 1);
    if end < start + 8 {
        return (start..end).map(|place| usize::from(bit(place))).sum();
    }
    let (first, last) = (start.next_multiple_of(8), end / 8 * 8);
    let ends = (start..first).chain(last..end).map(|place| usize::from(bit(place))).sum::<usize>();
    let whole = bits.get(first / 8..last / 8).unwrap_or_default();
    ends + whole.iter().map(|byte| byte.count_ones() as usize).sum::<usize>()
}

/// Counts the half bytes in a range that are escapes.
#[inline]
fn count_escaped(nibbles: &[u8], start: usize, end: usize) -> usize {
    let is_escape = |place: usize| {
        nibbles.get(place / 2).is_some_and(|byte| byte >> (place % 2 * 4) & 15 == ESCAPE)
    };
    if end < start + 2 {
        return (start..end).filter(|&place| is_escape(place)).count();
    }
    let (first, last) = (start.next_multiple_of(2), end / 2 * 2);
    let ends = (start..first).chain(last..end).filter(|&place| is_escape(place)).count();
    let whole = nibbles.get(first / 2..last / 2).unwrap_or_default();
    let of_byte = |byte: &u8| usize::from(byte & 15 == ESCAPE) + usize::from(byte >> 4 == ESCAPE);
    ends + whole.iter().map(of_byte).sum::<usize>()
}

struct ShortMarks<'r> {
    nibbles: &'r [u8],
    place: usize,
    escaped: std::slice::Iter<'r, u8>,
}

impl Iterator for ShortMarks<'_> {
    type Item = Mark;

    #[inline]
    fn next(&mut self) -> Option<Mark> {
        let nibble = self.nibbles.get(self.place / 2)? >> (self.place % 2 * 4) & 15;
        self.place += 1;
        match nibble {
            ESCAPE => self.escaped.next().map(|&byte| Mark(byte)),
            bucket => Some(Mark(bucket << 3)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_tells_the_first_position_and_how_often() {
        let mut mark = Mark::first(3);
        assert_eq!((mark.bucket(), mark.frequency()), (3, 1));
        for frequency in 2..20 {
            mark = mark.and_again();
            assert_eq!((mark.bucket(), mark.frequency()), (3, frequency.min(HIGHEST_FREQUENCY)));
        }
        assert_eq!(Mark::first(65_535).bucket(), 28);
    }

    fn check(occurrences: &[Occurrence]) -> usize {
        let mut doc_ids: Vec<DocId> = occurrences.iter().map(|one| one.doc_id()).collect();
        doc_ids.dedup();
        let mut bytes = Vec::new();
        let mut writer = OccurrenceWriter::default();
        // Earlier contents must not matter.
        writer.write(&mut bytes, &[Occurrence::new(9, 7, Mark::first(1))], 1);
        bytes.clear();
        writer.write(&mut bytes, occurrences, doc_ids.len());
        let read = Occurrences::parse(&bytes, doc_ids.len()).unwrap();
        let mut found = Vec::new();
        for field in read.fields() {
            field.for_each(&doc_ids, |doc_id, mark| {
                found.push(Occurrence::new(doc_id, field.field(), mark));
            });
        }
        found.sort_unstable();
        assert_eq!(found, occurrences);
        for step in [1, 2, 3, 7, 40] {
            for field in read.fields() {
                let mut cursor = field.cursor();
                for (place, &doc_id) in doc_ids.iter().enumerate().step_by(step) {
                    let is_it =
                        |one: &&Occurrence| (one.doc_id(), one.field()) == (doc_id, field.field());
                    let expected = occurrences.iter().find(is_it).map(|one| one.mark());
                    assert_eq!(cursor.at(place), expected, "{place} of {step}");
                }
                let mut cursor = field.cursor();
                for start in (0..doc_ids.len()).step_by(2 * step) {
                    let mut found = Vec::new();
                    let end = doc_ids.len().min(start + step);
                    cursor.read(start..end, |place, mark| {
                        found.push(Occurrence::new(doc_ids[place], field.field(), mark));
                    });
                    let is_wanted = |one: &&Occurrence| {
                        one.field() == field.field() && doc_ids[start..end].contains(&one.doc_id())
                    };
                    assert!(found.iter().eq(occurrences.iter().filter(is_wanted)));
                }
            }
        }
        for end in 0..bytes.len() {
            assert!(Occurrences::parse(&bytes[..end], doc_ids.len()).is_none(), "{end}");
        }
        bytes.len()
    }

    #[test]
    fn occurrences_come_back_in_few_bytes() {
        let at = |doc_id, field, position| Occurrence::new(doc_id, field, Mark::first(position));
        assert_eq!(check(&[at(5, 0, 2)]), 2);
        assert_eq!(check(&[at(5, 40, 300)]), 3);
        // Early positions take half a byte, others one byte and a half.
        let early: Vec<Occurrence> = (0..100).map(|n| at(n * 3, 1, n % 15)).collect();
        assert_eq!(check(&early), 1 + 1 + 50);
        let mut mixed = early.clone();
        mixed[7] = at(21, 1, 15);
        mixed[8].add_use();
        assert_eq!(check(&mixed), 1 + 1 + 50 + 2);
        let late: Vec<Occurrence> = (0..100).map(|n| at(n * 3, 1, 100 + n)).collect();
        assert_eq!(check(&late), 1 + 100);
        // Several attributes: the documents of each, unless all have it.
        let mut several = Vec::new();
        for n in 0..64 {
            several.push(at(n, 2, n % 10));
            if n % 3 == 0 {
                several.push(at(n, 700, 200));
            }
        }
        assert_eq!(check(&several), 1 + (1 + 1 + 32) + (2 + 8 + 22));
    }
}
