//! 128 bits at a time: every 64-bit ARM processor.

#![allow(unsafe_code)]

use std::arch::aarch64::{
    float32x4_t, vaddlvq_u8, vaddq_f32, vaddvq_f32, vcntq_u8, vdupq_n_f32, veorq_u8, vfmaq_f32,
    vld1q_f32, vld1q_u8, vsubq_f32,
};

use super::Kernels;

/// Little-endian machines only, since rows are loaded as they are.
pub fn kernels() -> Option<Kernels> {
    let runs_here =
        cfg!(target_endian = "little") && std::arch::is_aarch64_feature_detected!("neon");
    runs_here.then_some(Kernels { name: "neon", dot, squared_difference, differing_bits })
}

fn dot(left: &[u8], right: &[u8]) -> f32 {
    // SAFETY: handed out by `kernels` only, which has asked for these instructions.
    let sum = unsafe { dot_sum(left, right) };
    sum + super::plain::dot(rest(left), rest(right))
}

fn squared_difference(left: &[u8], right: &[u8]) -> f32 {
    // SAFETY: handed out by `kernels` only, which has asked for these instructions.
    let sum = unsafe { squared_difference_sum(left, right) };
    sum + super::plain::squared_difference(rest(left), rest(right))
}

fn differing_bits(left: &[u8], right: &[u8]) -> f32 {
    // SAFETY: handed out by `kernels` only, which has asked for these instructions.
    let sum = unsafe { counted(left, right) };
    sum as f32 + super::plain::differing_bits(rest(left), rest(right))
}

/// Returns the rest of a row after its whole blocks.
fn rest(row: &[u8]) -> &[u8] {
    &row[row.len() / 16 * 16..]
}

#[target_feature(enable = "neon")]
fn dot_sum(left: &[u8], right: &[u8]) -> f32 {
    sum(left, right, |left, right, sum| vfmaq_f32(sum, left, right))
}

#[target_feature(enable = "neon")]
fn squared_difference_sum(left: &[u8], right: &[u8]) -> f32 {
    sum(left, right, |left, right, sum| {
        let difference = vsubq_f32(left, right);
        vfmaq_f32(sum, difference, difference)
    })
}

/// Adds up `term` with four sums under way, since an addition takes several steps to finish.
#[inline]
#[target_feature(enable = "neon")]
fn sum(
    left: &[u8],
    right: &[u8],
    term: impl Fn(float32x4_t, float32x4_t, float32x4_t) -> float32x4_t,
) -> f32 {
    let length = left.len().min(right.len()) / 16 * 4;
    let (left, right) = (left.as_ptr().cast::<f32>(), right.as_ptr().cast::<f32>());
    let mut sums = [vdupq_n_f32(0.0); 4];
    let mut at = 0;
    let mut lane = 0;
    while at < length {
        // SAFETY: `at + 4 <= length` floats are in both slices, as both are multiples of four;
        // these loads need no more alignment than that of a byte.
        let (left, right) = unsafe { (vld1q_f32(left.add(at)), vld1q_f32(right.add(at))) };
        sums[lane] = term(left, right, sums[lane]);
        lane = (lane + 1) % 4;
        at += 4;
    }
    let [first, second, third, fourth] = sums;
    vaddvq_f32(vaddq_f32(vaddq_f32(first, second), vaddq_f32(third, fourth)))
}

#[target_feature(enable = "neon")]
fn counted(left: &[u8], right: &[u8]) -> u32 {
    let (left, _) = left.as_chunks::<16>();
    let (right, _) = right.as_chunks::<16>();
    let mut sum = 0;
    for (left, right) in left.iter().zip(right) {
        // SAFETY: both have the sixteen bytes that are loaded.
        let (left, right) = unsafe { (vld1q_u8(left.as_ptr()), vld1q_u8(right.as_ptr())) };
        sum += u32::from(vaddlvq_u8(vcntq_u8(veorq_u8(left, right))));
    }
    sum
}
