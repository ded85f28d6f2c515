//! The data folder is for its owner alone.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::harness::{Setup, TestServer, change_settings};

fn all_below(folder: &Path, found: &mut Vec<PathBuf>) {
    found.push(folder.to_owned());
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all_below(&path, found),
            false => found.push(path),
        }
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn data_folder_is_readable_by_its_owner_only() {
    let server = TestServer::start(Setup::default());
    let embedders = json!({"e": {"source": "userProvided", "dimensions": 2}});
    let settings = json!({"embedders": embedders, "filterableAttributes": ["t"]});
    change_settings(&server, "books", settings);
    // Large enough for a file of its own.
    let document =
        |n: u32| json!({"id": n, "t": format!("{n}").repeat(2000), "_vectors": {"e": [0.1, 0.2]}});
    let documents: Vec<Value> = (0..200).map(document).collect();
    server.with_documents("books", json!(documents));
    let folder = server.into_folder();
    let data = folder.path().join("data");
    let check = || {
        let mut found = Vec::new();
        all_below(&data, &mut found);
        assert!(found.len() > 8, "{found:?}");
        for path in &found {
            let expected = if path.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode(path), expected, "{}", path.display());
        }
    };
    check();
    // A folder of an older version is closed when it is opened.
    fs::set_permissions(&data, fs::Permissions::from_mode(0o755)).unwrap();
    let server = TestServer::start(Setup { folder: Some(folder), ..Setup::default() });
    assert_eq!(mode(&data), 0o700);
    drop(server);
}
