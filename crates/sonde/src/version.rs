//! Which program this is: the version of the package, and the commit it was built from when the
//! build script could find out.

pub const PACKAGE: &str = env!("CARGO_PKG_VERSION");
pub const COMMIT_SHA: &str = env!("BUILD_COMMIT_SHA");
pub const COMMIT_DATE: &str = env!("BUILD_COMMIT_DATE");

/// What `--version` prints behind the name.
pub fn long() -> String {
    format!("{PACKAGE}\ncommit {COMMIT_SHA}, {COMMIT_DATE}")
}
