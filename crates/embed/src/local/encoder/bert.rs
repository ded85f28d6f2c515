//! BERT, RoBERTa and XLM-RoBERTa: the same layers with different first positions.

use candle_core::{Result, Tensor};
use model::Cancel;

use super::attention::Attention;
use super::layers::{Activation, LayerNorm, Linear};
use crate::local::batch::Batch;
use crate::local::weights::Weights;

#[derive(Debug, Clone)]
pub(in crate::local) struct Shape {
    pub(in crate::local) vocabulary: usize,
    pub(in crate::local) width: usize,
    pub(in crate::local) inner_width: usize,
    pub(in crate::local) layers: usize,
    pub(in crate::local) heads: usize,
    pub(in crate::local) positions: usize,
    pub(in crate::local) first_position: usize,
    pub(in crate::local) token_types: usize,
    pub(in crate::local) activation: Activation,
    pub(in crate::local) epsilon: f64,
}

pub(in crate::local) struct Bert {
    words: Tensor,
    /// Embeddings of positions, with the first token type added.
    positions: Tensor,
    /// Difference of each token type from the first.
    types: Tensor,
    norm: LayerNorm,
    layers: Vec<Layer>,
}

struct Layer {
    joined: Linear,
    attention: Attention,
    attention_output: Linear,
    attention_norm: LayerNorm,
    intermediate: Linear,
    activation: Activation,
    output: Linear,
    norm: LayerNorm,
}

impl Bert {
    pub(super) fn load(weights: &mut Weights, shape: &Shape) -> Result<Self> {
        let width = shape.width;
        weights.find_prefix("embeddings.word_embeddings.weight")?;
        let mut table =
            |name: &str, rows| weights.take(&format!("embeddings.{name}.weight"), &[rows, width]);
        let words = table("word_embeddings", shape.vocabulary)?;
        let types = table("token_type_embeddings", shape.token_types)?;
        let positions = table("position_embeddings", shape.positions)?;
        let positions = positions.narrow(0, shape.first_position, shape.max_tokens())?;
        let first_type = types.narrow(0, 0, 1)?;
        Ok(Self {
            words,
            positions: positions.broadcast_add(&first_type)?,
            types: types.broadcast_sub(&first_type)?,
            norm: LayerNorm::load(weights, "embeddings.LayerNorm", width, true, shape.epsilon)?,
            layers: (0..shape.layers)
                .map(|number| Layer::load(weights, &format!("encoder.layer.{number}"), shape))
                .collect::<Result<_>>()?,
        })
    }

    pub(super) fn apply(&self, batch: &Batch, cancel: &Cancel) -> Result<Option<Tensor>> {
        let device = self.words.device();
        let words = self.words.index_select(&batch.tokens(device)?, 0)?;
        let mut positions = self.positions.index_select(&batch.positions(device)?, 0)?;
        if let Some(types) = batch.types(self.types.dim(0)? - 1, device)? {
            positions = (positions + self.types.index_select(&types, 0)?)?;
        }
        let mut rows = self.norm.apply_to_sum(words, &positions)?;
        for layer in &self.layers {
            if cancel.is_cancelled() {
                return Ok(None);
            }
            rows = layer.apply(rows, batch)?;
        }
        Ok(Some(rows))
    }
}

impl Shape {
    pub(in crate::local) fn max_tokens(&self) -> usize {
        self.positions - self.first_position
    }
}

impl Layer {
    fn load(weights: &mut Weights, name: &str, shape: &Shape) -> Result<Self> {
        let (width, inner) = (shape.width, shape.inner_width);
        let parts = ["query", "key", "value"].map(|part| format!("{name}.attention.self.{part}"));
        let at = |part: &str| format!("{name}.{part}");
        let mut linear = |part, sizes| Linear::load(weights, &at(part), sizes, true);
        let attention_output = linear("attention.output.dense", (width, width))?;
        let intermediate = linear("intermediate.dense", (width, inner))?;
        let output = linear("output.dense", (inner, width))?;
        let mut norm = |part| LayerNorm::load(weights, &at(part), width, true, shape.epsilon);
        Ok(Self {
            attention_output,
            intermediate,
            output,
            attention_norm: norm("attention.output.LayerNorm")?,
            norm: norm("output.LayerNorm")?,
            joined: Linear::load_joined(weights, &parts, (width, width))?,
            attention: Attention { heads: shape.heads, window: None },
            activation: shape.activation,
        })
    }

    fn apply(&self, rows: Tensor, batch: &Batch) -> Result<Tensor> {
        let joined = self.joined.apply(&rows)?;
        let seen = self.attention.apply(&joined, &batch.runs, |rows| Ok(rows.clone()))?;
        let seen = self.attention_output.apply(&seen)?;
        let rows = self.attention_norm.apply_to_sum(seen, &rows)?;
        let inner = self.intermediate.apply_and_activate(&rows, self.activation)?;
        self.norm.apply_to_sum(self.output.apply(&inner)?, &rows)
    }
}
