//! Local models: run in this process, from a folder of files as the hub has them.
//!
//! The vectors are those of sentence-transformers with the same files: texts are cut to the model's
//! own length, pooled and normalised as its files say.

mod batch;
mod config;
mod cross_encoder;
mod encoder;
mod encoder_cache;
mod folder;
mod head;
mod hub;
mod pooling;
mod root;
mod tokens;
mod weights;
mod workers;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use candle_core::{DType, Device};
use model::Cancel;

use crate::error::{EmbedError, InnerError};
use crate::remote::Attempts;
use batch::Batch;
pub(crate) use cross_encoder::CrossEncoder;
use encoder::Encoder;
use folder::Folder;
use hub::{HttpFetch, Hub};
use pooling::Pooling;
use tokens::Tokens;
use weights::Weights;

pub(crate) struct Model {
    name: String,
    tokens: Tokens,
    encoder: Arc<Encoder>,
    device: Device,
    width: usize,
    pooling: Pooling,
    normalises: bool,
}

impl Model {
    /// Loads a model from a folder below `models` if the name leads to one, else from the hub
    /// through its usual cache.
    pub(crate) fn load(
        settings: &settings::HuggingFace,
        models: Option<&Path>,
        client: &outbound::Client,
        attempts: &Attempts<'_>,
    ) -> Result<Self, EmbedError> {
        let revision = settings.revision.as_deref();
        let folder = folder_of(&settings.model, revision, models, client, attempts)?;
        Self::open(&folder, settings).map_err(|error| error.about(&settings.model))
    }

    fn open(folder: &Folder, settings: &settings::HuggingFace) -> Result<Self, LoadError> {
        let architecture = folder.architecture()?;
        let modules = folder.modules()?;
        let pooling = match settings.pooling {
            settings::Pooling::ForceCls => Pooling::First,
            settings::Pooling::ForceMean => Pooling::Mean,
            settings::Pooling::UseModel => folder.pooling(&modules)?,
        };
        let tokens = folder.tokens(architecture.max_tokens())?;
        let files = folder.weights()?;
        let in_weights = |error: candle_core::Error| {
            let names: Vec<_> = files.iter().map(|file| folder.name_of(file)).collect();
            LoadError::file(names.join(", "), reason(&error))
        };
        // Uses the CPU unless built for a GPU and one is there.
        let device = Device::cuda_if_available(0).map_err(in_weights)?;
        let config = folder.path(folder::CONFIG);
        let encoder = encoder_cache::encoder(files.iter().cloned().chain([config]), || {
            Encoder::load(&architecture, &mut Weights::open(&files, &device)?)
        });
        Ok(Self {
            name: settings.model.clone(),
            tokens,
            encoder: encoder.map_err(in_weights)?,
            device,
            width: architecture.width(),
            pooling,
            normalises: modules.normalises,
        })
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.width
    }

    /// Returns one vector for each text. Stops between the layers of the model if the caller has
    /// given up.
    pub(crate) fn embed(
        &self,
        texts: &[&str],
        attempts: &Attempts<'_>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        attempts.check()?;
        let cannot = |problem: String| {
            EmbedError::runtime(format!("model `{}` cannot embed a text: {problem}", self.name))
        };
        let tokens = texts.iter().map(|text| self.tokens.of(text));
        let tokens = tokens.collect::<Result<Vec<_>, _>>().map_err(cannot)?;
        let max_tokens = workers::max_tokens(&self.device);
        let batches = batch::batches(&tokens, max_tokens, workers::count(&self.device));
        let cancel = attempts.cancel_or_late();
        let found = workers::run(&batches, &self.device, |batch| self.embed_batch(batch, &cancel));
        attempts.check()?;
        // A text without tokens stays at zero: it is near to nothing.
        let mut vectors = vec![vec![0.0; self.width]; texts.len()];
        for (batch, found) in batches.iter().zip(found) {
            let found = found.map_err(|error| cannot(reason(&error)))?.unwrap_or_default();
            for (text, vector) in batch.texts.iter().zip(found) {
                vectors[*text] = vector;
            }
        }
        Ok(vectors)
    }

    /// Embeds a batch; none if stopped before the end.
    fn embed_batch(
        &self,
        batch: &Batch,
        cancel: &Cancel,
    ) -> candle_core::Result<Option<Vec<Vec<f32>>>> {
        let Some(rows) = self.encoder.apply(batch, cancel)? else { return Ok(None) };
        let rows = rows.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>()?;
        let mut rest = rows.as_slice();
        let mut vectors = Vec::with_capacity(batch.texts.len());
        for run in &batch.runs {
            let (texts, after) = rest.split_at(run.texts * run.length * self.width);
            rest = after;
            for rows in texts.chunks_exact(run.length * self.width) {
                let mut vector = self.pooling.apply(rows, self.width);
                if self.normalises {
                    pooling::normalise(&mut vector);
                }
                vectors.push(vector);
            }
        }
        Ok(Some(vectors))
    }
}

/// Returns the folder of a model, downloading it from the hub if needed.
fn folder_of(
    model: &str,
    revision: Option<&str>,
    models: Option<&Path>,
    client: &outbound::Client,
    attempts: &Attempts<'_>,
) -> Result<Folder, EmbedError> {
    if let Some(folder) = root::model_folder(models, model) {
        return Ok(Folder::below(models, folder));
    }
    let downloads = HttpFetch { client, cancel: attempts.cancel };
    let found = Hub::from_environment().and_then(|hub| hub.folder(model, revision, &downloads));
    found.map_err(|error| {
        if attempts.cancel.is_cancelled() { InnerError::Stopped.into() } else { error.about(model) }
    })
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model")
            .field("name", &self.name)
            .field("dimensions", &self.width)
            .field("pooling", &self.pooling)
            .finish_non_exhaustive()
    }
}

/// Error of loading a model.
#[derive(Debug)]
struct LoadError {
    text: String,
    /// True if a later attempt may succeed.
    is_passing: bool,
}

impl LoadError {
    fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_passing: false }
    }

    fn passing(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_passing: true }
    }

    fn file(name: impl fmt::Display, problem: impl fmt::Display) -> Self {
        Self::new(format!("in `{name}`: {problem}"))
    }

    fn about(self, model: &str) -> EmbedError {
        let text = format!("could not load model `{model}`:\n  - {}", self.text);
        if self.is_passing { EmbedError::runtime(text) } else { EmbedError::user(text) }
    }
}

/// Returns the message without the backtrace that the library appends.
fn reason(error: &candle_core::Error) -> String {
    let mut error = error;
    while let candle_core::Error::WithBacktrace { inner, .. } = error {
        error = inner;
    }
    error.to_string()
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod cross_encoder_tests;
