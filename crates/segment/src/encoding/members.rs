//! The members of a set in the standard Roaring format, read from its bytes: several times quicker
//! than to make a set of them and ask it for one after the other.

use roaring::RoaringBitmap;

use crate::DocId;

/// First numbers of a set without runs, and of one with runs.
const WITHOUT_RUNS: u32 = 12_346;
const WITH_RUNS: u16 = 12_347;
/// Sets with runs have no offsets if they have fewer containers than this.
const FEWEST_WITH_OFFSETS: usize = 4;
/// Containers with more members are bitmaps.
const LARGEST_ARRAY: usize = 4096;
const BITMAP_LENGTH: usize = 8192;

/// Adds the members to a list, in ascending order. Nothing when the bytes are not those of a set.
pub fn append_from_bytes(bytes: &[u8], out: &mut Vec<DocId>) -> Option<()> {
    let (first, mut rest) = bytes.split_first_chunk::<4>()?;
    let [a, b, c, d] = *first;
    let (count, runs) = if u16::from_le_bytes([a, b]) == WITH_RUNS {
        let count = usize::from(u16::from_le_bytes([c, d])) + 1;
        let (runs, others) = rest.split_at_checked(count.div_ceil(8))?;
        rest = others;
        (count, Some(runs))
    } else if u32::from_le_bytes(*first) == WITHOUT_RUNS {
        let (count, others) = rest.split_first_chunk::<4>()?;
        rest = others;
        (usize::try_from(u32::from_le_bytes(*count)).ok()?, None)
    } else {
        return None;
    };
    let (heads, mut rest) = rest.split_at_checked(count.checked_mul(4)?)?;
    if runs.is_none() || count >= FEWEST_WITH_OFFSETS {
        rest = rest.get(4 * count..)?;
    }
    for (number, &[a, b, c, d]) in heads.as_chunks::<4>().0.iter().enumerate() {
        let key = DocId::from(u16::from_le_bytes([a, b])) << 16;
        let members = usize::from(u16::from_le_bytes([c, d])) + 1;
        let is_run = runs.is_some_and(|runs| runs[number / 8] >> (number % 8) & 1 == 1);
        let length = match is_run {
            true => 2 + 4 * usize::from(u16::from_le_bytes(*rest.first_chunk()?)),
            false if members <= LARGEST_ARRAY => 2 * members,
            false => BITMAP_LENGTH,
        };
        let (container, others) = rest.split_at_checked(length)?;
        rest = others;
        if is_run {
            for &[a, b, c, d] in container[2..].as_chunks::<4>().0 {
                let start = key | DocId::from(u16::from_le_bytes([a, b]));
                let more = DocId::from(u16::from_le_bytes([c, d]));
                out.extend(start..=start.checked_add(more)?);
            }
        } else if members <= LARGEST_ARRAY {
            let members = container.as_chunks::<2>().0.iter();
            out.extend(members.map(|&low| key | DocId::from(u16::from_le_bytes(low))));
        } else {
            append_bitmap(key, container, out);
        }
    }
    rest.is_empty().then_some(())
}

fn append_bitmap(key: DocId, bitmap: &[u8], out: &mut Vec<DocId>) {
    for (number, word) in (0..).zip(bitmap.as_chunks::<8>().0) {
        let start: DocId = key + 64 * number;
        let mut bits = u64::from_le_bytes(*word);
        while bits != 0 {
            out.push(start + bits.trailing_zeros());
            bits &= bits - 1;
        }
    }
}

/// The members of a set, in ascending order.
pub fn members(set: &RoaringBitmap) -> Vec<DocId> {
    /// Below this, asking for one after the other is as quick.
    const FEW: u64 = 256;
    let mut out = Vec::with_capacity(set.len() as usize);
    if set.len() >= FEW {
        let mut bytes = Vec::with_capacity(set.serialized_size());
        // Writing to memory does not fail.
        if set.serialize_into(&mut bytes).is_ok() && append_from_bytes(&bytes, &mut out).is_some() {
            return out;
        }
        out.clear();
    }
    out.extend(set);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(set: &RoaringBitmap) {
        let expected: Vec<DocId> = set.iter().collect();
        let mut bytes = Vec::new();
        set.serialize_into(&mut bytes).unwrap();
        let mut found = Vec::new();
        assert_eq!(append_from_bytes(&bytes, &mut found), Some(()));
        assert_eq!(found, expected);
        assert_eq!(members(set), expected);
        for end in 0..bytes.len().min(5000) {
            let mut found = Vec::new();
            assert_eq!(append_from_bytes(&bytes[..end], &mut found), None, "{end}");
        }
        bytes.push(0);
        assert_eq!(append_from_bytes(&bytes, &mut Vec::new()), None);
    }

    #[test]
    fn members_of_every_kind_of_container_come_back() {
        let sparse = (0..3000_u32).map(|number| number * 97);
        let dense = (1_000_000..1_200_000).filter(|number| number % 3 != 0);
        let runs = (5_000_000..5_300_000).chain(u32::MAX - 70_000..=u32::MAX);
        check(&sparse.clone().take(1).collect());
        check(&sparse.clone().collect());
        check(&dense.clone().collect());
        let mut all: RoaringBitmap = sparse.chain(dense).chain(runs).collect();
        check(&all);
        all.optimize();
        check(&all);
        let mut few_runs: RoaringBitmap = (10..70_000).collect();
        few_runs.optimize();
        check(&few_runs);
    }

    #[test]
    fn nonsense_is_refused() {
        for bytes in [&[][..], &[1, 2, 3], &[0; 8], &[0x3b, 0x30, 0xff, 0xff, 1]] {
            assert_eq!(append_from_bytes(bytes, &mut Vec::new()), None);
        }
    }
}
