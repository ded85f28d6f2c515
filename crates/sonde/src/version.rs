//! Version of the package, and the commit it was built from if the build script could determine it.

pub const PACKAGE: &str = env!("CARGO_PKG_VERSION");
pub const COMMIT_SHA: &str = env!("BUILD_COMMIT_SHA");
pub const COMMIT_DATE: &str = env!("BUILD_COMMIT_DATE");

/// Returns what `--version` prints after the name.
pub fn long() -> String {
    format!("{PACKAGE}\ncommit {COMMIT_SHA}, {COMMIT_DATE}")
}
