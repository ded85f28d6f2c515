//! Tests of every form against the plain one, at every length around their widths.

use super::*;

fn floats(seed: u32, count: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).flat_map(|_| next().to_le_bytes()).collect()
}

fn close(left: f32, right: f32) -> bool {
    (left - right).abs() <= 1e-4 * (1.0 + left.abs())
}

#[test]
fn every_form_gives_what_the_plain_one_gives() {
    for kernels in available() {
        for length in (0..150).chain([384, 768, 784, 1536, 3072]) {
            let (left, right) = (floats(length as u32, length), floats(!length as u32, length));
            let name = kernels.name;
            let (found, expected) = ((kernels.dot)(&left, &right), plain::dot(&left, &right));
            assert!(close(found, expected), "{name} dot {length}: {found} {expected}");
            let found = (kernels.squared_difference)(&left, &right);
            let expected = plain::squared_difference(&left, &right);
            assert!(close(found, expected), "{name} difference {length}: {found} {expected}");
            let whole_words = left.len() / 8 * 8;
            let (left, right) = (&left[..whole_words], &right[..whole_words]);
            let found = (kernels.differing_bits)(left, right);
            assert_eq!(found, plain::differing_bits(left, right), "{name} bits {length}");
        }
    }
}

#[test]
fn rows_need_no_alignment() {
    let (left, right) = (floats(1, 101), floats(2, 101));
    for kernels in available() {
        for shift in 1..4 {
            let (left, right) = (&left[shift..shift + 400], &right[shift..shift + 400]);
            let bits = (kernels.differing_bits)(left, right);
            assert_eq!(bits, plain::differing_bits(left, right));
            // Shifted bytes make arbitrary floats, including NaN.
            let (found, expected) = ((kernels.dot)(left, right), plain::dot(left, right));
            assert!(found.is_finite() <= expected.is_finite(), "{found} {expected}");
        }
    }
}

#[test]
fn the_plain_form_is_right() {
    let row = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let (left, right) = (row(&[1.0, 2.0, 3.0]), row(&[4.0, -5.0, 6.0]));
    assert_eq!(plain::dot(&left, &right), 12.0);
    assert_eq!(plain::squared_difference(&left, &right), 9.0 + 49.0 + 9.0);
    assert_eq!(plain::differing_bits(&[0xff; 16], &[0x0f; 16]), 64.0);
}
