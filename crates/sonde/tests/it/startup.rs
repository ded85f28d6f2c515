//! Starting and ending, seen from outside the process: what is printed, what is refused, and
//! with which exit code.

use std::fs;
use std::io::{BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use testkit::{wait_for, wait_until};

use crate::support::http;
use crate::support::process::{Server, run, run_command, sonde};
use crate::support::tasks::succeeded;

const END_LIMIT: Duration = Duration::from_secs(60);

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn printed(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn exit_code_after(signal: &str) -> Option<i32> {
    let folder = folder();
    let mut server = Server::spawn(folder.path(), &[] as &[&str]);
    server.address().unwrap();
    server.signal(signal);
    server.wait(END_LIMIT).expect("the server ends").code()
}

/// A database with one index of a few documents, written by a server that has ended.
fn small_database(folder: &Path) {
    let mut server = Server::spawn(folder, &[] as &[&str]);
    let address = server.address().unwrap();
    let documents: Vec<_> =
        (0..50).map(|id| json!({"id": id, "title": format!("t {id}")})).collect();
    let answer = http::send_json(address, "POST", "/indexes/books/documents", &json!(documents));
    succeeded(address, &answer.unwrap().json());
    server.signal("TERM");
    server.wait(END_LIMIT).expect("the server ends");
}

#[test]
fn help_is_grouped_and_version_names_the_package() {
    let folder = folder();
    let (code, out, _) = printed(&run(folder.path(), &["--help"]));
    assert_eq!(code, Some(0));
    for part in ["Usage: sonde", "General:", "Indexing:", "--db-path <PATH>", "SONDE_DB_PATH"] {
        assert!(out.contains(part), "{part} is not in\n{out}");
    }
    let not_yet = out.find("Not available in this version yet:").unwrap();
    assert!(out.find("--experimental-replication-parameters").unwrap() > not_yet);
    let without_effect = out.find("Accepted but ignored (compatibility):").unwrap();
    assert!(out.find("--upgrade-db").unwrap() > without_effect);
    assert!(out.find("--master-key").unwrap() < not_yet);
    assert!(out.find("--max-indexing-memory").unwrap() < not_yet);

    let (code, out, _) = printed(&run(folder.path(), &["-h"]));
    assert_eq!(code, Some(0));
    assert!(out.contains("--master-key") && !out.contains("--upgrade-db"));

    let (code, out, _) = printed(&run(folder.path(), &["--version"]));
    assert_eq!(code, Some(0));
    assert!(out.starts_with(&format!("sonde {}\n", env!("CARGO_PKG_VERSION"))), "{out}");
}

#[test]
fn refused_options_exit_with_2_and_leave_no_trace() {
    let folder = folder();
    for words in [&["--bogus"][..], &["--http-addr", "nowhere"], &["--env", "prod"]] {
        let (code, out, err) = printed(&run(folder.path(), words));
        assert_eq!(code, Some(2), "{err}");
        assert!(out.is_empty() && err.contains(words[0]), "{err}");
    }
    let name = "MEILI_EXPERIMENTAL_REPLICATION_PARAMETERS";
    let output = sonde(folder.path()).env(name, "true").output().unwrap();
    let (code, _, err) = printed(&output);
    assert_eq!(code, Some(2));
    assert!(err.contains(name) && err.contains("not available"), "{err}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_wrong_configuration_file_exits_with_1() {
    let folder = folder();
    fs::write(folder.path().join("config.toml"), "no_such_option = 1").unwrap();
    let (code, _, err) = printed(&run(folder.path(), &[]));
    assert_eq!(code, Some(1));
    assert!(err.contains("./config.toml") && err.contains("no_such_option"), "{err}");
}

#[test]
fn production_without_a_good_master_key_exits_with_1() {
    let folder = folder();
    for (words, told) in [
        (&["--env", "production"][..], "none is set"),
        (&["--env", "production", "--master-key", "swordfish"], "has 9 bytes"),
    ] {
        let (code, _, err) = printed(&run(folder.path(), words));
        assert_eq!(code, Some(1));
        assert!(err.contains(told) && !err.contains("swordfish"), "{err}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_master_key_is_never_printed() {
    let folder = folder();
    let (key, other) = ("a key that nobody may read", "a key of somebody else");
    let words = ["--env", "production", "--master-key", key, "--log-level", "TRACE"];
    let mut server = Server::spawn(folder.path(), &words);
    let address = server.address().unwrap();
    let with = |token: &str| vec![("Authorization".to_owned(), format!("Bearer {token}"))];
    let answer = http::send(address, "GET", "/keys", &with(key), None).unwrap();
    assert_eq!(answer.status, 200);
    let value = answer.json()["results"][0]["key"].as_str().unwrap().to_owned();
    let path = format!("/keys/{value}");
    assert_eq!(http::send(address, "GET", &path, &with(key), None).unwrap().status, 200);
    assert_eq!(http::send(address, "GET", "/version", &with(other), None).unwrap().status, 403);
    assert_eq!(http::send(address, "GET", "/health", &[], None).unwrap().status, 200);
    server.signal("TERM");
    server.wait(END_LIMIT).expect("the server ends");
    let printed = server.printed();
    assert!(printed.contains("A master key is set"), "{printed}");
    assert!(printed.contains("Environment:            production"), "{printed}");
    for secret in [key, &value, other] {
        assert!(!printed.contains(secret), "{secret} is in\n{printed}");
    }
}

#[test]
fn a_port_in_use_exits_with_1_before_the_database_is_touched() {
    let folder = folder();
    let holder = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = holder.local_addr().unwrap().to_string();
    let (code, _, err) = printed(&run(folder.path(), &["--http-addr", &address]));
    assert_eq!(code, Some(1));
    assert!(err.contains(&address) && err.contains("already in use"), "{err}");
    assert!(!folder.path().join("data.sonde").exists());
}

#[test]
fn two_processes_do_not_share_a_folder() {
    let folder = folder();
    let mut first = Server::spawn(folder.path(), &[] as &[&str]);
    let address = first.address().unwrap();
    let words = ["--db-path", "data", "--http-addr", "127.0.0.1:0"];
    let (code, _, err) = printed(&run(folder.path(), &words));
    assert_eq!(code, Some(1));
    assert!(err.contains("in use by another process"), "{err}");
    assert_eq!(http::get(address, "/health").unwrap().status, 200);
}

#[test]
fn a_database_path_that_cannot_be_one_exits_with_1() {
    let folder = folder();
    fs::write(folder.path().join("file"), "").unwrap();
    let words = ["--db-path", "file", "--http-addr", "127.0.0.1:0"];
    assert_eq!(run(folder.path(), &words).status.code(), Some(1));
}

#[cfg(unix)]
#[test]
fn signals_end_with_the_codes_shells_expect() {
    assert_eq!(exit_code_after("TERM"), Some(143));
    assert_eq!(exit_code_after("INT"), Some(130));
}

#[test]
fn the_interface_version_can_be_reported_as_pkg_version() {
    let folder = folder();
    let command = sonde(folder.path());
    let mut server = Server::spawn_command(command, folder.path(), &["--report-interface-version"]);
    let address = server.address().unwrap();
    assert_eq!(http::get(address, "/version").unwrap().json()["pkgVersion"], "1.50.0");
}

#[test]
fn the_banner_says_where_and_what() {
    let folder = folder();
    fs::write(folder.path().join("my.toml"), "log_level = \"WARN\"").unwrap();
    let mut command = sonde(folder.path());
    command.env("MEILI_CONFIG_FILE_PATH", "my.toml").env("SONDE_MISSPELT", "1");
    let mut server = Server::spawn_command(command, folder.path(), &[] as &[&str]);
    let address = server.address().unwrap();
    assert_eq!(http::get(address, "/health").unwrap().json(), json!({"status": "available"}));
    let version = http::get(address, "/version").unwrap().json();
    assert_eq!(version["pkgVersion"], env!("CARGO_PKG_VERSION"));
    let commit = version["commitSha"].as_str().unwrap().to_owned();
    for line in [
        "Config file path:       my.toml",
        "Database path:          data",
        &format!("Server listening on:    http://{address}"),
        "Environment:            development",
        &format!("Commit SHA:             {commit}"),
        &format!("Package version:        {}", env!("CARGO_PKG_VERSION")),
        "MEILI_CONFIG_FILE_PATH (now SONDE_CONFIG_FILE_PATH)",
        "No master key is set",
        "SONDE_MISSPELT",
    ] {
        // The rest of the banner may still be on its way.
        wait_for(|| {
            let banner = server.printed();
            let is_there = banner.contains(line);
            if is_there { Ok(()) } else { Err(format!("`{line}` is not in\n{banner}")) }
        });
    }
}

#[test]
fn json_logs_are_one_object_a_line() {
    let folder = folder();
    let mut server = Server::spawn(folder.path(), &["--experimental-logs-mode", "JSON"]);
    server.address().unwrap();
    server.signal("TERM");
    server.wait(END_LIMIT).expect("the server ends");
    let printed = server.printed();
    let lines: Vec<&str> = printed.lines().filter(|line| line.starts_with('{')).collect();
    assert!(!lines.is_empty(), "{printed}");
    for line in lines {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(event["level"], "INFO");
    }
}

/// A request that is being read and whose body is not complete yet.
fn half_a_request(address: SocketAddr, body: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    let headers = [
        ("Content-Type".to_owned(), "application/json".to_owned()),
        ("Expect".to_owned(), "100-continue".to_owned()),
    ];
    let head = http::head(address, "POST", "/indexes/books/documents", &headers, Some(body.len()));
    stream.write_all(&head).unwrap();
    let mut asked_for_more = [0; b"HTTP/1.1 100 Continue\r\n\r\n".len()];
    stream.read_exact(&mut asked_for_more).unwrap();
    assert!(asked_for_more.starts_with(b"HTTP/1.1 100 "), "{asked_for_more:?}");
    stream.write_all(&body[..body.len() / 2]).unwrap();
    stream.flush().unwrap();
    stream
}

/// Waits until connections are refused.
fn wait_until_closed(address: SocketAddr) {
    wait_until("connections are refused", || http::get(address, "/health").is_err());
}

#[test]
fn a_running_request_is_finished_before_the_end() {
    let folder = folder();
    let mut server = Server::spawn(folder.path(), &[] as &[&str]);
    let address = server.address().unwrap();
    let body = br#"[{"id": 1, "title": "the last one"}]"#;
    let mut stream = half_a_request(address, body);
    server.signal("TERM");
    wait_until_closed(address);
    stream.write_all(&body[body.len() / 2..]).unwrap();
    let answer = http::read_answer(&mut BufReader::new(stream)).unwrap();
    assert_eq!(answer.status, 202);
    assert_eq!(server.wait(END_LIMIT).expect("the server ends").code(), Some(143));

    let mut again = Server::spawn(folder.path(), &[] as &[&str]);
    succeeded(again.address().unwrap(), &answer.json());
}

#[test]
fn a_second_signal_ends_at_once() {
    let folder = folder();
    let mut server = Server::spawn(folder.path(), &[] as &[&str]);
    let address = server.address().unwrap();
    let _stream = half_a_request(address, b"[{\"id\": 1}]");
    server.signal("TERM");
    wait_until_closed(address);
    assert_eq!(server.wait(Duration::from_millis(500)), None, "it waits for the request");
    server.signal("INT");
    // For the request it would wait ten seconds.
    let ended = server.wait(Duration::from_secs(8)).expect("the server ends at once");
    assert_eq!(ended.code(), Some(130));
}

#[test]
fn verify_tells_whole_databases_from_damaged_ones() {
    let folder = folder();
    let (code, _, err) = printed(&run(folder.path(), &["verify", "--db-path", "data"]));
    assert_eq!(code, Some(1));
    assert!(err.contains("there is no database at `data`"), "{err}");

    small_database(folder.path());
    let (code, out, err) = printed(&run(folder.path(), &["verify", "--db-path", "data"]));
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("meta.redb and 1 index read: no damage found"), "{out}");
    let by_variable = run_command(sonde(folder.path()).arg("verify").env("MEILI_DB_PATH", "data"));
    assert_eq!(by_variable.status.code(), Some(0));

    let damaged = largest_index_file(folder.path());
    let mut bytes = fs::read(&damaged).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    fs::write(&damaged, bytes).unwrap();
    let (code, out, _) = printed(&run(folder.path(), &["verify", "--db-path", "data"]));
    assert_eq!(code, Some(1), "{out}");
    let name = damaged.file_name().unwrap().to_str().unwrap();
    let line = out.lines().find(|line| line.starts_with("damaged: ")).unwrap();
    assert!(line.contains(name) && line.contains("books"), "{out}");
}

#[test]
fn inspect_explains_files_and_folders() {
    let folder = folder();
    small_database(folder.path());
    let file = largest_index_file(folder.path());
    for path in [file.as_path(), file.parent().unwrap()] {
        let (code, out, err) = printed(&run(folder.path(), &["inspect", path.to_str().unwrap()]));
        assert_eq!(code, Some(0), "{err}");
        assert!(out.contains(file.file_name().unwrap().to_str().unwrap()), "{out}");
    }
    // Several at once, and what else is in a data folder is not taken for damaged.
    fs::write(folder.path().join("notes.txt"), "hello").unwrap();
    let (code, out, err) = printed(&run(folder.path(), &["inspect", "data", "notes.txt"]));
    assert_eq!(code, Some(0), "{err}");
    for told in ["== data", "VERSION: ", "meta.redb: ", "notes.txt: not a file of an index"] {
        assert!(out.contains(told), "{told}: {out}");
    }
    assert!(!out.contains("damaged") && !out.contains("problem"), "{out}");
    let (code, _, err) = printed(&run(folder.path(), &["inspect", "nothing-here"]));
    assert_eq!(code, Some(1));
    assert!(err.starts_with("error: "), "{err}");
}

fn largest_index_file(folder: &Path) -> PathBuf {
    let mut files = Vec::new();
    for index in fs::read_dir(folder.join("data/indexes")).unwrap() {
        for file in fs::read_dir(index.unwrap().path()).unwrap() {
            let file = file.unwrap();
            files.push((file.metadata().unwrap().len(), file.path()));
        }
    }
    files.into_iter().max().expect("a file of an index").1
}
