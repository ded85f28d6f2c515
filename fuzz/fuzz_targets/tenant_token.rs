//! See `targets/src/tenant_token.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| fuzz_targets::tenant_token::run(input));
