//! The description of a file: numbers of 8 bytes each.

pub fn meta_to_bytes(numbers: impl IntoIterator<Item = u64>) -> Vec<u8> {
    numbers.into_iter().flat_map(u64::to_le_bytes).collect()
}

/// Parses exactly `N` numbers, with nothing after them.
pub fn parse_meta<const N: usize>(bytes: &[u8]) -> Option<[u64; N]> {
    let (numbers, []) = bytes.as_chunks() else { return None };
    let numbers: &[[u8; 8]; N] = numbers.as_array()?;
    Some(numbers.map(u64::from_le_bytes))
}
