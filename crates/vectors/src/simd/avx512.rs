//! 512 bits at a time: servers, and newer desktops.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m512, __m512i, _mm512_add_epi64, _mm512_add_ps, _mm512_fmadd_ps, _mm512_loadu_ps,
    _mm512_loadu_si512, _mm512_maskz_loadu_epi64, _mm512_maskz_loadu_ps, _mm512_popcnt_epi64,
    _mm512_reduce_add_epi64, _mm512_reduce_add_ps, _mm512_setzero_ps, _mm512_setzero_si512,
    _mm512_sub_ps, _mm512_xor_si512,
};

use super::Kernels;

pub fn kernels() -> Option<Kernels> {
    let runs_here =
        is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq");
    runs_here.then_some(Kernels { name: "avx512", dot, squared_difference, differing_bits })
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
    // SAFETY: handed out by `kernels` only, which has asked for these instructions.
    unsafe { counted(left, right) }
}

#[target_feature(enable = "avx512f")]
fn dot_sum(left: &[u8], right: &[u8]) -> f32 {
    sum(left, right, |left, right, sum| _mm512_fmadd_ps(left, right, sum))
}

#[target_feature(enable = "avx512f")]
fn squared_difference_sum(left: &[u8], right: &[u8]) -> f32 {
    sum(left, right, |left, right, sum| {
        let difference = _mm512_sub_ps(left, right);
        _mm512_fmadd_ps(difference, difference, sum)
    })
}

/// Adds up `term` with four sums under way, since an addition takes four steps to finish.
#[inline]
#[target_feature(enable = "avx512f")]
fn sum(left: &[u8], right: &[u8], term: impl Fn(__m512, __m512, __m512) -> __m512) -> f32 {
    let length = left.len().min(right.len()) / 4;
    let (left, right) = (left.as_ptr().cast::<f32>(), right.as_ptr().cast::<f32>());
    // SAFETY: called where 16 floats from `start` on are in both slices; loads need no alignment.
    let add = |start: usize, sum: &mut __m512| unsafe {
        let (left, right) = (_mm512_loadu_ps(left.add(start)), _mm512_loadu_ps(right.add(start)));
        *sum = term(left, right, *sum);
    };
    let mut sums = [_mm512_setzero_ps(); 4];
    let mut at = 0;
    while at + 64 <= length {
        for (lane, sum) in sums.iter_mut().enumerate() {
            add(at + 16 * lane, sum);
        }
        at += 64;
    }
    let [first, second, third, fourth] = &mut sums;
    for sum in [first, second, third] {
        if at + 16 > length {
            break;
        }
        add(at, sum);
        at += 16;
    }
    if at < length {
        let mask = (1 << (length - at)) - 1;
        // SAFETY: `at` is inside both slices, and lanes beyond their end are masked out.
        let (left, right) = unsafe {
            (_mm512_maskz_loadu_ps(mask, left.add(at)), _mm512_maskz_loadu_ps(mask, right.add(at)))
        };
        *fourth = term(left, right, *fourth);
    }
    let [first, second, third, fourth] = sums;
    let all = _mm512_add_ps(_mm512_add_ps(first, second), _mm512_add_ps(third, fourth));
    _mm512_reduce_add_ps(all)
}

#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn counted(left: &[u8], right: &[u8]) -> f32 {
    let words = left.len().min(right.len()) / 8;
    let (left, right) = (left.as_ptr().cast::<i64>(), right.as_ptr().cast::<i64>());
    let mut sum = _mm512_setzero_si512();
    let mut at = 0;
    while at + 8 <= words {
        // SAFETY: `at + 8 <= words` words are in both slices; loads need no alignment.
        let (left, right) = unsafe {
            let (left, right) = (left.add(at), right.add(at));
            (
                _mm512_loadu_si512(left.cast::<__m512i>()),
                _mm512_loadu_si512(right.cast::<__m512i>()),
            )
        };
        sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(_mm512_xor_si512(left, right)));
        at += 8;
    }
    if at < words {
        let mask = (1u8 << (words - at)) - 1;
        // SAFETY: `at` is inside both slices, and lanes beyond their end are masked out.
        let (left, right) = unsafe {
            let left = _mm512_maskz_loadu_epi64(mask, left.add(at));
            (left, _mm512_maskz_loadu_epi64(mask, right.add(at)))
        };
        sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(_mm512_xor_si512(left, right)));
    }
    _mm512_reduce_add_epi64(sum) as f32
}
