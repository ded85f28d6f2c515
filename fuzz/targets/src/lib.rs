//! What the fuzz targets run, apart from the fuzzer: each takes bytes from outside and fails by a panic.
//! The corpora are replayed by the tests of this crate, with the toolchain that everybody has.

pub mod allocations;
pub mod dump;
pub mod filter;
pub mod frame;
pub mod index_files;
pub mod payload;
pub mod query;
pub mod search_body;
pub mod settings;
pub mod small_index;
pub mod template;
pub mod tenant_token;

/// The text at the beginning of the bytes, as far as they are one.
fn text(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    }
}
