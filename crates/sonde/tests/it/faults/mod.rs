//! What happens to a running server that is nobody's fault: the disk gets full, the clock jumps,
//! very many clients come at once, a file is cut short. Nothing that was acknowledged is lost, and the service goes on.
//!
//! Tests that the machine does not permit are skipped, with the reason printed.

#![cfg(target_os = "linux")]
// What is left out, and the counts, show with --nocapture.
#![allow(clippy::print_stderr)]

mod client;
mod clock;
mod connections;
mod full_disk;
mod lost_file;
