//! See `targets/src/search_body.rs`.

#![no_main]

use fuzz_targets::allocations::Counting;
use libfuzzer_sys::fuzz_target;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fuzz_target!(|input: &[u8]| {
    fuzz_targets::search_body::run(input);
    fuzz_targets::search_body::check_time(input);
});
