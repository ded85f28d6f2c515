//! Buckets of positions: one for each of the first sixteen, then in steps that double.

use std::ops::RangeInclusive;

/// Number of buckets.
pub const POSITION_BUCKETS: u8 = 29;

/// Positions below this have a bucket each.
const SINGLE: u32 = 16;
/// Positions from `SINGLE` up to here share a bucket; every further one ends at a power of two.
const FIRST_SHARED: u32 = 24;

/// Returns the position that represents its bucket: the last one of it, or the one after.
pub fn rounded_position(position: u32) -> u32 {
    match position {
        0..SINGLE => position,
        SINGLE..FIRST_SHARED => FIRST_SHARED,
        _ => position.next_power_of_two(),
    }
}

/// Returns the bucket of a position that can be indexed.
pub fn bucket_of(position: u32) -> u8 {
    match position {
        0..SINGLE => position as u8,
        SINGLE..FIRST_SHARED => SINGLE as u8,
        _ => (position.next_power_of_two().trailing_zeros() as u8 + 12).min(POSITION_BUCKETS - 1),
    }
}

/// Returns the rounded position of all positions of a bucket.
pub fn position_of(bucket: u8) -> u32 {
    match u32::from(bucket) {
        bucket @ 0..SINGLE => bucket,
        SINGLE => FIRST_SHARED,
        bucket => 1 << (bucket - 12).min(31),
    }
}

/// Returns the positions of a bucket.
pub fn positions_in(bucket: u8) -> RangeInclusive<u32> {
    match u32::from(bucket) {
        bucket @ 0..SINGLE => bucket..=bucket,
        SINGLE => SINGLE..=FIRST_SHARED - 1,
        bucket if bucket == SINGLE + 1 => FIRST_SHARED..=position_of(bucket as u8),
        bucket => position_of(bucket as u8 - 1) + 1..=position_of(bucket as u8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_follow_the_positions() {
        for position in 0..1 << 16 {
            let bucket = bucket_of(position);
            assert!(bucket < POSITION_BUCKETS);
            assert_eq!(position_of(bucket), rounded_position(position), "{position}");
            assert!(positions_in(bucket).contains(&position), "{position}");
            let others = [bucket.wrapping_sub(1), bucket + 1];
            let others = others.into_iter().filter(|other| *other < POSITION_BUCKETS);
            assert!(others.into_iter().all(|other| !positions_in(other).contains(&position)));
            assert!(position == 0 || bucket_of(position - 1) <= bucket);
        }
    }
}
