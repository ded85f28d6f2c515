//! The same for bodies of searches, alone in a process: they are measured by what the process allocates.

use std::fs;
use std::path::Path;

use fuzz_targets::allocations::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn search_body() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../seeds/search_body");
    for entry in fs::read_dir(seeds).expect("seeds") {
        let path = entry.expect("an entry").path();
        fuzz_targets::search_body::run(&fs::read(path).expect("an input"));
    }
}
