//! See `targets/src/index_files.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| fuzz_targets::index_files::run(input));
