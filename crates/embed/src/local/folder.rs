//! The files of a model, in a folder as the hub lays them out.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::LoadError;
use super::config;
use super::encoder::Architecture;
use super::head::HeadConfig;
use super::pooling::{Pooling, PoolingConfig};
use super::tokens::Tokens;

pub(super) const CONFIG: &str = "config.json";
pub(super) const TOKENIZER: &str = "tokenizer.json";
pub(super) const MODULES: &str = "modules.json";
pub(super) const POOLING: &str = "1_Pooling/config.json";
pub(super) const SENTENCE_CONFIG: &str = "sentence_bert_config.json";
pub(super) const TOKENIZER_CONFIG: &str = "tokenizer_config.json";

pub(super) const WEIGHTS: &str = "model.safetensors";
/// Index of weights in several files: which tensor is in which.
pub(super) const WEIGHTS_INDEX: &str = "model.safetensors.index.json";
pub(super) const PICKLED_WEIGHTS: &str = "pytorch_model.bin";

pub(super) struct Folder {
    path: PathBuf,
    /// The operator's folder of models. None of the files may lie outside, through a link or
    /// through a path in another file.
    root: Option<PathBuf>,
}

/// The modules after the encoder, from `modules.json`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Modules {
    pub(super) normalises: bool,
    pooling: String,
}

#[derive(Deserialize)]
struct Module {
    path: String,
    r#type: String,
}

#[derive(Deserialize)]
pub(super) struct WeightsIndex {
    weight_map: Map<String, Value>,
}

impl WeightsIndex {
    /// Returns the distinct files. None of them is outside of the folder.
    pub(super) fn files(&self) -> Result<BTreeSet<&str>, LoadError> {
        let named = self.weight_map.values().map(|file| match file.as_str() {
            Some(file) if !file.contains(['/', '\\']) && file != ".." => Ok(file),
            _ => {
                Err(LoadError::file(WEIGHTS_INDEX, "`weight_map` names something that is no file"))
            }
        });
        named.collect()
    }
}

impl Folder {
    pub(super) fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), root: None }
    }

    /// Opens a folder of the operator, with all of its files below `root`.
    pub(super) fn below(root: Option<&Path>, path: PathBuf) -> Self {
        Self { path, root: root.and_then(|root| root.canonicalize().ok()) }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Returns the path of an existing file that may be read.
    fn found(&self, name: &str) -> Result<Option<PathBuf>, LoadError> {
        let path = self.path(name);
        let Some(root) = &self.root else { return Ok(path.exists().then_some(path)) };
        match path.canonicalize() {
            Ok(real) if !real.starts_with(root) => {
                Err(LoadError::file(name, format!("it is outside of `{}`", super::root::OPTION)))
            }
            Ok(_) => Ok(Some(path)),
            Err(_) => Ok(None),
        }
    }

    fn file(&self, name: &str) -> Result<Option<PathBuf>, LoadError> {
        Ok(self.found(name)?.filter(|path| path.is_file()))
    }

    /// Returns the name of a file within the folder.
    pub(super) fn name_of(&self, path: &Path) -> String {
        path.strip_prefix(&self.path).unwrap_or(path).display().to_string()
    }

    pub(super) fn architecture(&self) -> Result<Architecture, LoadError> {
        let config = self.required(CONFIG)?;
        config::parse(&config).map_err(|error| LoadError::file(CONFIG, error))
    }

    /// Reads the modules. Without `modules.json` it is a plain model, whose vectors keep their
    /// length.
    pub(super) fn modules(&self) -> Result<Modules, LoadError> {
        let mut modules = Modules { normalises: false, pooling: POOLING.to_owned() };
        for module in self.json::<Vec<Module>>(MODULES)?.unwrap_or_default() {
            match module.r#type.rsplit('.').next() {
                Some("Transformer") => {}
                Some("Pooling") => modules.pooling = format!("{}/config.json", module.path),
                Some("Normalize") => modules.normalises = true,
                _ => {
                    let problem = "only Transformer, Pooling and Normalize modules are supported";
                    return Err(LoadError::file(MODULES, problem));
                }
            }
        }
        Ok(modules)
    }

    /// Returns the pooling; the mean if the model does not say.
    pub(super) fn pooling(&self, modules: &Modules) -> Result<Pooling, LoadError> {
        let Some(config) = self.json::<PoolingConfig>(&modules.pooling)? else {
            return Ok(Pooling::Mean);
        };
        config.pooling().ok_or_else(|| {
            let problem = "unsupported pooling; `forceMean` and `forceCls` disregard this file";
            LoadError::file(&modules.pooling, problem)
        })
    }

    /// Returns the configuration of a cross-encoder's head.
    pub(super) fn head(&self) -> Result<HeadConfig, LoadError> {
        let missing = || LoadError::new(format!("there is no `{CONFIG}`"));
        let config = self.json::<HeadConfig>(CONFIG)?.ok_or_else(missing)?;
        config.check().map_err(|error| LoadError::file(CONFIG, error))?;
        Ok(config)
    }

    /// Returns the tokeniser, which cuts texts at the length the files give, at most the model's.
    pub(super) fn tokens(&self, max_tokens: usize) -> Result<Tokens, LoadError> {
        self.tokens_by(Tokens::parse, max_tokens)
    }

    /// Like `tokens`, for pairs of texts.
    pub(super) fn pair_tokens(&self, max_tokens: usize) -> Result<Tokens, LoadError> {
        self.tokens_by(Tokens::parse_for_pairs, max_tokens)
    }

    fn tokens_by(
        &self,
        parse: fn(&[u8], usize) -> Result<Tokens, String>,
        max_tokens: usize,
    ) -> Result<Tokens, LoadError> {
        let limit = |file: &str, member: &str| -> Result<usize, LoadError> {
            let config = self.json::<Map<String, Value>>(file)?.unwrap_or_default();
            let limit = config.get(member).and_then(Value::as_f64).filter(|limit| *limit >= 1.0);
            // A number that means "no limit" is larger than any integer.
            Ok(limit.map_or(usize::MAX, |limit| limit as usize))
        };
        let max_tokens = max_tokens
            .min(limit(SENTENCE_CONFIG, "max_seq_length")?)
            .min(limit(TOKENIZER_CONFIG, "model_max_length")?);
        let tokenizer = self.required(TOKENIZER)?;
        parse(&tokenizer, max_tokens).map_err(|problem| LoadError::file(TOKENIZER, problem))
    }

    pub(super) fn weights(&self) -> Result<Vec<PathBuf>, LoadError> {
        if let Some(weights) = self.file(WEIGHTS)? {
            return Ok(vec![weights]);
        }
        if let Some(index) = self.json::<WeightsIndex>(WEIGHTS_INDEX)? {
            let part = |name: &str| Ok(self.file(name)?.unwrap_or_else(|| self.path(name)));
            return index.files()?.into_iter().map(part).collect();
        }
        if let Some(weights) = self.file(PICKLED_WEIGHTS)? {
            return Ok(vec![weights]);
        }
        Err(LoadError::new(format!("there is neither `{WEIGHTS}` nor `{PICKLED_WEIGHTS}`")))
    }

    pub(super) fn json<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, LoadError> {
        let Some(bytes) = self.optional(name)? else { return Ok(None) };
        let read = serde_json::from_slice(&bytes).map(Some);
        read.map_err(|error| LoadError::file(name, config::unreadable(&error)))
    }

    fn required(&self, name: &str) -> Result<Vec<u8>, LoadError> {
        let missing = || LoadError::new(format!("there is no `{name}`"));
        self.optional(name)?.ok_or_else(missing)
    }

    fn optional(&self, name: &str) -> Result<Option<Vec<u8>>, LoadError> {
        let Some(path) = self.found(name)? else { return Ok(None) };
        match fs::read(path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LoadError::file(name, error)),
        }
    }
}
