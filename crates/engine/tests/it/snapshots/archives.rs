//! Archives that are damaged, or made to do harm: refused, with the file named, and nothing left.

use std::fs;
use std::io::Write;
use std::path::Path;

use engine::{Engine, EngineOptions};
use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};
use tasks::Method;

use crate::snapshots::{import, snapshot_of, take};
use crate::support::Instance;

/// Refused with the name of the file, and the folder is gone.
fn is_refused(bytes: &[u8], folder: &Path) -> Option<String> {
    let (file, path) = (folder.join("bad.snapshot"), folder.join("data"));
    fs::write(&file, bytes).unwrap();
    match import(&file, &path) {
        Ok(_) => None,
        Err(error) => {
            assert!(!path.exists(), "something is left after: {error}");
            let message = error.to_string();
            assert!(message.contains("bad.snapshot"), "{message}");
            Some(message)
        }
    }
}

#[test]
fn cuts_and_flips_are_refused_or_change_nothing() {
    let instance = Instance::new();
    let documents: Vec<String> =
        (0..200).map(|id| format!(r#"{{"id":{id},"text":"number {id}"}}"#)).collect();
    let json = format!("[{}]", documents.join(","));
    instance.wait(&instance.add("books", Method::Replace, &json));
    take(&instance);
    let whole = fs::read(snapshot_of(&instance)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let step = (whole.len() / 60).max(1);
    for end in (0..whole.len()).step_by(step).chain(whole.len() - 12..whole.len()) {
        assert!(is_refused(&whole[..end], folder.path()).is_some(), "cut to {end}");
    }
    let mut unharmed = 0;
    for place in (0..whole.len()).step_by(step).chain(0..12).chain(whole.len() - 9..whole.len()) {
        let mut flipped = whole.clone();
        flipped[place] ^= 1 << (place % 8);
        if is_refused(&flipped, folder.path()).is_some() {
            continue;
        }
        // Of the head of the file some bytes mean nothing.
        unharmed += 1;
        let path = folder.path().join("data");
        assert!(engine::check::verify(&path).unwrap().problems.is_empty(), "flip at {place}");
        let engine = Engine::open(EngineOptions::new(&path)).unwrap();
        let stats = engine.index_stats("books").unwrap();
        assert_eq!(stats.number_of_documents, 200);
        drop(engine);
        fs::remove_dir_all(path).unwrap();
    }
    assert!(unharmed < 15, "{unharmed} flips went unnoticed");
}

fn packed(write: impl FnOnce(&mut Builder<GzEncoder<Vec<u8>>>)) -> Vec<u8> {
    let mut tar = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    write(&mut tar);
    tar.into_inner().unwrap().finish().unwrap()
}

/// An entry as the library would not write it.
fn entry(name: &str, kind: EntryType, content: &[u8]) -> (Header, Vec<u8>) {
    let mut header = Header::new_gnu();
    header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
    header.set_entry_type(kind);
    header.set_size(content.len() as u64);
    header.set_cksum();
    (header, content.to_vec())
}

#[test]
fn only_files_of_a_snapshot_are_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let id = "0190f3a2-7b1c-4d2e-8f3a-4b5c6d7e8f90";
    let outside = folder.path().join("outside");
    let cases = [
        entry("../outside", EntryType::Regular, b"x"),
        entry(outside.to_str().unwrap(), EntryType::Regular, b"x"),
        entry("indexes/../../outside", EntryType::Regular, b"x"),
        entry(&format!("indexes/{id}/../../../outside"), EntryType::Regular, b"x"),
        entry("notes.txt", EntryType::Regular, b"x"),
        entry("payloads/notes", EntryType::Regular, b"x"),
        entry("VERSION", EntryType::Symlink, b""),
        entry("meta.redb", EntryType::Link, b""),
        entry("meta.redb", EntryType::Fifo, b""),
        entry("meta.redb", EntryType::GNUSparse, b""),
    ];
    for (header, content) in &cases {
        let bytes = packed(|tar| tar.append(header, content.as_slice()).unwrap());
        let why = is_refused(&bytes, folder.path()).expect("refused");
        assert!(!outside.exists(), "{why}");
    }
    let (header, content) = entry("VERSION", EntryType::Regular, b"1\n");
    let twice = packed(|tar| {
        for _ in 0..2 {
            tar.append(&header, content.as_slice()).unwrap();
        }
    });
    assert!(is_refused(&twice, folder.path()).unwrap().contains("twice"));
    let alone = packed(|tar| tar.append(&header, content.as_slice()).unwrap());
    let why = is_refused(&alone, folder.path()).unwrap();
    assert!(why.contains("holds no meta.redb"), "{why}");
    assert!(is_refused(b"not an archive", folder.path()).is_some());
    assert!(is_refused(b"", folder.path()).is_some());
}

#[test]
fn a_snapshot_of_another_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = packed(|tar| {
        for (name, content) in [("VERSION", &b"7\n"[..]), ("meta.redb", b"x")] {
            let (header, content) = entry(name, EntryType::Regular, content);
            tar.append(&header, content.as_slice()).unwrap();
        }
    });
    let why = is_refused(&bytes, folder.path()).unwrap();
    assert!(why.contains("format version 7"), "{why}");
}

#[test]
fn a_bomb_is_refused_before_it_fills_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    // Announces a terabyte.
    let mut header = Header::new_gnu();
    header.set_path("meta.redb").unwrap();
    header.set_entry_type(EntryType::Regular);
    header.set_size(1 << 40);
    header.set_cksum();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(header.as_bytes()).unwrap();
    gzip.write_all(&[0; 1 << 16]).unwrap();
    let why = is_refused(&gzip.finish().unwrap(), folder.path()).unwrap();
    assert!(why.contains("far more"), "{why}");
}
