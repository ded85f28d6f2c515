//! The text of a search: words, phrases, exclusions, in any script. The first byte chooses the
//! matching strategy.

#![no_main]

use std::sync::{Arc, LazyLock};

use index::Index;
use libfuzzer_sys::fuzz_target;
use search::{Query, Strategy};
use segment::MemoryDirectory;
use sonde_fuzz::{query_for, small_index};

static INDEX: LazyLock<Index> = LazyLock::new(|| small_index(Arc::new(MemoryDirectory::new())));

fuzz_target!(|input: (u8, &str)| {
    let (choice, text) = input;
    let strategy = match choice % 4 {
        0 => Strategy::Last,
        1 => Strategy::All,
        2 => Strategy::Frequency,
        _ => Strategy::Any,
    };
    let query = Query { strategy, ..query_for(text) };
    let found = search::run(&INDEX.snapshot(), &query).expect("an answer to every text");
    for hit in &found.hits {
        assert!(found.candidates.contains(hit.doc_id));
        assert!((0.0..=1.0).contains(&hit.score), "{}", hit.score);
        drop(hit.details());
    }
});
