//! Serialises sets of uids as inclusive ranges: `[[0,41],[43,43]]`. Targets of cancelations are
//! mostly runs, and ranges are readable.

use roaring::RoaringBitmap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub fn serialize<S: Serializer>(set: &RoaringBitmap, serializer: S) -> Result<S::Ok, S::Error> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for uid in set {
        match ranges.last_mut() {
            Some((_, end)) if end.checked_add(1) == Some(uid) => *end = uid,
            _ => ranges.push((uid, uid)),
        }
    }
    ranges.serialize(serializer)
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<RoaringBitmap, D::Error> {
    let ranges = Vec::<(u32, u32)>::deserialize(deserializer)?;
    let mut set = RoaringBitmap::new();
    for (start, end) in ranges {
        set.insert_range(start..=end);
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Holder(#[serde(with = "super")] RoaringBitmap);

    #[test]
    fn runs_become_ranges() {
        let set: RoaringBitmap = [0, 1, 2, 7, 9, 10, u32::MAX].into_iter().collect();
        let text = serde_json::to_string(&Holder(set.clone())).unwrap();
        assert_eq!(text, "[[0,2],[7,7],[9,10],[4294967295,4294967295]]");
        assert_eq!(serde_json::from_str::<Holder>(&text).unwrap(), Holder(set));
        assert_eq!(serde_json::to_string(&Holder(RoaringBitmap::new())).unwrap(), "[]");
    }
}
