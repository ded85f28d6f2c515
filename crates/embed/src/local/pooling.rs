//! Pooling: combines the rows of the tokens into the vector of the text.

use serde::Deserialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pooling {
    /// The row of the first token, which represents the text.
    First,
    Last,
    Mean,
    /// The sum over the square root of the number of tokens.
    MeanSquareRoot,
    Max,
}

/// `1_Pooling/config.json`.
#[derive(Debug, Deserialize)]
pub(super) struct PoolingConfig {
    /// The mode in newer models; older ones have a member for each mode.
    pooling_mode: Option<String>,
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
    #[serde(default)]
    pooling_mode_max_tokens: bool,
    #[serde(default)]
    pooling_mode_mean_sqrt_len_tokens: bool,
    #[serde(default)]
    pooling_mode_lasttoken: bool,
}

impl PoolingConfig {
    /// Returns the mode; `None` if it is unsupported or there are several.
    pub(super) fn pooling(&self) -> Option<Pooling> {
        if let Some(mode) = &self.pooling_mode {
            return match mode.as_str() {
                "cls" => Some(Pooling::First),
                "lasttoken" => Some(Pooling::Last),
                "mean" => Some(Pooling::Mean),
                "mean_sqrt_len_tokens" => Some(Pooling::MeanSquareRoot),
                "max" => Some(Pooling::Max),
                _ => None,
            };
        }
        let modes = [
            (self.pooling_mode_cls_token, Pooling::First),
            (self.pooling_mode_lasttoken, Pooling::Last),
            (self.pooling_mode_mean_tokens, Pooling::Mean),
            (self.pooling_mode_mean_sqrt_len_tokens, Pooling::MeanSquareRoot),
            (self.pooling_mode_max_tokens, Pooling::Max),
        ];
        let mut chosen = modes.iter().filter(|(is_chosen, _)| *is_chosen);
        match (chosen.next(), chosen.next()) {
            (Some((_, pooling)), None) => Some(*pooling),
            _ => None,
        }
    }
}

impl Pooling {
    /// Pools the rows of one text, at least one.
    pub(super) fn apply(self, rows: &[f32], width: usize) -> Vec<f32> {
        let tokens = rows.len() / width;
        match self {
            Self::First => rows[..width].to_vec(),
            Self::Last => rows[rows.len() - width..].to_vec(),
            Self::Mean => fold(rows, width, |sum, value| sum + value, 1.0 / tokens as f32),
            Self::MeanSquareRoot => {
                fold(rows, width, |sum, value| sum + value, 1.0 / (tokens as f32).sqrt())
            }
            Self::Max => fold(rows, width, f32::max, 1.0),
        }
    }
}

fn fold(rows: &[f32], width: usize, join: fn(f32, f32) -> f32, scale: f32) -> Vec<f32> {
    let (first, rest) = rows.split_at(width);
    let mut folded = first.to_vec();
    for row in rest.chunks_exact(width) {
        for (all, value) in folded.iter_mut().zip(row) {
            *all = join(*all, *value);
        }
    }
    folded.iter_mut().for_each(|value| *value *= scale);
    folded
}

/// Scales the vector to length 1. A zero vector stays.
pub(super) fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configured(json: &str) -> Option<Pooling> {
        serde_json::from_str::<PoolingConfig>(json).unwrap().pooling()
    }

    #[test]
    fn each_way_makes_one_vector_of_the_rows() {
        let rows = [1.0, 8.0, 3.0, 2.0, 5.0, 2.0, 7.0, 4.0];
        assert_eq!(Pooling::First.apply(&rows, 2), [1.0, 8.0]);
        assert_eq!(Pooling::Last.apply(&rows, 2), [7.0, 4.0]);
        assert_eq!(Pooling::Mean.apply(&rows, 2), [4.0, 4.0]);
        assert_eq!(Pooling::MeanSquareRoot.apply(&rows, 2), [8.0, 8.0]);
        assert_eq!(Pooling::Max.apply(&rows, 2), [7.0, 8.0]);
    }

    #[test]
    fn the_model_says_which_way() {
        let mean = r#"{"word_embedding_dimension": 384, "pooling_mode_mean_tokens": true}"#;
        assert_eq!(configured(mean), Some(Pooling::Mean));
        assert_eq!(configured(r#"{"pooling_mode_cls_token": true}"#), Some(Pooling::First));
        assert_eq!(configured(r#"{"pooling_mode": "lasttoken"}"#), Some(Pooling::Last));
        assert_eq!(configured(r#"{"pooling_mode": "weightedmean"}"#), None);
        assert_eq!(
            configured(r#"{"pooling_mode_cls_token": true, "pooling_mode_max_tokens": true}"#),
            None
        );
    }

    #[test]
    fn a_zero_vector_stays() {
        let mut vector = [3.0, 4.0];
        normalise(&mut vector);
        assert_eq!(vector, [0.6, 0.8]);
        let mut vector = [0.0, 0.0];
        normalise(&mut vector);
        assert_eq!(vector, [0.0, 0.0]);
    }
}
