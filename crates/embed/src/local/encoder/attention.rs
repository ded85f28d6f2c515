//! Attention within each text. Texts of the same length go together, so there is no padding and no
//! mask; long texts go in blocks of rows, so that the scores between all their tokens are never in
//! memory at once.

use candle_core::{Result, Tensor};

use super::layers::softmax;
use crate::local::batch::Run;

/// Scores computed at a time.
const MAX_SCORES: usize = 1 << 20;

pub(super) struct Attention {
    pub(super) heads: usize,
    /// Width of the attention window, if it is not the whole text.
    pub(super) window: Option<usize>,
}

impl Attention {
    /// Computes attention from rows of queries, keys and values, side by side. `rotary` changes
    /// queries and keys (texts, heads, tokens, width).
    pub(super) fn apply(
        &self,
        joined: &Tensor,
        runs: &[Run],
        turn: impl Fn(&Tensor) -> Result<Tensor>,
    ) -> Result<Tensor> {
        let (_, width) = joined.dims2()?;
        let width = width / 3;
        let mut seen = Vec::with_capacity(runs.len());
        for run in runs {
            let parts = joined
                .narrow(0, run.start, run.texts * run.length)?
                .reshape((run.texts, run.length, 3, self.heads, width / self.heads))?
                .permute((2, 0, 3, 1, 4))?
                .contiguous()?;
            let (queries, keys) = (turn(&parts.get(0)?)?, turn(&parts.get(1)?)?);
            let seen_by_heads = self.look(&queries, &keys, &parts.get(2)?)?;
            seen.push(seen_by_heads.transpose(1, 2)?.reshape((run.texts * run.length, width))?);
        }
        match seen.as_slice() {
            [seen] => Ok(seen.clone()),
            several => Tensor::cat(several, 0),
        }
    }

    fn look(&self, queries: &Tensor, keys: &Tensor, values: &Tensor) -> Result<Tensor> {
        let (texts, heads, length, width) = queries.dims4()?;
        let scale = 1.0 / (width as f64).sqrt();
        let keys = keys.t()?;
        let rows = (MAX_SCORES / (texts * heads * length)).clamp(1, length);
        let mut seen = Vec::with_capacity(length.div_ceil(rows));
        for first in (0..length).step_by(rows) {
            let block = queries.narrow(2, first, rows.min(length - first))?;
            let shares = softmax(block.matmul(&keys)?, scale, first, self.window)?;
            seen.push(shares.matmul(values)?);
        }
        match seen.as_slice() {
            [seen] => Ok(seen.clone()),
            several => Tensor::cat(several, 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    const HEADS: usize = 4;
    const WIDTH: usize = 8;

    /// Computes the attention of the token `row` one by one.
    fn seen(text: &[[f32; 3 * WIDTH]], row: usize, window: Option<usize>) -> Vec<f32> {
        let head = WIDTH / HEADS;
        let mut seen = vec![0.0; WIDTH];
        for start in (0..WIDTH).step_by(head) {
            let of = |token: usize, part: usize| &text[token][part * WIDTH + start..][..head];
            let near = |token: &usize| window.is_none_or(|window| token.abs_diff(row) <= window);
            let share = |token: usize| {
                let score: f32 = of(row, 0).iter().zip(of(token, 1)).map(|(q, k)| q * k).sum();
                (score / (head as f32).sqrt()).exp()
            };
            let all: f32 = (0..text.len()).filter(near).map(share).sum();
            for token in (0..text.len()).filter(near) {
                for (seen, value) in seen[start..][..head].iter_mut().zip(of(token, 2)) {
                    *seen += share(token) / all * value;
                }
            }
        }
        seen
    }

    #[test]
    fn long_texts_go_in_blocks_that_fit_together() {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        let runs =
            [Run { start: 0, texts: 1, length: 600 }, Run { start: 600, texts: 2, length: 3 }];
        assert!(HEADS * runs[0].length * runs[0].length > MAX_SCORES);
        let tokens: Vec<[f32; 3 * WIDTH]> =
            (0..606).map(|_| std::array::from_fn(|_| next())).collect();
        let joined =
            Tensor::from_vec(tokens.concat(), (tokens.len(), 3 * WIDTH), &Device::Cpu).unwrap();
        for window in [None, Some(2)] {
            let attention = Attention { heads: HEADS, window };
            let found = attention.apply(&joined, &runs, |rows| Ok(rows.clone())).unwrap();
            let found = found.to_vec2::<f32>().unwrap();
            for (text, rows) in [(0..600, [0, 435, 436, 599]), (603..606, [0, 1, 2, 2])] {
                for row in rows {
                    let expected = seen(&tokens[text.clone()], row, window);
                    for (found, expected) in found[text.start + row].iter().zip(expected) {
                        assert!((found - expected).abs() < 1e-5, "{found} is not {expected}");
                    }
                }
            }
        }
    }
}
