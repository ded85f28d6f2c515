//! Scans the token streams of documents for the words of a query. This is the inner loop of
//! ranking: a small filter selects tokens, and only the few that pass it are looked up.

use std::ops::Range;

use hashbrown::HashMap;
use roaring::RoaringBitmap;
use segment::DocId;
use segment::text::{DocumentTokens, FIRST_WORD, FieldTokens, GAP, GAP_POSITIONS};

use crate::attributes::FieldRole;
use crate::context::{Context, SegmentView};
use crate::error::SearchError;
use crate::sieve::Sieve;

/// Documents between two checks of deadline and cancellation.
pub(crate) const DOCUMENTS_BETWEEN_CHECKS: usize = 1024;

/// Maximum number of tokens compared one by one before the hash table is used.
const MOST_COMPARED: usize = 8;

/// The number of a set of words whose positions are collected.
pub(crate) type Slot = u16;

/// The position of a word in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TokenPosition {
    pub field: u16,
    pub position: u32,
    /// Index in the token stream of the field.
    pub index: u32,
}

/// The tokens to find in one segment, with their slots.
#[derive(Default)]
pub(crate) struct Table {
    sieve: Sieve,
    /// Tokens that are few enough to be compared one by one.
    few: Vec<(u32, SlotEntry)>,
    many: HashMap<u32, Vec<SlotEntry>>,
    ranges: Vec<(u32, u32, SlotEntry)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SlotEntry {
    slot: Slot,
    scope: FieldScope,
}

/// The fields in which a word counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldScope {
    Everywhere,
    /// Only fields that tolerate typos.
    Tolerant,
    /// Only fields in which stems count.
    Stemmed,
}

impl FieldScope {
    #[inline]
    pub fn counts_in(self, role: FieldRole) -> bool {
        role.is_searched
            && match self {
                Self::Everywhere => true,
                Self::Tolerant => !role.is_exact,
                Self::Stemmed => role.is_stemmed,
            }
    }
}

impl Table {
    pub fn add_word(&mut self, ordinal: u32, slot: Slot, scope: FieldScope) {
        let token = ordinal + FIRST_WORD;
        self.sieve.add(token);
        let entry = SlotEntry { slot, scope };
        if self.few.contains(&(token, entry)) {
            return;
        }
        if self.few.len() < MOST_COMPARED {
            self.few.push((token, entry));
            return;
        }
        let entries = self.many.entry(token).or_default();
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }

    pub fn add_range(&mut self, ordinals: &Range<u32>, slot: Slot, scope: FieldScope) {
        let (start, end) = (ordinals.start + FIRST_WORD, ordinals.end + FIRST_WORD);
        self.sieve.add_range(start, end);
        self.ranges.push((start, end, SlotEntry { slot, scope }));
    }

    #[inline]
    fn for_each_entry(&self, token: u32, mut each: impl FnMut(SlotEntry)) {
        for &(start, end, entry) in &self.ranges {
            if start <= token && token < end {
                each(entry);
            }
        }
        for &(other, entry) in &self.few {
            if token == other {
                each(entry);
            }
        }
        if !self.many.is_empty()
            && let Some(entries) = self.many.get(&token)
        {
            entries.iter().for_each(|&entry| each(entry));
        }
    }
}

/// The positions of every slot in one document, in order of field and position.
#[derive(Debug)]
pub(crate) struct Occurrences {
    places: Vec<Vec<TokenPosition>>,
    /// Fields with their numbers of tokens.
    lengths: Vec<(u16, u32)>,
}

impl Occurrences {
    pub fn new(slots: usize) -> Self {
        Self { places: vec![Vec::new(); slots], lengths: Vec::new() }
    }

    /// Returns the searched fields of the document, with their numbers of tokens.
    pub fn lengths(&self) -> &[(u16, u32)] {
        &self.lengths
    }

    pub fn of(&self, slot: Slot) -> &[TokenPosition] {
        &self.places[usize::from(slot)]
    }

    /// Scans a document, or the first tokens of each of its fields.
    pub fn gather(
        &mut self,
        view: &SegmentView<'_>,
        table: &Table,
        tokens: DocumentTokens<'_>,
        limit: Option<usize>,
    ) {
        self.clear();
        for field in tokens.fields() {
            let role = view.role(field.field());
            if !role.is_searched {
                continue;
            }
            self.lengths.push((field.field(), field.len() as u32));
            let field = limit.map_or(field, |limit| field.first(limit));
            self.add_field(role, table, field);
        }
    }

    fn clear(&mut self) {
        self.places.iter_mut().for_each(Vec::clear);
        self.lengths.clear();
    }

    fn add_field(&mut self, role: FieldRole, table: &Table, field: FieldTokens<'_>) {
        let mut gaps = 0;
        table.sieve.for_each_candidate(field, |place, token| {
            if token == GAP {
                gaps += 1;
            } else if token >= FIRST_WORD {
                // A gap takes one token of the stream and seven positions.
                let position = place as u32 + gaps * (GAP_POSITIONS - 1);
                let place = TokenPosition { field: field.field(), position, index: place as u32 };
                self.note(table, role, token, place);
            }
        });
    }

    fn note(&mut self, table: &Table, role: FieldRole, token: u32, place: TokenPosition) {
        table.for_each_entry(token, |SlotEntry { slot, scope }| {
            if !scope.counts_in(role) {
                return;
            }
            let places = &mut self.places[usize::from(slot)];
            // A word and a range may have the same slot.
            if places.last() != Some(&place) {
                places.push(place);
            }
        });
    }
}

/// Calls `each` for every document of a set, segment by segment, with the number of its segment and
/// the positions of the slots. Returns false if the time for ranking is over.
pub(crate) fn scan(
    context: &Context<'_>,
    documents: &RoaringBitmap,
    tables: &[Table],
    slots: usize,
    mut each: impl FnMut(usize, DocId, &Occurrences) -> Result<(), SearchError>,
) -> Result<bool, SearchError> {
    let mut occurrences = Occurrences::new(slots);
    let mut count = 0;
    for (number, (view, table)) in context.segments.iter().zip(tables).enumerate() {
        let mut here = documents & view.text.doc_ids();
        if here.is_empty() {
            continue;
        }
        if !view.deleted.is_empty() {
            here -= view.deleted;
        }
        let mut cursor = view.text.tokens();
        for doc_id in &here {
            count += 1;
            if count % DOCUMENTS_BETWEEN_CHECKS == 0 {
                context.check_cancelled()?;
                if context.is_late() {
                    return Ok(false);
                }
            }
            if let Some(tokens) = cursor.seek(doc_id)? {
                occurrences.gather(view, table, tokens, None);
                each(number, doc_id, &occurrences)?;
            }
        }
    }
    Ok(true)
}
