//! Portable form, and the reference for the others. Several sums run side by side so that compilers
//! can use the target's default vector instructions.

const LANES: usize = 8;

pub fn dot(left: &[u8], right: &[u8]) -> f32 {
    sum(left, right, |left, right| left * right)
}

pub fn squared_difference(left: &[u8], right: &[u8]) -> f32 {
    sum(left, right, |left, right| (left - right) * (left - right))
}

pub fn differing_bits(left: &[u8], right: &[u8]) -> f32 {
    let (left, _) = left.as_chunks::<8>();
    let (right, _) = right.as_chunks::<8>();
    let differing = left
        .iter()
        .zip(right)
        .map(|(left, right)| (u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right)).count_ones());
    differing.sum::<u32>() as f32
}

#[inline(always)]
fn sum(left: &[u8], right: &[u8], term: impl Fn(f32, f32) -> f32) -> f32 {
    let (left, _) = left.as_chunks::<4>();
    let (right, _) = right.as_chunks::<4>();
    let (left_lanes, left_rest) = left.as_chunks::<LANES>();
    let (right_lanes, right_rest) = right.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (left, right) in left_lanes.iter().zip(right_lanes) {
        for lane in 0..LANES {
            sums[lane] += term(f32::from_le_bytes(left[lane]), f32::from_le_bytes(right[lane]));
        }
    }
    let rest = left_rest.iter().zip(right_rest);
    let rest =
        rest.map(|(left, right)| term(f32::from_le_bytes(*left), f32::from_le_bytes(*right)));
    sums.iter().sum::<f32>() + rest.sum::<f32>()
}
