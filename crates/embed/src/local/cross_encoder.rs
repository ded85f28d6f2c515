//! Cross-encoders score a query and a document text together in one pass. The result is that of
//! sentence-transformers with the same files, as a number from 0 to 1.

use std::fmt;
use std::path::Path;

use candle_core::{DType, Device};
use model::Cancel;

use super::batch::{self, Batch};
use super::encoder::Encoder;
use super::head::Head;
use super::tokens::Tokens;
use super::weights::Weights;
use super::{LoadError, folder_of, reason, workers};
use crate::error::EmbedError;
use crate::local::folder::Folder;
use crate::remote::Attempts;

pub(crate) struct CrossEncoder {
    name: String,
    tokens: Tokens,
    encoder: Encoder,
    head: Head,
    device: Device,
    width: usize,
}

impl CrossEncoder {
    pub(crate) fn load(
        model: &str,
        revision: Option<&str>,
        models: Option<&Path>,
        client: &outbound::Client,
        attempts: &Attempts<'_>,
    ) -> Result<Self, EmbedError> {
        let folder = folder_of(model, revision, models, client, attempts)?;
        Self::open(&folder, model).map_err(|error| error.about(model))
    }

    fn open(folder: &Folder, name: &str) -> Result<Self, LoadError> {
        let architecture = folder.architecture()?;
        let config = folder.head()?;
        let tokens = folder.pair_tokens(architecture.max_tokens())?;
        let files = folder.weights()?;
        let in_weights = |error: candle_core::Error| {
            let names: Vec<_> = files.iter().map(|file| folder.name_of(file)).collect();
            LoadError::file(names.join(", "), reason(&error))
        };
        let device = Device::cuda_if_available(0).map_err(in_weights)?;
        let load = || -> candle_core::Result<(Encoder, Head)> {
            let mut weights = Weights::open(&files, &device)?;
            let encoder = Encoder::load(&architecture, &mut weights)?;
            Ok((encoder, Head::load(&mut weights, &config, &architecture)?))
        };
        let (encoder, head) = load().map_err(in_weights)?;
        let width = architecture.width();
        Ok(Self { name: name.to_owned(), tokens, encoder, head, device, width })
    }

    /// Returns one score for each text, or an error if stopped before that.
    pub(crate) fn scores(
        &self,
        query: &str,
        texts: &[String],
        cancel: &Cancel,
    ) -> Result<Option<Vec<f64>>, String> {
        let cannot =
            |problem: String| format!("model `{}` cannot score a text: {problem}", self.name);
        if cancel.is_cancelled() {
            return Ok(None);
        }
        let pairs = texts.iter().map(|text| self.tokens.of_pair(query, text));
        let (tokens, types): (Vec<_>, Vec<_>) =
            pairs.collect::<Result<Vec<_>, _>>().map_err(cannot)?.into_iter().unzip();
        let (most, workers) = (workers::max_tokens(&self.device), workers::count(&self.device));
        let batches = batch::pair_batches(&tokens, &types, most, workers);
        let found = workers::run(&batches, &self.device, |batch| self.batch(batch, cancel));
        let mut scores = vec![0.0; texts.len()];
        for (batch, found) in batches.iter().zip(found) {
            let Some(found) = found.map_err(|error| cannot(reason(&error)))? else {
                return Ok(None);
            };
            for (text, logit) in batch.texts.iter().zip(found) {
                if !logit.is_finite() {
                    return Err(cannot("its weights give no number".to_owned()));
                }
                scores[*text] = 1.0 / (1.0 + (-f64::from(logit)).exp());
            }
        }
        Ok(Some(scores))
    }

    fn batch(&self, batch: &Batch, cancel: &Cancel) -> candle_core::Result<Option<Vec<f32>>> {
        let Some(rows) = self.encoder.apply(batch, cancel)? else { return Ok(None) };
        let rows = rows.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>()?;
        let mut rest = rows.as_slice();
        let mut pooled = Vec::with_capacity(batch.texts.len() * self.width);
        for run in &batch.runs {
            let (texts, after) = rest.split_at(run.texts * run.length * self.width);
            rest = after;
            for rows in texts.chunks_exact(run.length * self.width) {
                pooled.extend(self.head.pooling.apply(rows, self.width));
            }
        }
        self.head.apply(pooled, self.width, &self.device).map(Some)
    }
}

impl fmt::Debug for CrossEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CrossEncoder").field("name", &self.name).finish_non_exhaustive()
    }
}
