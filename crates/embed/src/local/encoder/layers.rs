//! Layers of models, on tensors. On the CPU everything but the matrix products goes through
//! [`kernels`]: the library would split each small step among spinning threads. On a GPU the
//! library's own operations are used.

use std::ops::Range;

use candle_core::{CpuStorage, D, Device, InplaceOp1, Layout, Result, Storage, Tensor, bail};

use super::kernels;
use crate::local::weights::Weights;

pub(super) struct Linear {
    /// Matrix of input by output.
    weight: Tensor,
    bias: Option<Tensor>,
}

impl Linear {
    pub(super) fn load(
        weights: &mut Weights,
        name: &str,
        (inputs, outputs): (usize, usize),
        has_bias: bool,
    ) -> Result<Self> {
        let weight = weights.take(&format!("{name}.weight"), &[outputs, inputs])?;
        let bias = has_bias.then(|| weights.take(&format!("{name}.bias"), &[outputs]));
        Ok(Self { weight: weight.t()?, bias: bias.transpose()? })
    }

    /// Loads several layers with the same input as one; their outputs are side by side.
    pub(super) fn load_joined(
        weights: &mut Weights,
        names: &[String],
        (inputs, outputs): (usize, usize),
    ) -> Result<Self> {
        let mut joined = Vec::new();
        let mut biases = Vec::new();
        for name in names {
            joined.push(weights.take(&format!("{name}.weight"), &[outputs, inputs])?);
            biases.push(weights.take(&format!("{name}.bias"), &[outputs])?);
        }
        Ok(Self { weight: Tensor::cat(&joined, 0)?.t()?, bias: Some(Tensor::cat(&biases, 0)?) })
    }

    pub(super) fn apply(&self, rows: &Tensor) -> Result<Tensor> {
        let product = rows.matmul(&self.weight)?;
        let Some(bias) = &self.bias else { return Ok(product) };
        if !on_cpu(&product) {
            return product.broadcast_add(bias);
        }
        read(bias, |bias| change(&product, |values| kernels::add_bias(values, bias)))?;
        Ok(product)
    }

    pub(super) fn apply_and_activate(&self, rows: &Tensor, by: Activation) -> Result<Tensor> {
        match (&self.bias, by) {
            (Some(bias), Activation::Gelu) if on_cpu(rows) => {
                let product = rows.matmul(&self.weight)?;
                read(bias, |bias| change(&product, |values| kernels::add_bias_gelu(values, bias)))?;
                Ok(product)
            }
            (_, Activation::Gelu) => self.apply(rows)?.gelu_erf(),
            (_, Activation::Relu) if on_cpu(rows) => {
                let product = self.apply(rows)?;
                change(&product, kernels::relu)?;
                Ok(product)
            }
            (_, Activation::Relu) => self.apply(rows)?.relu(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::local) enum Activation {
    Gelu,
    Relu,
}

/// Layer normalisation.
pub(super) struct LayerNorm {
    weight: Tensor,
    bias: Option<Tensor>,
    epsilon: f32,
}

impl LayerNorm {
    pub(super) fn load(
        weights: &mut Weights,
        name: &str,
        width: usize,
        has_bias: bool,
        epsilon: f64,
    ) -> Result<Self> {
        let weight = weights.take(&format!("{name}.weight"), &[width])?;
        let bias = has_bias.then(|| weights.take(&format!("{name}.bias"), &[width]));
        Ok(Self { weight, bias: bias.transpose()?, epsilon: epsilon as f32 })
    }

    pub(super) fn apply(&self, rows: &Tensor) -> Result<Tensor> {
        if on_cpu(rows) {
            let rows = rows.copy()?;
            self.change(&rows)?;
            return Ok(rows);
        }
        let bias = match &self.bias {
            Some(bias) => bias.clone(),
            None => self.weight.zeros_like()?,
        };
        candle_nn::ops::layer_norm(rows, &self.weight, &bias, self.epsilon)
    }

    /// Normalises `rows + others`. `rows` must be unshared: it may be overwritten.
    pub(super) fn apply_to_sum(&self, rows: Tensor, others: &Tensor) -> Result<Tensor> {
        let sum = add(rows, others)?;
        if on_cpu(&sum) {
            self.change(&sum)?;
            return Ok(sum);
        }
        self.apply(&sum)
    }

    fn change(&self, rows: &Tensor) -> Result<()> {
        read(&self.weight, |weight| match &self.bias {
            None => change(rows, |values| kernels::normalise(values, weight, None, self.epsilon)),
            Some(bias) => read(bias, |bias| {
                change(rows, |values| kernels::normalise(values, weight, Some(bias), self.epsilon))
            }),
        })
    }
}

/// Adds two tensors. `rows` must be unshared: it may be overwritten.
pub(super) fn add(rows: Tensor, others: &Tensor) -> Result<Tensor> {
    if !on_cpu(&rows) {
        return rows + others;
    }
    read(others, |others| change(&rows, |values| kernels::add(values, others)))?;
    Ok(rows)
}

/// Computes `gelu(a) * b` for rows that hold `a` and then `b`.
pub(super) fn gated_gelu(rows: &Tensor) -> Result<Tensor> {
    let (count, width) = rows.dims2()?;
    let width = width / 2;
    if on_cpu(rows) {
        let gated = read(rows, |values| Ok(kernels::gated_gelu(values, width)))?;
        return Tensor::from_vec(gated, (count, width), rows.device());
    }
    rows.narrow(1, 0, width)?.gelu_erf()? * rows.narrow(1, width, width)?
}

/// Applies softmax to scores (texts, heads, rows, columns) whose first row is the token `first`.
/// With a `window`, a token sees only others that near. `scores` must be unshared: they may be
/// overwritten.
pub(super) fn softmax(
    scores: Tensor,
    scale: f64,
    first: usize,
    window: Option<usize>,
) -> Result<Tensor> {
    let (_, _, rows, columns) = scores.dims4()?;
    let seen = |row: usize| match window {
        Some(window) => row.saturating_sub(window)..(row + window + 1).min(columns),
        None => 0..columns,
    };
    if on_cpu(&scores) {
        change(&scores, |values| {
            kernels::softmax(values, columns, scale as f32, |row| seen(first + row % rows));
        })?;
        return Ok(scores);
    }
    let scores = (scores * scale)?;
    let scores = match window {
        None => scores,
        Some(_) => {
            scores.broadcast_add(&mask(first..first + rows, columns, seen, scores.device())?)?
        }
    };
    candle_nn::ops::softmax(&scores, D::Minus1)
}

/// Builds the mask: 0 where a row sees a column, minus infinity elsewhere.
fn mask(
    rows: Range<usize>,
    columns: usize,
    seen: impl Fn(usize) -> Range<usize>,
    device: &Device,
) -> Result<Tensor> {
    let mut mask = vec![f32::NEG_INFINITY; rows.len() * columns];
    let shape = (rows.len(), columns);
    for (row, values) in rows.zip(mask.chunks_exact_mut(columns)) {
        values[seen(row)].fill(0.0);
    }
    Tensor::from_vec(mask, shape, device)
}

fn on_cpu(tensor: &Tensor) -> bool {
    tensor.device().is_cpu()
}

/// Reads the values of a tensor in memory.
fn read<R>(tensor: &Tensor, look: impl FnOnce(&[f32]) -> Result<R>) -> Result<R> {
    let (storage, layout) = tensor.storage_and_layout();
    let Storage::Cpu(storage) = &*storage else { bail!("the tensor is not in memory") };
    look(&storage.as_slice::<f32>()?[contiguous(layout)?])
}

/// Changes the values of a tensor in memory.
fn change(tensor: &Tensor, by: impl Fn(&mut [f32])) -> Result<()> {
    tensor.inplace_op1(&InPlaceMap(by))
}

struct InPlaceMap<F>(F);

impl<F: Fn(&mut [f32])> InplaceOp1 for InPlaceMap<F> {
    fn name(&self) -> &'static str {
        "change"
    }

    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
        let CpuStorage::F32(values) = storage else { bail!("the values are not f32") };
        (self.0)(&mut values[contiguous(layout)?]);
        Ok(())
    }
}

fn contiguous(layout: &Layout) -> Result<Range<usize>> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(start..end),
        None => bail!("the values of the tensor are not contiguous"),
    }
}
