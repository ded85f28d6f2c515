//! The commands that inspect a database that no server is using.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};

use crate::{EXIT_FAILURE, manual};

/// Reads the whole database and names damaged files.
pub fn verify(db_path: &Path) -> anyhow::Result<u8> {
    if !db_path.exists() {
        bail!("there is no database at `{}`", db_path.display());
    }
    // Panics are part of the report.
    std::panic::set_hook(Box::new(|_| {}));
    let report = engine::check::verify(db_path)?;
    let mut out = std::io::stdout().lock();
    for problem in &report.problems {
        writeln!(out, "damaged: {}: {}", problem.file, problem.what)?;
    }
    for leftover in &report.leftovers {
        writeln!(out, "left over: {leftover}: removed at the next start")?;
    }
    let indexes = match report.indexes {
        1 => "1 index".to_owned(),
        many => format!("{many} indexes"),
    };
    let verdict = match report.problems.len() {
        0 => "no damage found".to_owned(),
        1 => "1 problem".to_owned(),
        many => format!("{many} problems"),
    };
    writeln!(out, "{}: meta.redb and {indexes} read: {verdict}", db_path.display())?;
    Ok(if report.problems.is_empty() { 0 } else { EXIT_FAILURE })
}

/// Prints a readable description of files and folders.
pub fn inspect(paths: &[PathBuf]) -> anyhow::Result<u8> {
    let mut text = String::new();
    for path in paths {
        let explanation = engine::check::inspect(path).map_err(|error| anyhow!(error))?;
        if paths.len() > 1 {
            text += &format!("== {}\n\n", path.display());
        }
        text += explanation.trim_end();
        text += "\n\n";
    }
    manual::print(format!("{}\n", text.trim_end()).as_bytes())
}
