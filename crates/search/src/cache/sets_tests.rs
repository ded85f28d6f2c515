//! Sets of documents, cached for several text files.

use index::Segment;
use serde_json::json;

use super::*;
use crate::testing::{TestIndex, one_attribute};

const LIMIT_BYTES: usize = 1 << 20;

/// Words `w0` to `w19`, two in a row in each text and one of them in another attribute: two segments
/// with the same words, and no documents in common.
fn index() -> TestIndex {
    let document = |id: u32| {
        let number = id % 20;
        json!({ "id": id, "t": format!("w{number} w{}", (number + 1) % 20), "u": format!("w{}", id % 3) })
    };
    let documents: Vec<_> = (1..=80).map(document).collect();
    TestIndex::new(json!({ "searchableAttributes": ["t", "u"] }), &documents)
}

/// The documents of a range of words, of a range in one attribute, and of a pair: as the cache gives
/// them, and as the file does.
fn answers(cache: &SetCache, text: &TextReader) -> [[RoaringBitmap; 2]; 3] {
    let words = text.prefix_range(b"w");
    let [left, right] = [&b"w4"[..], b"w5"].map(|word| text.ordinal(word).expect("a word"));
    let counts = |field: u16| text.fields()[usize::from(field)] == "u";
    let of_range = cache.documents_of_range(text, words.clone());
    let in_field = cache.documents_of_range_in_fields(text, words.clone(), counts);
    let of_pair = cache.documents_of_pair(text, left, right);
    [
        [of_range, text.documents_of_range(words.clone())],
        [in_field, text.documents_of_range_in_fields(words, counts)],
        [of_pair, text.documents_of_pair(left, right)],
    ]
    .map(|both| both.map(|documents| documents.expect("readable")))
}

fn check(cache: &SetCache, text: &TextReader) {
    for [cached, found] in answers(cache, text) {
        assert!(!found.is_empty());
        assert_eq!(cached, found);
    }
}

/// Returns whether the documents of all words of a file are cached.
fn is_cached(cache: &SetCache, text: &TextReader) -> bool {
    let having = SetContents::OneOf { words: text.prefix_range(b"w") };
    cache.0.get(&SetKey { text: text.instance_id(), having }).is_some()
}

#[test]
fn sets_of_two_files_do_not_mix() {
    let snapshot = index().snapshot();
    let [one, other] = snapshot.segments() else { panic!("two segments") };
    assert_eq!(one.text().prefix_range(b"w"), other.text().prefix_range(b"w"), "the same keys");
    let cache = SetCache::new(LIMIT_BYTES);
    // The second time they are cached.
    for _ in 0..2 {
        check(&cache, one.text());
        check(&cache, other.text());
    }
    assert!(is_cached(&cache, one.text()) && is_cached(&cache, other.text()));
}

#[test]
fn sets_of_different_fields_do_not_mix() {
    let snapshot = index().snapshot();
    let text = snapshot.segments()[0].text();
    let cache = SetCache::new(LIMIT_BYTES);
    let words = || text.prefix_range(b"w1");
    assert!(words().len() > FEW_WORDS);
    for wanted in [0, 1, 0, 1] {
        let counts = |field: u16| field == wanted;
        let found = text.documents_of_range_in_fields(words(), counts).expect("readable");
        let cached = cache.documents_of_range_in_fields(text, words(), counts);
        assert_eq!(cached.expect("readable"), found, "{wanted}");
    }
    let [t, u] = [0, 1].map(|wanted| {
        cache
            .documents_of_range_in_fields(text, words(), |field| field == wanted)
            .expect("readable")
    });
    assert_ne!(t, u);
}

#[test]
fn cached_set_is_not_computed_again() {
    let snapshot = index().snapshot();
    let text = snapshot.segments()[0].text();
    let cache = SetCache::new(LIMIT_BYTES);
    let having = || SetContents::Pair { left: 1, right: 2 };
    let set = RoaringBitmap::from([3, 70_000]);
    let found = cache.get_or_find(text, having(), || Ok(set.clone()));
    assert_eq!(found.expect("found"), set);
    let known = cache.get_or_find(text, having(), || unreachable!("it is cached"));
    assert_eq!(known.expect("cached"), set);
}

#[test]
fn the_limit_is_for_all_files_together() {
    const LIMIT_BYTES: usize = 16 << 10;
    let snapshot = index().snapshot();
    let cache = SetCache::new(LIMIT_BYTES);
    let mut ranges = 0;
    for segment in snapshot.segments() {
        let text = segment.text();
        let words = text.prefix_range(b"w");
        for start in words.clone() {
            for end in start + FEW_WORDS as u32 + 1..=words.end {
                let found = text.documents_of_range(start..end).expect("readable");
                let cached = cache.documents_of_range(text, start..end).expect("readable");
                assert_eq!(cached, found);
                ranges += 1;
            }
        }
        let bytes = cache.0.bytes();
        assert!(bytes <= LIMIT_BYTES && bytes > LIMIT_BYTES / 4, "{bytes} bytes");
    }
    assert!(ranges > 100, "{ranges} ranges");
}

#[test]
fn contended_lock_computes_without_cache() {
    let snapshot = index().snapshot();
    let text = snapshot.segments()[0].text();
    let cache = SetCache::new(LIMIT_BYTES);
    cache.0.while_locked(|| check(&cache, text));
    assert!(!is_cached(&cache, text));
}

#[test]
fn sets_survive_a_merge_that_leaves_their_segment_alone() {
    let index = TestIndex::new(one_attribute(), &[]);
    let large: Vec<_> = (1..=6000_u32)
        .map(|id| json!({ "id": id, "t": format!("w{} x{}", id % 20, id.wrapping_mul(2_654_435_761)) }))
        .collect();
    index.put(&large);
    let before = index.snapshot();
    let [segment] = before.segments() else { panic!("one segment") };
    let cache = SetCache::new(LIMIT_BYTES);
    cache.documents_of_range(segment.text(), segment.text().prefix_range(b"w")).expect("readable");
    assert!(is_cached(&cache, segment.text()));
    for id in 10_001..=10_008 {
        index.put(&[json!({ "id": id, "t": "w1" })]);
    }
    index.merge();
    let after = index.snapshot();
    assert_eq!(after.segments().len(), 2, "the small ones are merged");
    let is_cached = |segment: &Segment| is_cached(&cache, segment.text());
    assert_eq!(after.segments().iter().filter(|segment| is_cached(segment)).count(), 1);
}

#[test]
fn sets_count_as_what_they_take() {
    // An array of numbers, one bit each, and runs.
    let few: RoaringBitmap = (0..1000).map(|number| number * 60).collect();
    let many: RoaringBitmap = (0..3 << 16).step_by(2).collect();
    let mut runs: RoaringBitmap = (0..3 << 16).filter(|number| number % 1000 != 0).collect();
    runs.optimize();
    for (set, written) in [(few, 2 * 1000), (many, 3 * 8192), (runs, 4 * 200)] {
        let bytes = bytes_of(&set);
        assert!((written..written + 400).contains(&bytes), "{bytes} bytes for {written}");
    }
}
