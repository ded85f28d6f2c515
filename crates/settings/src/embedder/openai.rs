//! The models of OpenAI.

use model::ServiceError;

use super::Distribution;
use super::check::{number, text};
use super::fields::{EmbedderPath, Members};
use super::read::DEFAULT_OPENAI_MODEL;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OpenAiModel {
    pub name: &'static str,
    pub dimensions: usize,
    /// True if it supports fewer dimensions.
    pub can_shorten: bool,
    /// Distribution of its similarities.
    pub distribution: Distribution,
}

impl OpenAiModel {
    pub const ALL: &'static [Self] = &[
        Self::new("text-embedding-ada-002", 1536, false, (0.90, 0.08)),
        Self::new("text-embedding-3-small", 1536, true, (0.75, 0.1)),
        Self::new("text-embedding-3-large", 3072, true, (0.70, 0.1)),
    ];

    const fn new(
        name: &'static str,
        dimensions: usize,
        can_shorten: bool,
        spread: (f32, f32),
    ) -> Self {
        let distribution = Distribution { mean: spread.0, sigma: spread.1 };
        Self { name, dimensions, can_shorten, distribution }
    }

    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|model| model.name == name)
    }
}

/// Checks the model and its dimensions.
pub(super) fn check(path: EmbedderPath<'_>, members: &Members) -> Result<(), ServiceError> {
    let name = text(members, "model").unwrap_or(DEFAULT_OPENAI_MODEL);
    let Some(model) = OpenAiModel::named(name) else {
        let names: Vec<&str> = OpenAiModel::ALL.iter().map(|model| model.name).collect();
        let reason = format!("Invalid model `{name}` for OpenAI. Supported models: {names:?}");
        return Err(path.error("model", reason));
    };
    let Some(asked) = number(members, "dimensions") else {
        return Ok(());
    };
    let native = model.dimensions as u64;
    let problem = match model.can_shorten {
        false if asked != native => format!("its native dimensions of {native}"),
        true if asked > native => format!("its dimensions to a value higher than {native}"),
        _ => return Ok(()),
    };
    let reason = format!("Model `{name}` does not support overriding {problem}. Found {asked}");
    Err(path.error("dimensions", reason))
}
