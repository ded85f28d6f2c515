//! Hostile and damaged archives: refused with the name of the file and the entry, never followed,
//! never a panic.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use tar::{Builder, EntryType, Header};
use tempfile::TempDir;

use crate::{Archive, DumpError, DumpWriter};

struct Attack {
    folder: TempDir,
    tar: Vec<u8>,
}

impl Attack {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), tar: Vec::new() }
    }

    /// An entry whose name is written as it is.
    fn entry(mut self, kind: EntryType, name: &str, declared: u64, data: &[u8]) -> Self {
        let mut header = Header::new_gnu();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(kind);
        header.set_size(declared);
        header.set_mode(0o644);
        header.set_cksum();
        self.tar.extend(header.as_bytes());
        self.tar.extend(data);
        self.tar.resize(self.tar.len().next_multiple_of(512), 0);
        self
    }

    fn file(self, name: &str, data: &[u8]) -> Self {
        self.entry(EntryType::Regular, name, data.len() as u64, data)
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("evil.dump")
    }

    /// Reads the whole archive and returns the result.
    fn refusal(mut self) -> String {
        self.tar.resize(self.tar.len() + 1024, 0);
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(&self.tar).unwrap();
        fs::write(self.path(), gzip.finish().unwrap()).unwrap();
        let error = read_all(&self.path()).expect_err("it is refused").to_string();
        assert!(error.contains("evil.dump"), "{error}");
        // Nothing came of it.
        assert_eq!(fs::read_dir(self.folder.path()).unwrap().count(), 1);
        error
    }
}

type Content = Vec<(String, Vec<u8>)>;

fn read_all(path: &std::path::Path) -> Result<Content, DumpError> {
    let mut archive = Archive::open(path)?;
    let mut content = Vec::new();
    while let Some(head) = archive.next_entry()? {
        let mut bytes = Vec::new();
        archive.copy_to(&mut bytes)?.expect("memory takes everything");
        content.push((head.name, bytes));
    }
    archive.finish()?;
    Ok(content)
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    for (name, expected) in [
        ("../outside", "`../outside` has a name that leads out of the archive"),
        ("a/../../b", "`a/../../b` has a name that leads out of the archive"),
        ("/etc/cron.d/x", "`/etc/cron.d/x` has an absolute name"),
        ("a\\b", "`a\\b` has a name with forbidden characters"),
    ] {
        let refusal = Attack::new().file("metadata.json", b"{}").file(name, b"x").refusal();
        assert!(refusal.contains(expected), "{refusal}");
    }
}

#[test]
fn links_and_devices_are_refused() {
    for (kind, expected) in [
        (EntryType::Symlink, "`way` is a link"),
        (EntryType::Link, "`way` is a link"),
        (EntryType::Block, "`way` is neither a file nor a folder"),
        (EntryType::Fifo, "`way` is neither a file nor a folder"),
        (EntryType::GNUSparse, "`way` is neither a file nor a folder"),
    ] {
        let refusal = Attack::new().entry(kind, "way", 0, b"").refusal();
        assert!(refusal.contains(expected), "{refusal}");
    }
}

#[test]
fn entries_that_come_twice_are_refused() {
    let refusal = Attack::new().file("a.json", b"1").file("./a.json", b"2").refusal();
    assert!(refusal.contains("`a.json` is there twice"), "{refusal}");
}

#[test]
fn lies_about_lengths_are_refused() {
    let long = u64::MAX / 2;
    let refusal = Attack::new().entry(EntryType::Regular, "a.json", long, b"short").refusal();
    assert!(refusal.contains("`a.json`") && refusal.contains("ends too early"), "{refusal}");
    for kind in [EntryType::GNULongName, EntryType::XHeader, EntryType::XGlobalHeader] {
        let refusal = Attack::new().entry(kind, "name", 1 << 30, b"short").refusal();
        assert!(refusal.contains("an extended header is too large"), "{refusal}");
    }
    let refusal = Attack::new().entry(EntryType::XHeader, "x", 9, b"99 path=a").refusal();
    assert!(refusal.contains("an extended header cannot be read"), "{refusal}");
}

#[test]
fn long_names_of_extensions_are_checked_like_others() {
    let refusal = Attack::new()
        .entry(EntryType::XHeader, "x", 19, b"19 path=/etc/passw\n")
        .file("harmless", b"")
        .refusal();
    assert!(refusal.contains("has an absolute name"), "{refusal}");
    let refusal = Attack::new()
        .entry(EntryType::GNULongName, "x", 7, b"../../a")
        .file("harmless", b"")
        .refusal();
    assert!(refusal.contains("leads out of the archive"), "{refusal}");
}

#[test]
fn archives_of_other_tools_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.dump");
    let long = format!("indexes/{}/documents.jsonl", "long-name".repeat(30));
    let mut tar = Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    let mut header = Header::new_gnu();
    header.set_size(0);
    header.set_entry_type(EntryType::Directory);
    header.set_mode(0o755);
    tar.append_data(&mut header, "./indexes", &[][..]).unwrap();
    let mut header = Header::new_gnu();
    header.set_size(3);
    header.set_mode(0o644);
    tar.append_data(&mut header, &long, &b"{}\n"[..]).unwrap();
    tar.append_pax_extensions([("path", &b"./short/name"[..]), ("mtime", &b"1.5"[..])]).unwrap();
    let mut header = Header::new_ustar();
    header.set_size(1);
    header.set_path("placeholder").unwrap();
    header.set_cksum();
    tar.append(&header, &b"x"[..]).unwrap();
    fs::write(&path, tar.into_inner().unwrap().finish().unwrap()).unwrap();
    let expected = vec![(long, b"{}\n".to_vec()), ("short/name".to_owned(), b"x".to_vec())];
    assert_eq!(read_all(&path).unwrap(), expected);
}

#[test]
fn files_that_are_not_archives_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.dump");
    for bytes in [&b""[..], b"hello", b"\x1f\x8b", b"PK\x03\x04aaaaaaaaaaaaaaaaaaaaaaaaaaa"] {
        fs::write(&path, bytes).unwrap();
        let error = read_all(&path).expect_err("it is refused").to_string();
        assert!(error.contains("some.dump"), "{error}");
    }
    let missing = read_all(&folder.path().join("missing.dump")).unwrap_err();
    assert!(missing.as_io().is_some());
}

/// A small dump with a file of each kind.
fn small_dump(folder: &TempDir) -> (PathBuf, Content) {
    let path = folder.path().join("small.dump");
    let mut writer = DumpWriter::create(&path, 1).unwrap();
    writer.json("metadata.json", &json!({"a": "b"})).unwrap();
    let mut lines = writer.lines("tasks");
    for number in 0..40 {
        lines
            .add(&json!({"uid": number, "text": format!("task number {}", number * 7919)}))
            .unwrap();
    }
    lines.finish().unwrap();
    writer.bytes("payloads/3", b"some bytes").unwrap();
    writer.lines("nothing").finish().unwrap();
    assert!(!path.exists());
    assert_eq!(writer.finish().unwrap(), fs::metadata(&path).unwrap().len());
    let content = read_all(&path).unwrap();
    (path, content)
}

#[test]
fn written_dumps_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let (path, content) = small_dump(&folder);
    let names: Vec<&str> = content.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["metadata.json", "tasks-0.ndjson", "payloads/3"]);
    let mut archive = Archive::open(&path).unwrap();
    archive.next_entry().unwrap();
    assert_eq!(archive.json::<Value>().unwrap(), json!({"a": "b"}));
    archive.next_entry().unwrap();
    let mut uids = Vec::new();
    let read: Result<(), DumpError> = archive.for_each_json(|line: Value| {
        uids.push(line["uid"].as_u64().unwrap());
        Ok(())
    });
    read.unwrap();
    assert_eq!(uids, (0..40).collect::<Vec<_>>());
    assert_eq!(archive.next_entry().unwrap().unwrap().bytes, 10);
    // Passing over what is not wanted is fine too.
    archive.finish().unwrap();
    // What is not finished leaves nothing behind.
    drop(DumpWriter::create(&folder.path().join("other.dump"), 1).unwrap());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn every_cut_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = small_dump(&folder);
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        assert!(read_all(&path).is_err(), "cut to {length} of {} bytes", whole.len());
    }
    let mut longer = whole.clone();
    longer.push(0);
    fs::write(&path, &longer).unwrap();
    assert!(read_all(&path).unwrap_err().to_string().contains("after its end"));
}

#[test]
fn every_flipped_bit_is_noticed_or_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (path, content) = small_dump(&folder);
    let whole = fs::read(&path).unwrap();
    for place in 0..whole.len() {
        for bit in 0..8 {
            let mut damaged = whole.clone();
            damaged[place] ^= 1 << bit;
            fs::write(&path, &damaged).unwrap();
            // Some bits mean nothing: the date in the header, codes of bytes that do not occur.
            if let Ok(read) = read_all(&path) {
                assert!(read == content, "bit {bit} of byte {place}");
            }
        }
    }
}
