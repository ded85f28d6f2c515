//! The Python packages that the runs need, in an environment of their own in `bench/data/python`:
//! a peer (bm25s) and a list of real misspellings (the dictionary of codespell).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

const PACKAGES: [&str; 2] = ["bm25s==0.3.16", "codespell==2.4.3"];
/// Written last: without it the environment is made again.
const COMPLETE: &str = "complete";

/// An environment that holds [`PACKAGES`].
pub struct Python {
    folder: PathBuf,
}

impl Python {
    /// Makes the environment where it is missing.
    pub fn prepare(data: &Path) -> Result<Self> {
        let folder = data.join("python");
        let wanted = PACKAGES.join("\n");
        let python = Python { folder };
        if fs::read_to_string(python.folder.join(COMPLETE)).is_ok_and(|have| have == wanted) {
            return Ok(python);
        }
        println!("installing {}", PACKAGES.join(", "));
        succeed(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&python.folder))?;
        succeed(
            Command::new(python.interpreter())
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
                .args(PACKAGES),
        )?;
        fs::write(python.folder.join(COMPLETE), wanted)?;
        Ok(python)
    }

    pub fn interpreter(&self) -> PathBuf {
        self.folder.join("bin").join("python3")
    }

    /// The text of a file of an installed package.
    pub fn read(&self, path: &str) -> Result<String> {
        for version in fs::read_dir(self.folder.join("lib"))? {
            let file = version?.path().join("site-packages").join(path);
            if file.exists() {
                return Ok(fs::read_to_string(file)?);
            }
        }
        anyhow::bail!("no installed Python package holds {path}")
    }
}

fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("starting {command:?}"))?;
    ensure!(status.success(), "{command:?} failed");
    Ok(())
}
