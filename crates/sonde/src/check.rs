//! The commands that look at a database while no server uses it.

use std::io::Write;
use std::path::Path;

use anyhow::{anyhow, bail};

use crate::EXIT_FAILURE;

/// Reads everything; names what is damaged.
pub fn verify(db_path: &Path) -> anyhow::Result<u8> {
    if !db_path.exists() {
        bail!("there is no database at `{}`", db_path.display());
    }
    let report = engine::check::verify(db_path)?;
    let mut out = std::io::stdout().lock();
    for problem in &report.problems {
        writeln!(out, "damaged: {}: {}", problem.file, problem.what)?;
    }
    let indexes = match report.indexes {
        1 => "1 index".to_owned(),
        many => format!("{many} indexes"),
    };
    let verdict = match report.problems.len() {
        0 => "everything is whole".to_owned(),
        1 => "1 problem".to_owned(),
        many => format!("{many} problems"),
    };
    writeln!(out, "{}: meta.redb and {indexes} read: {verdict}", db_path.display())?;
    Ok(if report.problems.is_empty() { 0 } else { EXIT_FAILURE })
}

/// Explains a file or folder for people.
pub fn inspect(path: &Path) -> anyhow::Result<u8> {
    let explanation = engine::check::inspect(path).map_err(|error| anyhow!(error))?;
    writeln!(std::io::stdout().lock(), "{}", explanation.trim_end())?;
    Ok(0)
}
