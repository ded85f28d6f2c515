//! Dumps of this program and of Meilisearch: imported into a folder, or refused without a trace.
//! What is imported must start; nothing may be written beside the folder.
//!
//! The first byte says what follows: `r` the file as it is, `t` the tar archive inside of it, and
//! anything else its entries, each with a line `== name` before it, so that changes get past
//! compression, lengths and checksums.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use engine::dumps::import_dump;
use engine::{Engine, EngineOptions, Import};
use flate2::Compression;
use flate2::write::GzEncoder;
use tar::Header;

/// Holds the archive, and the data folder while there is one.
static PLACE: LazyLock<PathBuf> = LazyLock::new(|| {
    let place = std::env::temp_dir().join(format!("sonde-fuzz-dump-{}", std::process::id()));
    fs::create_dir_all(&place).expect("a folder");
    place
});

/// Fails where the target would.
pub fn run(input: &[u8]) {
    let archive = match input {
        [b'r', file @ ..] => file.to_vec(),
        [b't', tar @ ..] => gzip(tar),
        entries => gzip(&tar(entries)),
    };
    let file = PLACE.join("some.dump");
    fs::write(&file, archive).expect("room");
    let data = PLACE.join("data");
    let options = EngineOptions { max_batched_tasks: 0, ..EngineOptions::new(&data) };
    let import = Import { file, ignore_missing: false, ignore_if_db_exists: false };
    match import_dump(&import, &options) {
        Ok(_) => {
            drop(Engine::open(options).expect("what was imported starts"));
            fs::remove_dir_all(&data).expect("a folder");
        }
        Err(error) => drop(error.to_string()),
    }
    assert_eq!(names(&PLACE), ["some.dump"]);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::none());
    gzip.write_all(bytes).expect("memory");
    gzip.finish().expect("memory")
}

fn tar(entries: &[u8]) -> Vec<u8> {
    let mut tar = Vec::new();
    let mut rest = entries.strip_prefix(b"== ").unwrap_or(entries);
    while !rest.is_empty() {
        let end = find(rest, b"\n== ");
        let entry = &rest[..end.unwrap_or(rest.len())];
        rest = end.map_or(&[], |end| &rest[end + 4..]);
        let (name, data) = match find(entry, b"\n") {
            Some(end) => (&entry[..end], &entry[end + 1..]),
            None => (entry, &[][..]),
        };
        let mut header = Header::new_gnu();
        let name = &name[..name.len().min(100)];
        header.as_old_mut().name[..name.len()].copy_from_slice(name);
        header.set_size(data.len() as u64);
        header.set_mode(0o600);
        header.set_cksum();
        tar.extend(header.as_bytes());
        tar.extend(data);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar.resize(tar.len() + 1024, 0);
    tar
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
