//! Head of a cross-encoder: turns the encoder's rows for a pair of texts into one number, which
//! rates how well the second text answers the first.

use candle_core::{D, Device, Result, Tensor};
use serde::Deserialize;

use super::encoder::Architecture;
use super::pooling::Pooling;
use super::weights::Weights;

/// The head's members of `config.json`.
#[derive(Deserialize)]
pub(super) struct HeadConfig {
    model_type: String,
    #[serde(default)]
    architectures: Vec<String>,
    classifier_pooling: Option<String>,
    classifier_activation: Option<String>,
    #[serde(default)]
    classifier_bias: bool,
}

pub(super) struct Head {
    pub(super) pooling: Pooling,
    dense: Layer,
    activation: Activation,
    /// Weights and epsilon of the norm.
    norm: Option<(Tensor, f64)>,
    output: Layer,
}

#[derive(Debug, Clone, Copy)]
enum Activation {
    Tanh,
    Gelu,
}

struct Layer {
    /// Matrix of input by output.
    weight: Tensor,
    bias: Option<Tensor>,
}

impl HeadConfig {
    /// Refuses models whose output is not a score.
    pub(super) fn check(&self) -> std::result::Result<(), String> {
        if !self.architectures.iter().any(|name| name.ends_with("ForSequenceClassification")) {
            return Err("`architectures` names no model for sequence classification, as \
                        cross-encoders are"
                .to_owned());
        }
        match self.classifier_pooling.as_deref() {
            None | Some("cls" | "mean") => {}
            Some(_) => return Err("unsupported `classifier_pooling`".to_owned()),
        }
        match self.classifier_activation.as_deref() {
            None | Some("gelu") => Ok(()),
            Some(_) => Err("unsupported `classifier_activation`".to_owned()),
        }
    }
}

impl Head {
    /// Loads the head. Call it after loading the encoder, which finds the model's prefix in the
    /// file.
    pub(super) fn load(
        weights: &mut Weights,
        config: &HeadConfig,
        architecture: &Architecture,
    ) -> Result<Self> {
        let width = architecture.width();
        let one = |weights: &mut Weights, name: &str| Layer::load(weights, name, (width, 1), true);
        if let Architecture::ModernBert(shape) = architecture {
            let bias = config.classifier_bias;
            return Ok(Self {
                pooling: match config.classifier_pooling.as_deref() {
                    Some("mean") => Pooling::Mean,
                    _ => Pooling::First,
                },
                dense: Layer::load(weights, "head.dense", (width, width), bias)?,
                activation: Activation::Gelu,
                norm: Some((weights.take_whole("head.norm.weight", &[width])?, shape.epsilon)),
                output: one(weights, "classifier")?,
            });
        }
        let (dense, output) = match config.model_type.as_str() {
            // The pooler belongs to the encoder.
            "bert" => {
                let weight = weights.take("pooler.dense.weight", &[width, width])?;
                let bias = weights.take("pooler.dense.bias", &[width])?;
                (Layer { weight: weight.t()?, bias: Some(bias) }, one(weights, "classifier")?)
            }
            _ => (
                Layer::load(weights, "classifier.dense", (width, width), true)?,
                one(weights, "classifier.out_proj")?,
            ),
        };
        Ok(Self {
            pooling: Pooling::First,
            dense,
            activation: Activation::Tanh,
            norm: None,
            output,
        })
    }

    /// Returns one number for each pooled row.
    pub(super) fn apply(&self, rows: Vec<f32>, width: usize, device: &Device) -> Result<Vec<f32>> {
        let texts = rows.len() / width;
        let rows = Tensor::from_vec(rows, (texts, width), device)?;
        let mut inner = self.dense.apply(&rows)?;
        inner = match self.activation {
            Activation::Tanh => inner.tanh()?,
            Activation::Gelu => inner.gelu_erf()?,
        };
        if let Some((weight, epsilon)) = &self.norm {
            let centred = inner.broadcast_sub(&inner.mean_keepdim(D::Minus1)?)?;
            let variance = centred.sqr()?.mean_keepdim(D::Minus1)?;
            inner =
                centred.broadcast_div(&(variance + *epsilon)?.sqrt()?)?.broadcast_mul(weight)?;
        }
        self.output.apply(&inner)?.flatten_all()?.to_vec1()
    }
}

impl Layer {
    fn load(
        weights: &mut Weights,
        name: &str,
        (inputs, outputs): (usize, usize),
        has_bias: bool,
    ) -> Result<Self> {
        let weight = weights.take_whole(&format!("{name}.weight"), &[outputs, inputs])?;
        let bias = has_bias.then(|| weights.take_whole(&format!("{name}.bias"), &[outputs]));
        Ok(Self { weight: weight.t()?, bias: bias.transpose()? })
    }

    fn apply(&self, rows: &Tensor) -> Result<Tensor> {
        let product = rows.matmul(&self.weight)?;
        match &self.bias {
            Some(bias) => product.broadcast_add(bias),
            None => Ok(product),
        }
    }
}
