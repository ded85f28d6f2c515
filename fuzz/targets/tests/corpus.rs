//! Every input that a fuzzer or a person found worth keeping runs once more: what it found stays fixed.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use fuzz_targets::allocations::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs a target on its corpus and its seeds.
fn replay(target: &str, run: fn(&[u8])) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut inputs = 0;
    for kind in ["seeds", "corpus"] {
        let Ok(entries) = fs::read_dir(root.join(kind).join(target)) else { continue };
        for entry in entries {
            let path = entry.expect("an entry").path();
            let input = fs::read(&path).expect("an input");
            assert!(catch_unwind(|| run(&input)).is_ok(), "{} fails", path.display());
            inputs += 1;
        }
    }
    assert!(inputs > 0, "no inputs for {target}");
}

macro_rules! targets {
    ($($target:ident)*) => {$(
        #[test]
        fn $target() {
            replay(stringify!($target), fuzz_targets::$target::run);
        }
    )*};
}

targets! { dump filter frame index_files payload query settings template tenant_token }
