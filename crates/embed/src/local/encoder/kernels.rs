//! Loops over plain slices for the steps between a model's matrix products. They are compiled for
//! several instruction sets; the best is chosen at run time. `exp` and `erf` are polynomials, so
//! that the compiler can vectorise them; they are exact to about seven digits.

use std::ops::Range;

use pulp::Arch;

/// Parallel sums, as many as the widest registers hold.
const LANES: usize = 16;

/// Adds `bias` to every row.
pub(super) fn add_bias(values: &mut [f32], bias: &[f32]) {
    for_rows(values, bias.len(), |row| add_to(row, bias));
}

/// Adds `bias` to every row, then applies GELU.
pub(super) fn add_bias_gelu(values: &mut [f32], bias: &[f32]) {
    for_rows(values, bias.len(), |row| {
        for (value, bias) in row.iter_mut().zip(bias) {
            *value = gelu(*value + bias);
        }
    });
}

/// Computes `gelu(a) * b` for rows that hold `a` and then `b`.
pub(super) fn gated_gelu(values: &[f32], width: usize) -> Vec<f32> {
    let mut gated = vec![0.0; values.len() / 2];
    Arch::new().dispatch(|| {
        for (row, out) in values.chunks_exact(2 * width).zip(gated.chunks_exact_mut(width)) {
            let (inputs, gates) = row.split_at(width);
            for ((out, input), gate) in out.iter_mut().zip(inputs).zip(gates) {
                *out = gelu(*input) * gate;
            }
        }
    });
    gated
}

pub(super) fn relu(values: &mut [f32]) {
    for value in values {
        *value = value.max(0.0);
    }
}

pub(super) fn add(values: &mut [f32], others: &[f32]) {
    Arch::new().dispatch(|| add_to(values, others));
}

/// Normalises every row to mean 0 and variance 1, then scales and shifts it.
pub(super) fn normalise(values: &mut [f32], weight: &[f32], bias: Option<&[f32]>, epsilon: f32) {
    let width = weight.len();
    for_rows(values, width, |row| {
        let mean = sum(row, |value| value) / width as f32;
        let variance = sum(row, |value| (value - mean) * (value - mean)) / width as f32;
        let scale = 1.0 / (variance + epsilon).sqrt();
        for (value, weight) in row.iter_mut().zip(weight) {
            *value = (*value - mean) * scale * weight;
        }
        if let Some(bias) = bias {
            add_to(row, bias);
        }
    });
}

/// Applies softmax to each row, over the columns of `seen(n)` for row number `n`.
pub(super) fn softmax(
    values: &mut [f32],
    width: usize,
    scale: f32,
    seen: impl Fn(usize) -> Range<usize>,
) {
    let mut number = 0;
    for_rows(values, width, |row| {
        let seen = seen(number);
        number += 1;
        row[..seen.start].fill(0.0);
        row[seen.end..].fill(0.0);
        let row = &mut row[seen];
        let largest = row.iter().fold(f32::NEG_INFINITY, |largest, value| largest.max(*value));
        for value in row.iter_mut() {
            *value = exp((*value - largest) * scale);
        }
        let share = 1.0 / sum(row, |value| value);
        for value in row.iter_mut() {
            *value *= share;
        }
    });
}

#[inline(always)]
fn for_rows(values: &mut [f32], width: usize, mut change: impl FnMut(&mut [f32])) {
    Arch::new().dispatch(
        #[inline(always)]
        || {
            for row in values.chunks_exact_mut(width) {
                change(row);
            }
        },
    );
}

#[inline(always)]
fn add_to(values: &mut [f32], others: &[f32]) {
    for (value, other) in values.iter_mut().zip(others) {
        *value += other;
    }
}

#[inline(always)]
fn sum(values: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest: f32 = chunks.remainder().iter().map(|value| of(*value)).sum();
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += of(*value);
        }
    }
    lanes.iter().sum::<f32>() + rest
}

#[inline(always)]
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// Approximates `erf` (Abramowitz and Stegun, 7.1.26).
#[inline(always)]
fn erf(x: f32) -> f32 {
    let magnitude = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * magnitude);
    let polynomial = ((((1.061_405_4 * t - 1.453_152) * t + 1.421_413_7) * t - 0.284_496_74) * t
        + 0.254_829_6)
        * t;
    (1.0 - polynomial * exp(-magnitude * magnitude)).copysign(x)
}

/// Computes `2^n * e^r` with a whole `n` and `|r| <= ln(2) / 2`.
#[inline(always)]
fn exp(x: f32) -> f32 {
    /// Added to a number below 2^22, it leaves its nearest integer in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = x.clamp(-87.0, 88.0);
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let n = rounded - ROUND;
    let r = x - n * LN_2_HIGH - n * LN_2_LOW;
    let power = 1.0 / 720.0;
    let power = power * r + 1.0 / 120.0;
    let power = power * r + 1.0 / 24.0;
    let power = power * r + 1.0 / 6.0;
    let power = power * r + 0.5;
    let power = power * r + 1.0;
    let power = power * r + 1.0;
    power * f32::from_bits((rounded.to_bits() << 23).wrapping_add(0x3f80_0000))
}

#[cfg(test)]
#[path = "kernels_tests.rs"]
mod tests;
