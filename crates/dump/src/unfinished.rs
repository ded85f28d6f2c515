//! Removes unfinished dumps, which a killed process leaves behind. Another instance may use the
//! same dump folder, so a file is removed only if nobody holds its lock.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Suffix of a dump until it is complete.
pub(crate) const ENDING: &str = ".part";

/// Removes unfinished dumps in this folder and returns their number.
pub fn remove_unfinished(folder: &Path) -> io::Result<u64> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    let mut removed = 0;
    for entry in entries {
        let entry = entry?;
        let is_unfinished = entry.file_name().to_str().is_some_and(is_unfinished);
        if !is_unfinished || !entry.file_type()?.is_file() {
            continue;
        }
        // The lock is held while it is removed.
        let file = File::open(entry.path())?;
        if file.try_lock().is_ok() {
            fs::remove_file(entry.path())?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// Returns whether this is a name such as `20220621-161029217.dump.part`; other files are not ours.
fn is_unfinished(name: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let uid = name.strip_suffix(ENDING).and_then(|name| name.strip_suffix(".dump"));
    uid.and_then(|uid| uid.split_once('-')).is_some_and(|(date, time)| {
        date.len() >= 8 && time.len() == 9 && digits(date) && digits(time)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DumpWriter;

    #[test]
    fn only_drafts_that_nobody_writes_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(remove_unfinished(&folder.path().join("missing")).unwrap(), 0);
        let kept = [
            "20220621-161029217.dump",
            "20220621-161029217.part",
            "mine.dump.part",
            "notes-123456789.dump.part",
        ];
        for name in kept {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        fs::create_dir(folder.path().join("20220621-161029218.dump.part")).unwrap();
        fs::write(folder.path().join("20220621-161029219.dump.part"), "x").unwrap();
        let writing =
            DumpWriter::create(&folder.path().join("20220621-161029220.dump"), 1).unwrap();
        assert_eq!(remove_unfinished(folder.path()).unwrap(), 1);
        let count = || fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(count(), kept.len() + 2);
        drop(writing);
        assert_eq!(count(), kept.len() + 1);
    }
}
