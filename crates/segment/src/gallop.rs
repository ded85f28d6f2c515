//! Galloping search in a sorted list, quick for results near the start.

/// Returns the first position from `start` on for which `is_before` is false.
#[inline]
pub fn gallop<T>(list: &[T], start: usize, is_before: impl Fn(&T) -> bool) -> usize {
    if !list.get(start).is_some_and(&is_before) {
        return start;
    }
    let mut start = start;
    let mut step = 1;
    while list.get(start + step).is_some_and(&is_before) {
        start += step;
        step *= 2;
    }
    let end = list.len().min(start + step);
    let near = list.get(start + 1..end).unwrap_or_default();
    start + 1 + near.partition_point(is_before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_found_from_every_other() {
        let list: Vec<u32> = (0..70).map(|number| number * number).collect();
        for start in 0..=list.len() {
            for wanted in 0..5000 {
                let expected = start.max(list.partition_point(|number| *number < wanted));
                assert_eq!(gallop(&list, start, |number| *number < wanted), expected);
            }
        }
    }
}
