//! Files of any bytes, as `sonde inspect` meets them.

#![no_main]

use libfuzzer_sys::fuzz_target;
use segment::{FileBytes, Frame};

fuzz_target!(|bytes: &[u8]| {
    let bytes = FileBytes::from(bytes.to_vec());
    drop(segment::inspect(&bytes, "file"));
    drop(vectors::inspect(&bytes, "file"));
    if let Ok(frame) = Frame::read("file", bytes) {
        drop(frame.verify());
        for section in frame.sections() {
            let _ = frame.section(section.tag);
        }
    }
});
