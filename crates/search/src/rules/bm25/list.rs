//! The posting list of a term in one segment, in ascending order of documents, with the term's
//! contribution to their scores as far as posting lists contain it.

use roaring::RoaringBitmap;
use segment::text::{
    FieldLengths, FieldOccurrences, HIGHEST_FREQUENCY, Mark, MarkCursor, TextReader, WordDocuments,
};
use segment::{DocId, gallop};

use super::bounds::Bounds;
use super::formula::{Scale, WeighedTerm};
use super::tiers::{TermTier, Tier, share};
use super::window::Window;
use crate::context::{Context, SegmentView};
use crate::error::SearchError;
use crate::graph::NodeWords;

pub(super) struct TermList<'t> {
    term: &'t WeighedTerm,
    postings: Postings<'t>,
}

enum Postings<'t> {
    /// Most terms are one word.
    Word { documents: WordDocuments<'t>, fields: Vec<MarkCursor<'t>> },
    /// Several words, and phrases; ordered by document, then by attribute.
    Several { entries: Vec<PostingEntry>, place: usize },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PostingEntry {
    doc_id: DocId,
    field: u16,
    tier: Tier,
    count: Count,
}

/// Number of occurrences of a word in an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Count {
    least: u32,
    is_exact: bool,
}

/// The number of no attribute: only the document itself has the counts.
const ANYWHERE: u16 = u16::MAX;

impl<'t> TermList<'t> {
    /// Opens the list of a term; the segment must have occurrences.
    pub fn new(
        context: &Context<'_>,
        view: &SegmentView<'t>,
        segment: usize,
        term: &'t WeighedTerm,
    ) -> Result<Self, SearchError> {
        let postings = match &term.parts[..] {
            [part] if part.tier == 0 => {
                match word_postings(context, view, &part.node.words(segment), part)? {
                    Some(postings) => postings,
                    None => several(context, view, segment, term)?,
                }
            }
            _ => several(context, view, segment, term)?,
        };
        Ok(Self { term, postings })
    }

    /// Returns the approximate number of documents.
    pub fn len(&self) -> usize {
        match &self.postings {
            Postings::Word { documents, .. } => documents.count(),
            Postings::Several { entries, .. } => entries.len(),
        }
    }

    /// Rewinds to the first document.
    pub fn rewind(&mut self) {
        match &mut self.postings {
            Postings::Word { documents, fields } => {
                documents.rewind();
                fields.iter_mut().for_each(MarkCursor::rewind);
            }
            Postings::Several { place, .. } => *place = 0,
        }
    }

    /// Returns the documents in ascending order.
    pub fn doc_ids(&mut self) -> Vec<DocId> {
        match &mut self.postings {
            Postings::Word { documents, .. } => documents.list().to_vec(),
            Postings::Several { entries, .. } => entries.iter().map(|entry| entry.doc_id).collect(),
        }
    }

    /// Returns the next document.
    #[inline]
    pub fn peek(&mut self) -> Option<DocId> {
        match &mut self.postings {
            Postings::Word { documents, .. } => documents.peek(),
            Postings::Several { entries, place } => entries.get(*place).map(|entry| entry.doc_id),
        }
    }

    /// Adds the term to the scores of a window, from the next document on.
    pub fn add_to(&mut self, window: &mut Window, attributes: &mut AttributeLengths<'_>) {
        match &mut self.postings {
            Postings::Word { documents, fields } => {
                let (start, documents) = documents.take_while(|doc_id| window.contains(doc_id));
                for field in fields {
                    let Some(attribute) = attributes.get(field.field()) else {
                        continue;
                    };
                    field.read(start..start + documents.len(), |place, mark| {
                        let doc_id = documents[place - start];
                        let place = attributes.place(doc_id);
                        window.add_frequency(doc_id, attribute.frequency(place, mark.into()));
                    });
                }
                for &doc_id in documents {
                    window.add_score(doc_id, |frequency| self.term.scores(frequency));
                }
            }
            Postings::Several { entries, place } => {
                let start = *place;
                *place = gallop(entries, start, |entry| window.contains(entry.doc_id));
                let entries = &entries[start..*place];
                for entry in entries {
                    window.add_frequency(entry.doc_id, entry.frequency(attributes));
                }
                for of_document in entries.chunk_by(|left, right| left.doc_id == right.doc_id) {
                    window
                        .add_score(of_document[0].doc_id, |frequency| self.term.scores(frequency));
                }
            }
        }
    }

    /// Returns the score of the term in a document. Documents must come in ascending order.
    pub fn score_of(&mut self, doc_id: DocId, attributes: &mut AttributeLengths<'_>) -> Bounds {
        let mut frequency = Bounds::default();
        match &mut self.postings {
            Postings::Word { documents, fields } => {
                if let Some(place) = documents.find(doc_id) {
                    for field in fields {
                        if let Some(mark) = field.at(place) {
                            let entry = PostingEntry {
                                doc_id,
                                field: field.field(),
                                tier: 0,
                                count: mark.into(),
                            };
                            frequency += entry.frequency(attributes);
                        }
                    }
                }
            }
            Postings::Several { entries, place } => {
                *place = gallop(entries, *place, |entry| entry.doc_id < doc_id);
                for entry in entries[*place..].iter().take_while(|entry| entry.doc_id == doc_id) {
                    frequency += entry.frequency(attributes);
                }
            }
        }
        self.term.scores(frequency)
    }
}

impl PostingEntry {
    fn frequency(&self, attributes: &mut AttributeLengths<'_>) -> Bounds {
        match attributes.get(self.field) {
            Some(attribute) => {
                let frequency = attribute.frequency(attributes.place(self.doc_id), self.count);
                frequency * share(self.tier)
            }
            None => Bounds { least: 0.0, most: f64::INFINITY },
        }
    }
}

impl From<Mark> for Count {
    #[inline]
    fn from(mark: Mark) -> Self {
        let least = mark.frequency();
        Self { least, is_exact: least < HIGHEST_FREQUENCY }
    }
}

/// Returns the occurrences of a term that is a single word in this segment; `None` if it is more.
fn word_postings<'t>(
    context: &Context<'_>,
    view: &SegmentView<'t>,
    words: &[NodeWords],
    part: &TermTier,
) -> Result<Option<Postings<'t>>, SearchError> {
    let [(range, scope)] = words else {
        return Ok(None);
    };
    if range.len() != 1 || !part.phrase_documents(context, view)?.is_empty() {
        return Ok(None);
    }
    Ok(Some(match view.text.word_occurrences(range.start)? {
        Some((documents, occurrences)) => {
            let fields = occurrences.fields().iter();
            let counted = fields.filter(|field| scope.counts_in(view.role(field.field())));
            let fields = counted.map(FieldOccurrences::cursor).collect();
            Postings::Word { documents, fields }
        }
        None => Postings::Several { entries: Vec::new(), place: 0 },
    }))
}

/// Merges the occurrences of several words, and the documents of phrases.
fn several<'t>(
    context: &Context<'_>,
    view: &SegmentView<'t>,
    segment: usize,
    term: &WeighedTerm,
) -> Result<Postings<'t>, SearchError> {
    let mut entries = Vec::new();
    for part in &term.parts {
        let phrases = part.phrase_documents(context, view)?;
        add_entries(view, &part.node.words(segment), &phrases, part.tier, &mut entries)?;
    }
    // Entries come in a few sorted runs, which are merged.
    entries.sort();
    entries.dedup_by(|later, earlier| {
        let place = |entry: &PostingEntry| (entry.doc_id, entry.field, entry.tier);
        let is_same = place(later) == place(earlier);
        if is_same {
            earlier.count.least += later.count.least;
            earlier.count.is_exact &= later.count.is_exact;
        }
        is_same
    });
    Ok(Postings::Several { entries, place: 0 })
}

fn add_entries(
    view: &SegmentView<'_>,
    words: &[NodeWords],
    phrases: &RoaringBitmap,
    tier: Tier,
    entries: &mut Vec<PostingEntry>,
) -> Result<(), SearchError> {
    let unknown = Count { least: 0, is_exact: false };
    let of_phrase = |doc_id| PostingEntry { doc_id, field: ANYWHERE, tier, count: unknown };
    entries.extend(phrases.iter().map(of_phrase));
    let mut doc_ids = Vec::new();
    for (ordinals, scope) in words {
        for ordinal in ordinals.clone() {
            doc_ids.clear();
            let Some(occurrences) = view.text.occurrences(ordinal, &mut doc_ids)? else {
                continue;
            };
            let fields = occurrences.fields().iter();
            for of_field in fields.filter(|field| scope.counts_in(view.role(field.field()))) {
                let field = of_field.field();
                of_field.for_each(&doc_ids, |doc_id, mark| {
                    entries.push(PostingEntry { doc_id, field, tier, count: mark.into() });
                });
            }
        }
    }
    Ok(())
}

/// The lengths and weights of the attributes of one segment.
pub(super) struct AttributeLengths<'t> {
    text: &'t TextReader,
    /// By attribute number.
    fields: Vec<AttributeLength<'t>>,
    /// The place at which the last document was found.
    near: usize,
}

#[derive(Clone, Copy)]
struct AttributeLength<'t> {
    lengths: FieldLengths<'t>,
    scale: &'t Scale,
}

impl<'t> AttributeLengths<'t> {
    /// Returns `None` if the segment does not store lengths.
    pub fn new(text: &'t TextReader, scales: &'t [Scale]) -> Result<Option<Self>, SearchError> {
        let mut fields = Vec::with_capacity(scales.len());
        for (field, scale) in (0..).zip(scales) {
            match text.lengths(field)? {
                Some(lengths) => fields.push(AttributeLength { lengths, scale }),
                None => return Ok(None),
            }
        }
        Ok(Some(Self { text, fields, near: 0 }))
    }

    fn get(&self, field: u16) -> Option<AttributeLength<'t>> {
        self.fields.get(usize::from(field)).copied()
    }

    #[inline]
    fn place(&mut self, doc_id: DocId) -> usize {
        self.text.place(doc_id, &mut self.near).unwrap_or(usize::MAX)
    }
}

impl AttributeLength<'_> {
    /// Returns the weighted frequency of a word with this count in the document at a place of the
    /// segment.
    #[inline]
    fn frequency(&self, place: usize, count: Count) -> Bounds {
        let length = self.lengths.get(place);
        let least = self.scale.frequency(count.least, length);
        let most = match count.is_exact {
            true => least,
            false => self.scale.frequency(count.least.max(length), length),
        };
        Bounds { least, most }
    }
}
