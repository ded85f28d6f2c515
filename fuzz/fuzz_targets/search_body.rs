//! Bodies of searches and multi-searches, read as the server reads them. Whatever they hold, the
//! memory and the number of allocations that they cost stay in proportion to their length: a body
//! that costs more is an attack.

#![no_main]

use std::cell::LazyCell;

use libfuzzer_sys::fuzz_target;
use sonde_fuzz::allocations::{Cost, Counting, measured};
use tokio::runtime::{Builder, Runtime};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A byte that is a value of its own, as in `1,1,1`, is a list slot of 80 bytes, and a growing list
/// exists twice for a moment.
const PEAK_PER_BYTE: usize = 512;
const TOTAL_PER_BYTE: usize = 1024;
const COUNT_PER_BYTE: usize = 4;

/// Costs that do not depend on the length: messages, and the comparison of a short name with
/// those that are known.
const PEAK: usize = 256 * 1024;
const TOTAL: usize = 2 * 1024 * 1024;
const COUNT: usize = 10_000;

thread_local! {
    static RUNTIME: LazyCell<Runtime> =
        LazyCell::new(|| Builder::new_current_thread().build().expect("a runtime"));
}

fuzz_target!(|body: &[u8]| {
    RUNTIME.with(|runtime| {
        let single = || runtime.block_on(server::fuzzing::read_search_body(body.to_vec()));
        check(body, measured(single).1);
        let several = || runtime.block_on(server::fuzzing::read_multi_search_body(body.to_vec()));
        check(body, measured(several).1);
    });
});

fn check(body: &[u8], cost: Cost) {
    let length = body.len();
    assert!(cost.peak <= PEAK + PEAK_PER_BYTE * length, "{length} bytes cost {cost:?}");
    assert!(cost.total <= TOTAL + TOTAL_PER_BYTE * length, "{length} bytes cost {cost:?}");
    assert!(cost.count <= COUNT + COUNT_PER_BYTE * length, "{length} bytes cost {cost:?}");
}
