//! Replays bodies of searches in a process of their own: the target measures what the process allocates.

mod replay;

use fuzz_targets::allocations::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn search_body() {
    replay::replay("search_body", fuzz_targets::search_body::run);
}
