//! Encoders turn the tokens of a batch of texts into one row for each token.

mod attention;
mod bert;
mod kernels;
mod layers;
mod modern_bert;

use candle_core::{Result, Tensor};
use model::Cancel;

use super::batch::Batch;
use super::weights::Weights;

pub(super) use bert::Shape as BertShape;
pub(super) use layers::Activation;
pub(super) use modern_bert::Shape as ModernBertShape;

/// The architecture of a model and its sizes.
#[derive(Debug, Clone)]
pub(super) enum Architecture {
    Bert(BertShape),
    ModernBert(ModernBertShape),
}

impl Architecture {
    pub(super) fn width(&self) -> usize {
        match self {
            Self::Bert(shape) => shape.width,
            Self::ModernBert(shape) => shape.width,
        }
    }

    /// Returns the most tokens of a text.
    pub(super) fn max_tokens(&self) -> usize {
        match self {
            Self::Bert(shape) => shape.max_tokens(),
            Self::ModernBert(shape) => shape.positions,
        }
    }
}

pub(super) enum Encoder {
    Bert(bert::Bert),
    ModernBert(modern_bert::ModernBert),
}

impl Encoder {
    pub(super) fn load(architecture: &Architecture, weights: &mut Weights) -> Result<Self> {
        Ok(match architecture {
            Architecture::Bert(shape) => Self::Bert(bert::Bert::load(weights, shape)?),
            Architecture::ModernBert(shape) => {
                Self::ModernBert(modern_bert::ModernBert::load(weights, shape)?)
            }
        })
    }

    /// Encodes a batch; none if stopped before the last layer.
    pub(super) fn apply(&self, batch: &Batch, cancel: &Cancel) -> Result<Option<Tensor>> {
        match self {
            Self::Bert(model) => model.apply(batch, cancel),
            Self::ModernBert(model) => model.apply(batch, cancel),
        }
    }
}
