//! ModernBERT: rotary positions, local attention in most layers, and gated inner layers.

use candle_core::{Device, Result, Tensor};
use model::Cancel;

use super::attention::Attention;
use super::layers::{LayerNorm, Linear, add, gated_gelu};
use crate::local::batch::Batch;
use crate::local::weights::Weights;

#[derive(Debug, Clone)]
pub(in crate::local) struct Shape {
    pub(in crate::local) vocabulary: usize,
    pub(in crate::local) width: usize,
    pub(in crate::local) inner_width: usize,
    pub(in crate::local) heads: usize,
    pub(in crate::local) positions: usize,
    /// For each layer, whether its attention is local.
    pub(in crate::local) is_local: Vec<bool>,
    /// Width of the local window in tokens, half of it on each side.
    pub(in crate::local) local_window: usize,
    pub(in crate::local) global_theta: f64,
    pub(in crate::local) local_theta: f64,
    pub(in crate::local) epsilon: f64,
}

pub(in crate::local) struct ModernBert {
    words: Tensor,
    norm: LayerNorm,
    layers: Vec<Layer>,
    last_norm: LayerNorm,
    global_turn: RotaryEmbedding,
    local_turn: RotaryEmbedding,
}

struct Layer {
    /// None for the first layer, whose rows are normalised already.
    attention_norm: Option<LayerNorm>,
    joined: Linear,
    attention: Attention,
    attention_output: Linear,
    norm: LayerNorm,
    input: Linear,
    output: Linear,
}

/// Rotary positions: cosines and sines by position and frequency.
struct RotaryEmbedding {
    cosines: Tensor,
    sines: Tensor,
}

impl ModernBert {
    pub(super) fn load(weights: &mut Weights, shape: &Shape) -> Result<Self> {
        weights.find_prefix("embeddings.tok_embeddings.weight")?;
        let words =
            weights.take("embeddings.tok_embeddings.weight", &[shape.vocabulary, shape.width])?;
        let device = words.device().clone();
        let layers = shape.is_local.iter().enumerate();
        let layers =
            layers.map(|(number, is_local)| Layer::load(weights, number, *is_local, shape));
        let layers = layers.collect::<Result<_>>()?;
        let mut norm = |name| LayerNorm::load(weights, name, shape.width, false, shape.epsilon);
        Ok(Self {
            words,
            layers,
            norm: norm("embeddings.norm")?,
            last_norm: norm("final_norm")?,
            global_turn: RotaryEmbedding::new(shape, shape.global_theta, &device)?,
            local_turn: RotaryEmbedding::new(shape, shape.local_theta, &device)?,
        })
    }

    pub(super) fn apply(&self, batch: &Batch, cancel: &Cancel) -> Result<Option<Tensor>> {
        let words = self.words.index_select(&batch.tokens(self.words.device())?, 0)?;
        let mut rows = self.norm.apply(&words)?;
        for layer in &self.layers {
            if cancel.is_cancelled() {
                return Ok(None);
            }
            let is_local = layer.attention.window.is_some();
            let rotary = if is_local { &self.local_turn } else { &self.global_turn };
            rows = layer.apply(rows, batch, rotary)?;
        }
        self.last_norm.apply(&rows).map(Some)
    }
}

impl Layer {
    fn load(weights: &mut Weights, number: usize, is_local: bool, shape: &Shape) -> Result<Self> {
        let (width, inner) = (shape.width, shape.inner_width);
        let at = |part: &str| format!("layers.{number}.{part}");
        let mut linear = |part, sizes| Linear::load(weights, &at(part), sizes, false);
        let joined = linear("attn.Wqkv", (width, 3 * width))?;
        let attention_output = linear("attn.Wo", (width, width))?;
        let input = linear("mlp.Wi", (width, 2 * inner))?;
        let output = linear("mlp.Wo", (inner, width))?;
        let mut norm = |part| LayerNorm::load(weights, &at(part), width, false, shape.epsilon);
        Ok(Self {
            joined,
            attention_output,
            input,
            output,
            attention_norm: (number > 0).then(|| norm("attn_norm")).transpose()?,
            norm: norm("mlp_norm")?,
            attention: Attention {
                heads: shape.heads,
                window: is_local.then_some(shape.local_window / 2),
            },
        })
    }

    fn apply(&self, rows: Tensor, batch: &Batch, rotary: &RotaryEmbedding) -> Result<Tensor> {
        let joined = match &self.attention_norm {
            Some(norm) => self.joined.apply(&norm.apply(&rows)?)?,
            None => self.joined.apply(&rows)?,
        };
        let seen = self.attention.apply(&joined, &batch.runs, |rows| rotary.apply(rows))?;
        let rows = add(self.attention_output.apply(&seen)?, &rows)?;
        let inner = gated_gelu(&self.input.apply(&self.norm.apply(&rows)?)?)?;
        add(self.output.apply(&inner)?, &rows)
    }
}

impl RotaryEmbedding {
    fn new(shape: &Shape, theta: f64, device: &Device) -> Result<Self> {
        let width = shape.width / shape.heads;
        let frequencies: Vec<f64> =
            (0..width / 2).map(|n| theta.powf(-2.0 * n as f64 / width as f64)).collect();
        let table = |of: fn(f64) -> f64| {
            let angles = (0..shape.positions)
                .flat_map(|position| frequencies.iter().map(move |f| f * position as f64));
            let values: Vec<f32> = angles.map(|angle| of(angle) as f32).collect();
            Tensor::from_vec(values, (shape.positions, width / 2), device)
        };
        Ok(Self { cosines: table(f64::cos)?, sines: table(f64::sin)? })
    }

    fn apply(&self, rows: &Tensor) -> Result<Tensor> {
        candle_nn::rotary_emb::rope(rows, &self.cosines, &self.sines)
    }
}
