//! Small state files that let a later command resume. They live in the state folder of the user.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;

const PRODUCT: &str = "sonde";

#[derive(Debug, Clone)]
pub(crate) struct StateFile {
    path: PathBuf,
}

impl StateFile {
    /// Returns `None` if the system has no folder for state.
    pub(crate) fn new(kind: &str, name: u64) -> Option<Self> {
        let path = folder()?.join(PRODUCT).join(kind).join(format!("{name:016x}.json"));
        Some(Self { path })
    }

    /// Reads what was written last; `None` if the file is missing or unreadable.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_slice(&fs::read(&self.path).ok()?).ok()
    }

    pub(crate) fn write<T: Serialize>(&self, value: &T) -> io::Result<()> {
        self.replace(&serde_json::to_vec(value)?)
    }

    /// Reads the appended values, up to an incomplete or invalid line.
    pub(crate) fn read_lines<T: DeserializeOwned>(&self) -> Vec<T> {
        let bytes = fs::read(&self.path).unwrap_or_default();
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let whole = lines.map_while(|line| line.strip_suffix(b"\n"));
        whole.map_while(|line| serde_json::from_slice(line).ok()).collect()
    }

    pub(crate) fn write_lines<T: Serialize>(&self, values: &[T]) -> io::Result<()> {
        let mut bytes = Vec::new();
        for value in values {
            write_line(value, &mut bytes)?;
        }
        self.replace(&bytes)
    }

    /// Appends a line to a file created by `write_lines`.
    pub(crate) fn append<T: Serialize>(&self, value: &T) -> io::Result<()> {
        let mut bytes = Vec::new();
        write_line(value, &mut bytes)?;
        OpenOptions::new().append(true).open(&self.path)?.write_all(&bytes)
    }

    /// Replaces the file atomically by renaming.
    fn replace(&self, bytes: &[u8]) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let new = self.path.with_extension("new");
        fs::write(&new, bytes)?;
        fs::rename(&new, &self.path)
    }

    pub(crate) fn remove(&self) {
        // A leftover file does no harm: documents sent twice are stored once.
        let _ = fs::remove_file(&self.path);
    }
}

fn write_line<T: Serialize>(value: &T, out: &mut Vec<u8>) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.push(b'\n');
    Ok(())
}

fn folder() -> Option<PathBuf> {
    let named = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if cfg!(windows) {
        return named("LOCALAPPDATA");
    }
    if let Some(folder) = named("XDG_STATE_HOME") {
        return Some(folder);
    }
    let home = named("HOME")?;
    Some(home.join(if cfg!(target_os = "macos") {
        "Library/Application Support"
    } else {
        ".local/state"
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_up_to_one_that_was_not_finished() {
        let folder = tempfile::tempdir().unwrap();
        let file = StateFile { path: folder.path().join("a/b.json") };
        assert!(file.read_lines::<u32>().is_empty());
        file.write_lines(&[1, 2]).unwrap();
        file.append(&3).unwrap();
        assert_eq!(file.read_lines::<u32>(), [1, 2, 3]);
        OpenOptions::new().append(true).open(&file.path).unwrap().write_all(b"45").unwrap();
        assert_eq!(file.read_lines::<u32>(), [1, 2, 3]);
        file.remove();
        assert!(file.append(&4).is_err());
    }
}
