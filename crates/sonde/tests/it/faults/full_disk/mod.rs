//! A disk that gets full under a server, and gets room again: writes are refused or fail with a code
//! that says so, searches go on, and what was acknowledged is there.

mod imports;
mod small_disk;
mod writes;

use std::time::Duration;

use small_disk::SmallDisk;
use testkit::skip;

use crate::support::process::{Server, run_command};

const MIB: u64 = 1 << 20;
const NO_ROOM: &str = "no_space_left_on_device";

/// `None` where no file system can be mounted.
fn mounted(bytes: u64) -> Option<SmallDisk> {
    SmallDisk::mount(bytes)
        .inspect_err(|reason| skip(format!("no file system can be mounted here: {reason}")))
        .ok()
}

/// The server ends in order, and everything it leaves on the disk can be read.
fn stop_and_verify(mut server: Server, disk: &SmallDisk) {
    let printed = server.printed();
    assert!(!printed.contains("panicked"), "{printed}");
    server.signal("TERM");
    server.wait(Duration::from_secs(60)).expect("the server ends");
    let verified = run_command(disk.command().args(["verify", "--db-path", "data"]));
    let printed = [verified.stdout, verified.stderr].concat();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&printed));
}
