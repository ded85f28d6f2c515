//! Tests files that are truncated while they are mapped.
#![cfg(unix)]

use std::fs::{File, OpenOptions};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use maps::{MapWatch, WatchedMap};

const PAGE: usize = 4096;
/// Larger than a page of any machine.
const LENGTH: usize = 1 << 20;
const CHILD: &str = "MAPS_TEST_LOSES_AN_UNWATCHED_FILE";

fn filled(folder: &Path, name: &str) -> File {
    let path = folder.join(name);
    std::fs::write(&path, vec![7; LENGTH]).unwrap();
    OpenOptions::new().read(true).write(true).open(path).unwrap()
}

#[allow(unsafe_code)]
fn map(watch: &MapWatch, file: &File, name: &str) -> WatchedMap {
    // SAFETY: nobody writes to the file; it is only cut short.
    unsafe { watch.map(file, name) }.unwrap()
}

fn sum(map: &WatchedMap) -> u64 {
    map.as_ref().iter().map(|byte| u64::from(*byte)).sum()
}

#[test]
fn lost_pages_read_as_zeros_and_the_map_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (lost, other) = (filled(folder.path(), "lost"), filled(folder.path(), "other"));
    let (watch, elsewhere) = (MapWatch::default(), MapWatch::default());
    let kept = map(&watch, &other, "kept");
    let first = map(&watch, &lost, "lost");
    let beside = map(&elsewhere, &other, "other");
    assert_eq!(sum(&first), 7 * LENGTH as u64);
    assert_eq!(watch.failed(), None);

    lost.set_len(LENGTH as u64 / 2).unwrap();
    // From several threads at once, as searches do.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(sum(&first), 7 * LENGTH as u64 / 2));
        }
    });
    assert_eq!(watch.failed().as_deref(), Some("lost"));
    assert_eq!(elsewhere.failed(), None);
    assert_eq!((sum(&kept), sum(&beside)), (7 * LENGTH as u64, 7 * LENGTH as u64));
    // The name outlives the map.
    drop((first, kept));
    assert_eq!(watch.failed().as_deref(), Some("lost"));
    assert_eq!(elsewhere.failed(), None);
}

#[test]
fn a_fault_elsewhere_still_ends_the_process() {
    if std::env::var_os(CHILD).is_some() {
        return lose_an_unwatched_file();
    }
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "a_fault_elsewhere_still_ends_the_process"]).env(CHILD, "1");
    let status = child.output().unwrap().status;
    // 7 on Linux, 10 on the BSDs.
    assert!(matches!(status.signal(), Some(7 | 10)), "{status}");
}

#[allow(unsafe_code)]
fn lose_an_unwatched_file() {
    let folder = tempfile::tempdir().unwrap();
    let watched = map(&MapWatch::default(), &filled(folder.path(), "watched"), "watched");
    let file = filled(folder.path(), "unwatched");
    // SAFETY: that the file is lost is what this is about; it ends the process.
    let unwatched = unsafe { memmap2::Mmap::map(&file) }.unwrap();
    file.set_len(0).unwrap();
    eprintln!("{} {}", watched.as_ref()[PAGE], unwatched[PAGE]);
}
