//! Which documents lose a word when attributes are left out: those that have it there and nowhere
//! else. All other documents of the word stay as its list has them.
//!
//! The documents that lose words are collected for as many words at a time as memory may hold, in
//! the order in which the words come by; each time takes a walk over the token streams.

use super::source::Source;
use crate::DocId;
use crate::error::Result;
use crate::patience::Patience;
use crate::text::format::FIRST_WORD;

/// Losses that are held at a time, 4 bytes each.
const MOST_HELD: usize = if cfg!(test) { 20 } else { 16 << 20 };

pub struct Lost {
    /// By ordinal: how many documents lose the word.
    counts: Vec<u32>,
    /// The first word whose losses are held.
    start: u32,
    /// Where the losses of each word end.
    ends: Vec<usize>,
    doc_ids: Vec<DocId>,
}

impl Lost {
    /// Counts the losses; none are held yet.
    pub fn count(source: &Source<'_>, patience: &mut Patience<'_>) -> Result<Self> {
        let mut counts = vec![0; source.reader.word_count() as usize];
        for_each_loss(source, patience, |ordinal, _| counts[ordinal as usize] += 1)?;
        Ok(Self { counts, start: 0, ends: Vec::new(), doc_ids: Vec::new() })
    }

    /// The documents that lose a word, in ascending order. Words are to be asked for in theirs.
    pub fn of(
        &mut self,
        ordinal: u32,
        source: &Source<'_>,
        patience: &mut Patience<'_>,
    ) -> Result<&[DocId]> {
        if self.counts.get(ordinal as usize).is_none_or(|&count| count == 0) {
            return Ok(&[]);
        }
        let is_held = |lost: &Self| ordinal.checked_sub(lost.start).map(|place| place as usize);
        let place = match is_held(self).filter(|&place| place < self.ends.len()) {
            Some(place) => place,
            None => {
                self.collect(ordinal, source, patience)?;
                0
            }
        };
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        Ok(&self.doc_ids[start..self.ends[place]])
    }

    /// Holds the losses of a word, and of as many after it as there is room for.
    fn collect(
        &mut self,
        first: u32,
        source: &Source<'_>,
        patience: &mut Patience<'_>,
    ) -> Result<()> {
        self.start = first;
        self.ends.clear();
        let mut total = 0;
        for &count in &self.counts[first as usize..] {
            if total > 0 && total + count as usize > MOST_HELD {
                break;
            }
            // First where they start; filling moves that to their end.
            self.ends.push(total);
            total += count as usize;
        }
        let Self { ends, doc_ids, .. } = self;
        doc_ids.clear();
        doc_ids.resize(total, 0);
        for_each_loss(source, patience, |ordinal, doc_id| {
            let place = ordinal.checked_sub(first).map(|place| place as usize);
            if let Some(end) = place.and_then(|place| ends.get_mut(place)) {
                doc_ids[*end] = doc_id;
                *end += 1;
            }
        })
    }
}

/// Each word that a live document has only where it is left out, and the document.
fn for_each_loss(
    source: &Source<'_>,
    patience: &mut Patience<'_>,
    mut each: impl FnMut(u32, DocId),
) -> Result<()> {
    // By ordinal: the last document that keeps the word or was seen to lose it, counted from 1.
    let mut last = vec![0_u64; source.reader.word_count() as usize];
    let mut cursor = source.reader.tokens();
    let mut left_out = Vec::new();
    for (serial, doc_id) in (1..).zip(&source.live) {
        patience.step()?;
        let Some(tokens) = cursor.seek(doc_id)? else {
            continue;
        };
        let mut is_kept = true;
        for field in tokens.fields() {
            is_kept &=
                source.keeps(field.field()).ok_or_else(|| source.unknown_attribute(doc_id))?;
        }
        if is_kept {
            continue;
        }
        left_out.clear();
        for field in tokens.fields() {
            if source.keeps(field.field()) == Some(true) {
                field.iter().for_each(|token| {
                    if let Some(last) = word(token).and_then(|word| last.get_mut(word)) {
                        *last = serial;
                    }
                });
            } else {
                field.decode_into(&mut left_out);
            }
        }
        for ordinal in left_out.iter().filter_map(|&token| word(token)) {
            if let Some(last) = last.get_mut(ordinal)
                && *last != serial
            {
                *last = serial;
                each(ordinal as u32, doc_id);
            }
        }
    }
    Ok(())
}

fn word(token: u32) -> Option<usize> {
    token.checked_sub(FIRST_WORD).map(|ordinal| ordinal as usize)
}
