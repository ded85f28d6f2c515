//! The tensors of a model, by name.

use std::collections::HashMap;
use std::path::PathBuf;

use candle_core::{DType, Device, Result, Tensor, bail, pickle, safetensors};

/// The weights of a model; loading a layer takes its tensors out.
pub(super) struct Weights {
    tensors: HashMap<String, Tensor>,
    /// Prefix of the encoder within a model made for a task.
    prefix: String,
    device: Device,
}

impl Weights {
    pub(super) fn open(files: &[PathBuf], device: &Device) -> Result<Self> {
        let mut tensors = HashMap::new();
        for file in files {
            if file.extension().is_some_and(|extension| extension == "safetensors") {
                tensors.extend(safetensors::load(file, &Device::Cpu)?);
            } else {
                tensors.extend(pickle::read_all(file)?);
            }
        }
        Ok(Self { tensors, prefix: String::new(), device: device.clone() })
    }

    /// Finds the prefix under which the model has this tensor.
    pub(super) fn find_prefix(&mut self, name: &str) -> Result<()> {
        let prefixes = self.tensors.keys().filter_map(|key| key.strip_suffix(name));
        let prefix = prefixes.filter(|prefix| prefix.is_empty() || prefix.ends_with('.'));
        match prefix.min_by_key(|prefix| prefix.len()) {
            Some(prefix) => {
                self.prefix = prefix.to_owned();
                Ok(())
            }
            None => bail!("there is no tensor `{name}`"),
        }
    }

    pub(super) fn take(&mut self, name: &str, shape: &[usize]) -> Result<Tensor> {
        self.take_whole(&format!("{}{name}", self.prefix), shape)
    }

    /// Like `take`, for a tensor outside the prefix.
    pub(super) fn take_whole(&mut self, name: &str, shape: &[usize]) -> Result<Tensor> {
        let Some(tensor) = self.tensors.remove(name) else {
            bail!("there is no tensor `{name}`");
        };
        if tensor.dims() != shape {
            bail!("tensor `{name}` has shape {:?} where {shape:?} was expected", tensor.dims());
        }
        tensor.to_dtype(DType::F32)?.to_device(&self.device)
    }
}
