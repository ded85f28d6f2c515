//! Tells the program which commit it is built from. Without git, or outside a checkout of this
//! project (a source archive, perhaps unpacked inside another repository), both facts are
//! "unknown" and the build goes on.

use std::path::Path;
use std::process::Command;

// The names do not begin with SONDE_: cargo hands them on to programs it runs, which would take
// them for misspelt options.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let commit = if is_own_checkout() { head_commit() } else { None };
    let (sha, date) = commit.unwrap_or(("unknown".to_owned(), "unknown".to_owned()));
    println!("cargo::rustc-env=BUILD_COMMIT_SHA={sha}");
    println!("cargo::rustc-env=BUILD_COMMIT_DATE={date}");
}

fn is_own_checkout() -> bool {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let same = |top_level: String| {
        Some(Path::new(&top_level).canonicalize().ok()? == workspace.canonicalize().ok()?)
    };
    git(&["rev-parse", "--show-toplevel"]).and_then(same).unwrap_or(false)
}

fn head_commit() -> Option<(String, String)> {
    watch_head();
    let sha = git(&["rev-parse", "HEAD"])?;
    let date = git(&["log", "-1", "--format=%cI"])?;
    Some((sha, date))
}

/// The commit changes when HEAD, the branch it names or the packed branches do. Only files that
/// exist are named: a missing one would make every build run this script again.
fn watch_head() {
    for name in ["HEAD", "refs/heads", "packed-refs"] {
        if let Some(path) = git(&["rev-parse", "--git-path", name])
            && Path::new(&path).exists()
        {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
