//! Tests of every directory's contract, of crashes, and of injected faults.

use std::io::{self, Write};

use super::*;

fn put(directory: &dyn Directory, name: &str, bytes: &[u8]) {
    let mut file = directory.create(name).unwrap();
    file.write_all(bytes).unwrap();
    file.sync().unwrap();
}

fn names(directory: &dyn Directory) -> Vec<String> {
    let files = directory.list().unwrap();
    files.into_iter().map(|(name, _)| name).collect()
}

fn kind(error: &SegmentError) -> Option<io::ErrorKind> {
    match error {
        SegmentError::Io { source, .. } => Some(source.kind()),
        _ => None,
    }
}

fn keeps_its_promises(directory: &dyn Directory) {
    put(directory, "b", b"bytes");
    put(directory, "a", b"");
    assert_eq!(directory.list().unwrap(), [("a".to_owned(), 0), ("b".to_owned(), 5)]);
    assert_eq!(&*directory.open("b").unwrap(), b"bytes");
    assert_eq!(&*directory.open("a").unwrap(), b"");

    let error = directory.create("b").err().unwrap();
    assert_eq!(kind(&error), Some(io::ErrorKind::AlreadyExists));
    let error = directory.rename("a", "b").unwrap_err();
    assert_eq!(kind(&error), Some(io::ErrorKind::AlreadyExists));
    assert!(directory.open("c").unwrap_err().is_not_found());
    assert!(directory.rename("c", "d").unwrap_err().is_not_found());
    assert!(directory.delete("c").unwrap_err().is_not_found());

    let held = directory.open("b").unwrap();
    directory.rename("b", "c").unwrap();
    directory.delete("c").unwrap();
    directory.sync().unwrap();
    assert_eq!(names(directory), ["a"]);
    assert_eq!(&*held, b"bytes", "an open file outlives its name");

    for bad in ["", ".", "..", "x/y", "/x", "x\\y", ".hidden", "é", "a b", &"n".repeat(256)] {
        let is_bad = |error: SegmentError| matches!(error, SegmentError::BadName { .. });
        assert!(is_bad(directory.create(bad).err().unwrap()), "{bad}");
        assert!(is_bad(directory.open(bad).unwrap_err()), "{bad}");
        assert!(is_bad(directory.rename("a", bad).unwrap_err()), "{bad}");
        assert!(is_bad(directory.delete(bad).unwrap_err()), "{bad}");
    }
}

#[test]
fn a_folder_on_disk_keeps_its_promises() {
    let folder = tempfile::tempdir().unwrap();
    keeps_its_promises(&DiskDirectory::new(folder.path()).unwrap());
}

#[test]
fn a_folder_in_memory_keeps_its_promises() {
    keeps_its_promises(&MemoryDirectory::new());
    keeps_its_promises(&FaultDirectory::new(Arc::new(MemoryDirectory::new())));
}

#[test]
fn only_files_with_our_kind_of_name_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let directory = DiskDirectory::new(folder.path().join("deep/er")).unwrap();
    std::fs::create_dir(directory.folder().join("inner")).unwrap();
    std::fs::write(directory.folder().join(".swap"), "x").unwrap();
    put(&directory, "1.documents.1", b"x");
    assert_eq!(names(&directory), ["1.documents.1"]);
    let error = directory.open("inner").unwrap_err();
    assert_eq!(kind(&error), Some(io::ErrorKind::InvalidInput));
}

#[test]
fn parts_of_a_file_stay_inside_it() {
    let bytes = FileBytes::from(b"0123456789".to_vec());
    let part = bytes.slice(2..5).unwrap();
    drop(bytes);
    assert_eq!(&*part, b"234");
    assert_eq!(part.slice(1..4), None);
    #[allow(clippy::reversed_empty_ranges)]
    let reversed = part.slice(2..1);
    assert_eq!(reversed, None);
}

#[test]
fn a_crash_takes_what_was_not_synced() {
    let directory = MemoryDirectory::new();
    put(&directory, "kept", b"old");
    put(&directory, "deleted-later", b"back");
    let mut half = directory.create("half").unwrap();
    half.write_all(b"synced").unwrap();
    half.sync().unwrap();
    half.write_all(b" not synced").unwrap();
    directory.sync().unwrap();
    put(&directory, "new", b"bytes are safe, the name is not");
    directory.rename("kept", "renamed").unwrap();
    directory.delete("deleted-later").unwrap();

    let after = directory.crash();
    assert_eq!(names(&after), ["deleted-later", "half", "kept"]);
    assert_eq!(&*after.open("half").unwrap(), b"synced");
    assert_eq!(names(&directory), ["half", "new", "renamed"], "untouched");

    directory.sync().unwrap();
    assert_eq!(names(&directory.crash()), ["half", "new", "renamed"]);
}

#[test]
fn a_crash_with_a_seed_leaves_anything_that_could_be_left() {
    let directory = MemoryDirectory::new();
    let mut file = directory.create("torn").unwrap();
    file.write_all(b"0123").unwrap();
    file.sync().unwrap();
    file.write_all(b"456789").unwrap();
    put(&directory, "old", b"x");
    directory.sync().unwrap();
    directory.rename("old", "new").unwrap();
    directory.delete("torn").unwrap();

    let mut lengths = std::collections::BTreeSet::new();
    let mut outcomes = std::collections::BTreeSet::new();
    for seed in 0..200 {
        let after = directory.crash_with_seed(seed);
        assert_eq!(names(&after), names(&directory.crash_with_seed(seed)));
        if let Ok(bytes) = after.open("torn") {
            assert!(b"0123456789".starts_with(&bytes) && bytes.len() >= 4);
            lengths.insert(bytes.len());
        }
        outcomes.insert(names(&after));
    }
    assert_eq!(lengths.len(), 7, "4 to 10 bytes");
    assert_eq!(outcomes.len(), 4, "both changes, either, none");
}

#[test]
fn the_chosen_operation_fails_in_the_chosen_way() {
    let write = |directory: &FaultDirectory<MemoryDirectory>| -> Result<()> {
        let mut file = directory.create("x")?;
        file.write_all(b"12345678").map_err(|source| SegmentError::io("x", source))?;
        file.sync()?;
        directory.rename("x", "y")?;
        directory.sync()
    };
    let directory = FaultDirectory::new(MemoryDirectory::new());
    write(&directory).unwrap();
    assert_eq!(directory.operations(), 5);
    assert!(!directory.has_fired());

    for number in 0..5 {
        let fault = InjectedFault::at(number, Effect::Refused);
        let directory = FaultDirectory::with_fault(MemoryDirectory::new(), fault);
        assert!(write(&directory).is_err(), "operation {number}");
        assert!(directory.has_fired());
        assert_eq!(directory.operations(), number + 1);
    }
}

#[test]
fn faults_differ_in_what_is_done() {
    let attempt = |fault: InjectedFault| {
        let directory = FaultDirectory::with_fault(MemoryDirectory::new(), fault);
        let mut file = directory.create("x").unwrap();
        let outcome = file.write_all(b"12345678");
        let bytes = directory.open("x").unwrap().to_vec();
        (outcome.map_err(|error| SegmentError::io("x", error)), bytes)
    };
    let at_write = |effect| InjectedFault::at(0, effect).only(Operation::Write);

    let (outcome, bytes) = attempt(at_write(Effect::ShortWrite));
    assert!(outcome.is_err());
    assert_eq!(bytes, b"1234");
    let (outcome, bytes) = attempt(at_write(Effect::OutOfSpace));
    assert!(outcome.unwrap_err().is_out_of_space());
    assert_eq!(bytes, b"");
    let (outcome, bytes) = attempt(at_write(Effect::DoneYetReported));
    assert!(!outcome.unwrap_err().is_out_of_space());
    assert_eq!(bytes, b"12345678");
}

#[test]
fn a_disk_can_go_away_for_good() {
    let directory = FaultDirectory::new(MemoryDirectory::new());
    put(&directory, "x", b"1");
    directory.set_fault(Some(InjectedFault::at(1, Effect::Refused).for_good()));
    directory.sync().unwrap();
    assert!(directory.sync().is_err());
    assert!(directory.sync().is_err());
    assert!(directory.delete("x").is_err());
    assert_eq!(&*directory.open("x").unwrap(), b"1", "reading still works");
    assert_eq!(directory.log().last(), Some(&(Operation::Delete, "x".to_owned())));
    directory.set_fault(None);
    directory.delete("x").unwrap();
}
