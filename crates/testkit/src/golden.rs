//! Folders of golden files, numbered from 1 in the order in which builds wrote them. `UPDATE_GOLDEN` asks a
//! test to add one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The numbered folders under `root`, the oldest first.
pub fn folders(root: &Path) -> Vec<(u32, PathBuf)> {
    let entries = fs::read_dir(root).into_iter().flatten().flatten().map(|entry| entry.path());
    let number = |path: &Path| path.file_name()?.to_str()?.parse().ok();
    let mut folders: Vec<_> = entries.filter_map(|path| Some((number(&path)?, path))).collect();
    folders.sort();
    folders
}

/// Creates the folder that follows the newest.
pub fn new_folder(root: &Path) -> io::Result<PathBuf> {
    let number = folders(root).last().map_or(1, |(number, _)| number + 1);
    let folder = root.join(number.to_string());
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Returns true if the run adds golden files that differ.
pub fn is_update() -> bool {
    std::env::var_os("UPDATE_GOLDEN").is_some()
}
