//! See `targets/src/frame.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(init: fuzz_targets::frame::write_seeds(), |input: &[u8]| fuzz_targets::frame::run(input));
