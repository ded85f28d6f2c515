//! Files of vectors, seen from outside the process: they are explained, and read ahead when that is
//! asked for.
#![cfg(target_os = "linux")]

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use testkit::wait_until;

use crate::support::http;
use crate::support::process::{Server, run, sonde};

const LIMIT: Duration = Duration::from_secs(120);
/// More than are compared with one by one.
const DOCUMENTS: usize = 2_600;

#[test]
fn graphs_are_explained_and_read_ahead() {
    let folder = tempfile::tempdir().unwrap();
    let graph = write_graph(folder.path());
    let explained = run(folder.path(), &["inspect", graph.to_str().unwrap()]);
    let explained = String::from_utf8(explained.stdout).unwrap();
    let nodes = format!("nodes: {DOCUMENTS}, {DOCUMENTS} of them alive");
    assert!(explained.contains(&nodes), "{explained}");

    let mut ahead = sonde(folder.path());
    ahead.env("VECTORSTORE_READER_PREFETCH_MEMORY", "true");
    let mut server = start(ahead, folder.path());
    wait_until("the graph is in memory", || {
        mapped(&server, &graph).is_some_and(|(size, resident)| resident == size)
    });
    server.kill();

    // Nobody asks for the index, so nothing of it is read.
    let server = start(sonde(folder.path()), folder.path());
    assert!(mapped(&server, &graph).is_none_or(|(size, resident)| resident < size));
}

fn start(command: Command, folder: &Path) -> Server {
    let mut server = Server::spawn_command(command, folder, &[] as &[&str]);
    server.address().unwrap();
    server
}

/// A database whose only index has a graph of vectors; gives the file of the graph.
fn write_graph(folder: &Path) -> PathBuf {
    let mut server = Server::spawn(folder, &[] as &[&str]);
    let address = server.address().unwrap();
    let settings = json!({"embedders": {"given": {"source": "userProvided", "dimensions": 2}}});
    send(address, "PATCH", "/indexes/points/settings", &settings);
    let place = |id: usize| {
        let angle = id as f64 / DOCUMENTS as f64;
        json!({"id": id, "_vectors": {"given": [angle.cos(), angle.sin()]}})
    };
    let documents: Vec<_> = (0..DOCUMENTS).map(place).collect();
    send(address, "POST", "/indexes/points/documents", &json!(documents));
    let indexes = folder.join("data/indexes");
    let is_named = |manifest: &PathBuf| {
        let bytes = fs::read(manifest).unwrap_or_default();
        bytes.windows(8).any(|part| part == b"\"graph\":")
    };
    wait_until("a graph is written", || find(&indexes, "manifest-").iter().any(is_named));
    server.signal("TERM");
    server.wait(LIMIT).expect("the server ends");
    find(&indexes, ".graph.").pop().expect("there is a graph")
}

fn send(address: SocketAddr, method: &str, path: &str, body: &serde_json::Value) {
    assert_eq!(http::send_json(address, method, path, body).unwrap().status, 202);
}

/// Files of any index that have this in their names.
fn find(indexes: &Path, part: &str) -> Vec<PathBuf> {
    let files = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let all = files(indexes).flat_map(|index| files(&index.path()).collect::<Vec<_>>());
    let is_wanted = |path: &PathBuf| path.to_string_lossy().contains(part);
    all.map(|file| file.path()).filter(is_wanted).collect()
}

/// Returns how much of a file a process has mapped, and how much of that is in memory, in KiB.
fn mapped(server: &Server, file: &Path) -> Option<(u64, u64)> {
    let maps = fs::read_to_string(format!("/proc/{}/smaps", server.id())).ok()?;
    let name = file.file_name()?.to_str()?;
    let mut lines = maps.lines().skip_while(|line| !line.ends_with(name)).skip(1);
    let mut figure = |tag: &str| -> Option<u64> {
        let line = lines.find_map(|line| line.strip_prefix(tag))?;
        line.split_whitespace().next()?.parse().ok()
    };
    Some((figure("Size:")?, figure("Rss:")?))
}
