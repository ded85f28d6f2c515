//! Merges the dictionaries of all inputs and the documents of each word, leaving out those that
//! are not live.

use roaring::RoaringBitmap;

use super::source::Source;
use crate::encoding::side_by_side::{SharedWord, SideBySide};
use crate::error::Result;
use crate::frame::FrameWriter;
use crate::patience::Patience;
use crate::text::reader::TextReader;
use crate::text::word_writer::WordWriter;

/// Writes the words that have live documents, and notes their new ordinals.
pub fn merge(
    sources: &mut [Source<'_>],
    documents: u64,
    frame: &mut FrameWriter,
    patience: &mut Patience<'_>,
) -> Result<u32> {
    let mut out = WordWriter::new(frame, documents)?;
    // The dictionaries are walked through while sources learn new ordinals.
    let readers: Vec<&TextReader> = sources.iter().map(|source| source.reader).collect();
    let dictionaries = readers.iter().map(|reader| reader.dictionary()).enumerate();
    let mut words =
        SideBySide::new(dictionaries.filter(|(source, _)| sources[*source].has_words()));
    let (mut list, mut sets) = (Vec::new(), RoaringBitmap::new());
    while let Some(SharedWord { word, places }) = words.next() {
        patience.step()?;
        list.clear();
        sets.clear();
        for &(source, ordinal) in places {
            if ordinal >= readers[source].word_count() {
                let what = "the dictionary holds an impossible word";
                return Err(readers[source].frame.damaged(what));
            }
            if let Some(set) = sources[source].documents(ordinal, &mut list, patience)? {
                sets |= set;
            }
        }
        let ordinal = if sets.is_empty() {
            if list.is_empty() {
                continue;
            }
            if !list.is_sorted_by(|left, right| left < right) {
                list.sort_unstable();
                list.dedup();
            }
            out.add_list(word, &list)?
        } else {
            sets.extend(list.iter().copied());
            out.add_set(word, std::mem::take(&mut sets))?
        };
        for &(source, old) in places {
            sources[source].ordinals[old as usize] = ordinal;
        }
    }
    out.finish()
}
