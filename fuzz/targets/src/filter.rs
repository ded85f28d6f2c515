//! Filters and sorts of any text and any JSON: read, written again, checked, never a panic. What is
//! read must be evaluated or refused by an index.

use std::sync::{Arc, LazyLock};

use crate::small_index::{WANTED, small_index};
use filter::{Filter, parse_sort};
use index::Index;
use model::Features;
use segment::MemoryDirectory;
use serde_json::Value;

static INDEX: LazyLock<Index> = LazyLock::new(|| small_index(Arc::new(MemoryDirectory::new())));

/// Fails where the target would.
pub fn run(text: &[u8]) {
    let text = crate::text(text);
    let as_json = serde_json::from_str::<Value>(text).ok();
    for value in [Some(Value::String(text.to_owned())), as_json].into_iter().flatten() {
        match Filter::from_json(&value) {
            Ok(Some(filter)) => {
                let _ = filter.check_features(&Features::default());
                let _ = search::filtering::matching(&INDEX.snapshot(), &filter, &WANTED);
                let _ =
                    search::filtering::matching(&INDEX.snapshot(), &filter.canonical(), &WANTED);
            }
            Ok(None) => {}
            Err(error) => drop(error.to_string()),
        }
    }
    if let Err(error) = parse_sort(&[text.to_owned()]) {
        drop(error.to_string());
    }
}
