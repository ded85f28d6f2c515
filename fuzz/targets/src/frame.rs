//! Files of any bytes, as `sonde inspect` meets them.
//!
//! With `SEED_FOLDER` set, the target first writes there what it is to start from: the files of a
//! small index, which only a build for fuzzing can write, since its checksums are all alike.

use std::fs;
use std::path::Path;

use crate::small_index::index_files;
use segment::{FileBytes, Frame};

/// Writes the files that the target starts from, where it is asked to.
pub fn write_seeds() {
    let Some(folder) = std::env::var_os("SEED_FOLDER") else { return };
    for (name, bytes) in index_files() {
        fs::write(Path::new(&folder).join(name), bytes).expect("a seed");
    }
}

/// Fails where the target would.
pub fn run(bytes: &[u8]) {
    let bytes = FileBytes::from(bytes.to_vec());
    drop(segment::inspect(&bytes, "file"));
    drop(vectors::inspect(&bytes, "file"));
    if let Ok(frame) = Frame::read("file", bytes) {
        drop(frame.verify());
        for section in frame.sections() {
            let _ = frame.section(section.tag);
        }
    }
}
