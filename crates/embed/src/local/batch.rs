//! Groups texts of similar length for one pass through a model, up to a number of tokens that keeps
//! memory small.

use candle_core::{Device, Result, Tensor};

/// The tokens of several texts, one after the other, the longest text first.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Batch {
    /// Positions of these texts in the request.
    pub(super) texts: Vec<usize>,
    pub(super) runs: Vec<Run>,
    tokens: Vec<u32>,
    /// Type of each token: which of two texts it belongs to. Empty if there is only one.
    types: Vec<u32>,
}

/// Consecutive texts of the same length.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// Position of the first token.
    pub(super) start: usize,
    pub(super) texts: usize,
    /// Tokens of each text.
    pub(super) length: usize,
}

/// Splits tokenised texts into batches of at most `max_tokens` (or one text); empty texts are in
/// none. A few texts are spread over the workers.
pub(super) fn batches(texts: &[Vec<u32>], max_tokens: usize, workers: usize) -> Vec<Batch> {
    let mut order: Vec<usize> = (0..texts.len()).filter(|text| !texts[*text].is_empty()).collect();
    order.sort_by_key(|text| std::cmp::Reverse(texts[*text].len()));
    let total: usize = texts.iter().map(Vec::len).sum();
    let max_tokens = total.div_ceil(workers.max(1)).min(max_tokens);
    let mut batches: Vec<Batch> = Vec::new();
    for text in order {
        let tokens = &texts[text];
        match batches.last_mut() {
            Some(batch) if batch.tokens.len() + tokens.len() <= max_tokens => {
                batch.push(text, tokens);
            }
            _ => {
                let mut batch = Batch::default();
                batch.push(text, tokens);
                batches.push(batch);
            }
        }
    }
    batches
}

/// Like `batches`, for pairs of texts: `types` tells for each token which text it belongs to.
pub(super) fn pair_batches(
    pairs: &[Vec<u32>],
    types: &[Vec<u32>],
    max_tokens: usize,
    workers: usize,
) -> Vec<Batch> {
    let mut batches = batches(pairs, max_tokens, workers);
    for batch in &mut batches {
        batch.types = batch.texts.iter().flat_map(|text| &types[*text]).copied().collect();
    }
    batches
}

impl Batch {
    fn push(&mut self, text: usize, tokens: &[u32]) {
        match self.runs.last_mut() {
            Some(run) if run.length == tokens.len() => run.texts += 1,
            _ => self.runs.push(Run { start: self.tokens.len(), texts: 1, length: tokens.len() }),
        }
        self.texts.push(text);
        self.tokens.extend(tokens);
    }

    pub(super) fn tokens(&self, device: &Device) -> Result<Tensor> {
        Tensor::new(self.tokens.as_slice(), device)
    }

    /// Returns the type of each token, at most `most`; none if there is only one text.
    pub(super) fn types(&self, most: usize, device: &Device) -> Result<Option<Tensor>> {
        if self.types.is_empty() || most == 0 {
            return Ok(None);
        }
        let types: Vec<u32> = self.types.iter().map(|kind| (*kind).min(most as u32)).collect();
        Tensor::new(types, device).map(Some)
    }

    /// Returns the position of each token in its text.
    pub(super) fn positions(&self, device: &Device) -> Result<Tensor> {
        let runs = self.runs.iter();
        let positions = runs.flat_map(|run| (0..run.texts).flat_map(|_| 0..run.length as u32));
        Tensor::from_vec(positions.collect(), self.tokens.len(), device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lengths: &[usize]) -> Vec<Vec<u32>> {
        lengths.iter().map(|length| vec![*length as u32; *length]).collect()
    }

    #[test]
    fn texts_of_one_length_run_together() {
        let made = batches(&texts(&[2, 3, 0, 2, 3]), 512, 1);
        assert_eq!(made.len(), 1);
        assert_eq!(made[0].texts, [1, 4, 0, 3]);
        assert_eq!(
            made[0].runs,
            [Run { start: 0, texts: 2, length: 3 }, Run { start: 6, texts: 2, length: 2 }]
        );
        let positions = made[0].positions(&Device::Cpu).unwrap().to_vec1::<u32>().unwrap();
        assert_eq!(positions, [0, 1, 2, 0, 1, 2, 0, 1, 0, 1]);
        let tokens = made[0].tokens(&Device::Cpu).unwrap().to_vec1::<u32>().unwrap();
        assert_eq!(tokens, [3, 3, 3, 3, 3, 3, 2, 2, 2, 2]);
    }

    #[test]
    fn batches_stay_small_and_hold_every_text_once() {
        let lengths: Vec<usize> = (0..1000).map(|n| n * 37 % 300).collect();
        let made = batches(&texts(&lengths), 512, 2);
        let mut seen: Vec<usize> = made.iter().flat_map(|batch| batch.texts.clone()).collect();
        seen.sort_unstable();
        let expected: Vec<usize> = (0..1000).filter(|text| lengths[*text] > 0).collect();
        assert_eq!(seen, expected);
        assert!(made.iter().all(|batch| batch.tokens.len() <= 512));
    }

    #[test]
    fn tokens_of_pairs_keep_their_types() {
        let types = vec![vec![0, 1], vec![0, 0, 1]];
        let made = pair_batches(&texts(&[2, 3]), &types, 512, 1);
        assert_eq!(
            (made[0].texts.clone(), made[0].types.clone()),
            (vec![1, 0], vec![0, 0, 1, 0, 1])
        );
        // A model with one token type needs no types.
        assert!(made[0].types(0, &Device::Cpu).unwrap().is_none());
        assert!(batches(&texts(&[2]), 512, 1)[0].types(1, &Device::Cpu).unwrap().is_none());
    }

    #[test]
    fn a_text_longer_than_a_batch_goes_alone() {
        let made = batches(&texts(&[4, 1536]), 512, 1);
        assert_eq!(made.iter().map(|batch| batch.texts.len()).collect::<Vec<_>>(), [1, 1]);
    }

    #[test]
    fn few_texts_are_shared_out() {
        assert_eq!(batches(&texts(&[10, 10, 10, 10]), 512, 2).len(), 2);
        assert_eq!(batches(&texts(&[10]), 512, 2).len(), 1);
        assert_eq!(batches(&[], 512, 2), []);
    }
}
