//! Chooses the compression dictionary of a merged file.

use super::Source;
use crate::documents::block;
use crate::documents::dictionary::{self, Dictionary, Sample};
use crate::error::Result;

/// Returns the dictionary that already fits most of the documents, or a new one.
pub fn choose(sources: &[Source<'_>]) -> Result<Option<Dictionary>> {
    let total: u64 = sources.iter().map(Source::live_json).sum();
    if total < dictionary::WORTH_STORING {
        return Ok(None);
    }
    for source in sources {
        let Some(dictionary) = source.reader.dictionary() else {
            continue;
        };
        let covered: u64 = sources
            .iter()
            .filter(|other| other.reader.dictionary().as_ref() == Some(&dictionary))
            .map(Source::live_json)
            .sum();
        if covered >= total / 2 {
            return Ok(Some(dictionary));
        }
    }
    if total < dictionary::WORTH_TRAINING {
        return Ok(None);
    }
    train(sources, total)
}

/// Trains on every n-th live document, from blocks spread over all inputs.
fn train(sources: &[Source<'_>], total: u64) -> Result<Option<Dictionary>> {
    /// Neighbours resemble each other, so only one in this many of a block is used.
    const STEP_IN_BLOCK: usize = 4;

    let wanted_blocks = dictionary::SAMPLE_LENGTH / block::TARGET_LENGTH * STEP_IN_BLOCK;
    let all_blocks = total / block::TARGET_LENGTH as u64;
    let step = (all_blocks as usize / wanted_blocks).max(1);
    let mut sample = Sample::default();
    let (mut raw, mut documents) = (Vec::new(), Vec::new());
    for source in sources {
        for number in (0..source.reader.block_count()).step_by(step) {
            let entry = source.reader.load(number, &mut raw)?;
            block::parse(&raw, entry.first, &mut documents)
                .ok_or_else(|| source.reader.malformed(number))?;
            let live = documents.iter().filter(|(doc_id, _)| source.live.contains(*doc_id));
            for (_, place) in live.step_by(STEP_IN_BLOCK) {
                sample.add(&raw[place.clone()]);
            }
        }
    }
    Ok(Dictionary::train(&sample))
}
