//! Sorts texts that are stored elsewhere. Comparing through pointers costs a cache miss each time,
//! so the first eight bytes that can differ are kept beside the number and usually decide.

/// Sorts the numbers from the iterator by their texts. `text` must be cheap.
pub fn sorted_by_text<'t>(
    numbers: impl Iterator<Item = u32> + Clone,
    text: impl Fn(u32) -> &'t [u8],
) -> Vec<u32> {
    let shared = shared_prefix(numbers.clone().map(&text));
    let mut keyed: Vec<(u64, u32)> =
        numbers.map(|number| (key(&text(number)[shared..]), number)).collect();
    keyed.sort_unstable_by(|left, right| {
        left.0.cmp(&right.0).then_with(|| text(left.1).cmp(text(right.1)))
    });
    keyed.into_iter().map(|(_, number)| number).collect()
}

/// Returns the length of the prefix that all texts share.
fn shared_prefix<'t>(mut texts: impl Iterator<Item = &'t [u8]>) -> usize {
    let Some(first) = texts.next() else {
        return 0;
    };
    let mut shared = first.len();
    for text in texts {
        shared = first[..shared].iter().zip(text).take_while(|(left, right)| left == right).count();
    }
    shared
}

/// Packs the start of a text into a number with the same order.
fn key(text: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = text.len().min(8);
    bytes[..length].copy_from_slice(&text[..length]);
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_texts() {
        let texts = [
            "item-10",
            "item-1",
            "item-",
            "item-\0",
            "item-123456789b",
            "item-123456789a",
            "item-2",
        ];
        let order =
            sorted_by_text(0..texts.len() as u32, |number| texts[number as usize].as_bytes());
        let sorted: Vec<&str> = order.iter().map(|&number| texts[number as usize]).collect();
        let mut expected = texts.to_vec();
        expected.sort_unstable();
        assert_eq!(sorted, expected);
    }
}
