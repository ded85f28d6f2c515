//! The text of a search: words, phrases, exclusions, in any script. The first byte chooses the
//! matching strategy.

use std::sync::{Arc, LazyLock};

use crate::small_index::{query_for, small_index};
use index::Index;
use search::Strategy;
use segment::MemoryDirectory;

static INDEX: LazyLock<Index> = LazyLock::new(|| small_index(Arc::new(MemoryDirectory::new())));

/// Fails where the target would.
pub fn run(input: &[u8]) {
    let [choice, text @ ..] = input else { return };
    let text = crate::text(text);
    let strategy = match choice % 4 {
        0 => Strategy::Last,
        1 => Strategy::All,
        2 => Strategy::Frequency,
        _ => Strategy::Any,
    };
    let mut query = query_for(text);
    query.criteria.to_mut().matching_strategy = strategy;
    let found = search::run(&INDEX.snapshot(), &query).expect("an answer to every text");
    for hit in &found.hits {
        assert!(found.candidates.contains(hit.doc_id));
        assert!((0.0..=1.0).contains(&hit.score), "{}", hit.score);
        drop(hit.details());
    }
}
