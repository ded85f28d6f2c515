//! Checksums of the records of `meta.redb`. The database keeps checksums of its pages but does not
//! verify them on reads, so every record has its own. All stores use these functions, so that
//! FORMAT.md describes one rule.

use redb::{Key, TableDefinition, TableError, Value, WriteTransaction};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Returns the checksum of a record. It covers the key, so that a record found under another key
/// does not match either.
pub fn checksum(key: &[u8], value: &[u8]) -> u64 {
    xxh3_64_with_seed(key, xxh3_64(value))
}

/// Returns the error for a record whose checksum does not match.
pub fn damaged_record(table: &str, key: &str) -> redb::Error {
    redb::Error::Corrupted(damaged_record_message(table, key))
}

pub(crate) fn damaged_record_message(table: &str, key: &str) -> String {
    format!("the record `{key}` of the table `{table}` is damaged: its checksum does not match")
}

/// Opens or creates a table. Returns false if an earlier format wrote it with other types.
pub fn has_current_types<K: Key + 'static, V: Value + 'static>(
    transaction: &WriteTransaction,
    table: TableDefinition<'_, K, V>,
) -> Result<bool, redb::Error> {
    match transaction.open_table(table) {
        Ok(_) => Ok(true),
        Err(TableError::TableTypeMismatch { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Packs a 32-bit number with a checksum in the upper half.
pub(crate) fn sealed_number(key: &str, number: u32) -> u64 {
    let sum = checksum(key.as_bytes(), &number.to_le_bytes());
    (sum << 32) | u64::from(number)
}

/// Unpacks the number; none if the checksum does not match.
pub(crate) fn unsealed_number(key: &str, stored: u64) -> Option<u32> {
    let number = stored as u32;
    (sealed_number(key, number) == stored).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_bit_of_a_number_or_another_key_does_not_match() {
        let stored = sealed_number("next", 41);
        assert_eq!(unsealed_number("next", stored), Some(41));
        assert_eq!(unsealed_number("other", stored), None);
        for bit in 0..64 {
            assert_eq!(unsealed_number("next", stored ^ (1 << bit)), None, "bit {bit}");
        }
    }
}
