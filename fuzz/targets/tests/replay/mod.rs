//! Runs a target on the inputs of its corpus and its seeds.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

pub fn replay(target: &str, run: fn(&[u8])) {
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
