//! Merges the dictionaries of all inputs and the occurrences of each word, leaving out dead
//! documents and unwanted attributes.

use model::CancelCheck;

use super::source::Source;
use crate::encoding::dictionary_union::{DictionaryUnion, SharedWord};
use crate::error::Result;
use crate::frame::FrameWriter;
use crate::text::reader::TextReader;
use crate::text::word_writer::{WordWriter, WrittenWords};

/// Writes the words that have live documents, and records their new ordinals.
pub fn merge(
    sources: &mut [Source<'_>],
    documents: u64,
    frame: &mut FrameWriter,
    cancel: &mut CancelCheck<'_>,
) -> Result<WrittenWords> {
    let mut out = WordWriter::new(frame, documents)?;
    // The dictionaries are read while the sources are changed.
    let readers: Vec<&TextReader> = sources.iter().map(|source| source.reader).collect();
    let dictionaries = readers.iter().map(|reader| reader.dictionary()).enumerate();
    let mut words =
        DictionaryUnion::new(dictionaries.filter(|(source, _)| sources[*source].has_words()));
    let mut occurrences = Vec::new();
    while let Some(SharedWord { word, places }) = words.next() {
        cancel.step()?;
        occurrences.clear();
        for &(source, ordinal) in places {
            if ordinal >= readers[source].word_count() {
                let what = "the dictionary holds an impossible word";
                return Err(readers[source].frame.damaged(what));
            }
            sources[source].occurrences(ordinal, &mut occurrences)?;
        }
        if occurrences.is_empty() {
            continue;
        }
        if !occurrences.is_sorted() {
            occurrences.sort_unstable();
        }
        let ordinal = out.add(word, &occurrences)?;
        for &(source, old) in places {
            sources[source].ordinals[old as usize] = ordinal;
        }
    }
    out.finish()
}
