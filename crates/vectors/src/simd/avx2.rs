//! 256 bits at a time: every x86-64 processor of the last ten years.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128, __m128i, __m256, _mm_add_ps, _mm_add_ss, _mm_cvtss_f32, _mm_loadu_si128, _mm_movehl_ps,
    _mm_shuffle_ps, _mm256_add_ps, _mm256_castps256_ps128, _mm256_cvtepi8_epi32,
    _mm256_extractf128_ps, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_maskload_ps, _mm256_setzero_ps,
    _mm256_sub_ps,
};

use super::Kernels;

pub fn kernels() -> Option<Kernels> {
    let runs_here = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("popcnt");
    runs_here.then_some(Kernels { name: "avx2", dot, squared_difference, differing_bits })
}

fn dot(left: &[u8], right: &[u8]) -> f32 {
    // SAFETY: handed out by `kernels` only, which has asked for these instructions.
    unsafe { dot_sum(left, right) }
}

fn squared_difference(left: &[u8], right: &[u8]) -> f32 {
    // SAFETY: handed out by `kernels` only, which has asked for these instructions.
    unsafe { squared_difference_sum(left, right) }
}

fn differing_bits(left: &[u8], right: &[u8]) -> f32 {
    // SAFETY: handed out by `kernels` only, which has asked for this instruction.
    unsafe { counted(left, right) }
}

/// Returns the plain form, compiled with the popcount instruction.
#[target_feature(enable = "popcnt")]
fn counted(left: &[u8], right: &[u8]) -> f32 {
    super::plain::differing_bits(left, right)
}

#[target_feature(enable = "avx2,fma")]
fn dot_sum(left: &[u8], right: &[u8]) -> f32 {
    sum(left, right, |left, right, sum| _mm256_fmadd_ps(left, right, sum))
}

#[target_feature(enable = "avx2,fma")]
fn squared_difference_sum(left: &[u8], right: &[u8]) -> f32 {
    sum(left, right, |left, right, sum| {
        let difference = _mm256_sub_ps(left, right);
        _mm256_fmadd_ps(difference, difference, sum)
    })
}

/// Adds up `term` with four sums under way, since an addition takes four steps to finish.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn sum(left: &[u8], right: &[u8], term: impl Fn(__m256, __m256, __m256) -> __m256) -> f32 {
    let length = left.len().min(right.len()) / 4;
    let (left, right) = (left.as_ptr().cast::<f32>(), right.as_ptr().cast::<f32>());
    let mut sums = [_mm256_setzero_ps(); 4];
    let mut at = 0;
    while at + 32 <= length {
        for (lane, sum) in sums.iter_mut().enumerate() {
            let start = at + 8 * lane;
            // SAFETY: `start + 8 <= length` floats are in both slices; loads need no alignment.
            let (left, right) =
                unsafe { (_mm256_loadu_ps(left.add(start)), _mm256_loadu_ps(right.add(start))) };
            *sum = term(left, right, *sum);
        }
        at += 32;
    }
    while at + 8 <= length {
        // SAFETY: `at + 8 <= length` floats are in both slices; loads need no alignment.
        let (left, right) =
            unsafe { (_mm256_loadu_ps(left.add(at)), _mm256_loadu_ps(right.add(at))) };
        sums[0] = term(left, right, sums[0]);
        at += 8;
    }
    if at < length {
        let mask = &MASKS[8 - (length - at)..];
        // SAFETY: the eight bytes of the mask are there since at most seven were skipped. Lanes
        // beyond the end of the slices are masked out, so nothing there is read.
        let (left, right) = unsafe {
            let mask = _mm256_cvtepi8_epi32(_mm_loadu_si128(mask.as_ptr().cast::<__m128i>()));
            (_mm256_maskload_ps(left.add(at), mask), _mm256_maskload_ps(right.add(at), mask))
        };
        sums[1] = term(left, right, sums[1]);
    }
    let low = folded(sums);
    let pairs = _mm_add_ps(low, _mm_movehl_ps(low, low));
    _mm_cvtss_f32(_mm_add_ss(pairs, _mm_shuffle_ps::<1>(pairs, pairs)))
}

/// Adds the four sums into four lanes.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn folded(sums: [__m256; 4]) -> __m128 {
    let all = _mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), _mm256_add_ps(sums[2], sums[3]));
    _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps::<1>(all))
}

/// Eight lanes that count, then as many that do not, plus bytes for the wide load.
static MASKS: [i8; 32] = {
    let mut masks = [0; 32];
    let mut lane = 0;
    while lane < 8 {
        masks[lane] = -1;
        lane += 1;
    }
    masks
};
