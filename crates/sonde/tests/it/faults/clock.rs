//! A clock that jumps: keys expire by it and are valid again when it goes back; tasks, batches and
//! searches do not depend on it.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use testkit::{skip, wait_for};

use super::client::enqueued;
use crate::support::http::{self, Answer};
use crate::support::process::{Server, sonde};
use crate::support::tasks::has_ended;

const MASTER_KEY: &str = "a-key-for-a-clock-that-jumps";
const HOUR_S: i64 = 3600;
const DAY_S: i64 = 24 * HOUR_S;

/// Seconds that the clock of the server is ahead or behind, one jump after the other.
const JUMPS: [i64; 8] =
    [0, 2 * HOUR_S, 3 * DAY_S, -2 * DAY_S, -400 * DAY_S, -50 * 365 * DAY_S, 365 * DAY_S, 0];

/// To before the time that clocks count from.
const BEFORE_1970: i64 = -60 * 365 * DAY_S;

/// The library that tells a process another time. `.ci/faketime` installs it.
fn library() -> Option<PathBuf> {
    let given = std::env::var_os("FAKETIME_LIBRARY").map(PathBuf::from);
    let folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib"];
    let usual = folders.map(|folder| Path::new(folder).join("faketime/libfaketimeMT.so.1"));
    given.into_iter().chain(usual).find(|path| path.exists())
}

struct Clock {
    file: PathBuf,
}

impl Clock {
    fn set(&self, seconds: i64) {
        // Read at every question for the time, so it must never be seen half written.
        let draft = self.file.with_extension("draft");
        fs::write(&draft, format!("{seconds:+}\n")).expect("the clock can be set");
        fs::rename(draft, &self.file).expect("the clock can be set");
    }
}

fn start(folder: &Path, library: &Path, clock: &Clock) -> Server {
    let mut command = sonde(folder);
    command
        .env("LD_PRELOAD", library)
        .env("FAKETIME_TIMESTAMP_FILE", &clock.file)
        .env("FAKETIME_NO_CACHE", "1")
        // Durations are measured by another clock, which never jumps.
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    Server::spawn_command(command, folder, &["--master-key", MASTER_KEY])
}

fn ask(server: SocketAddr, method: &str, path: &str, key: &str, body: Option<&Value>) -> Answer {
    let headers = [
        ("Content-Type".to_owned(), "application/json".to_owned()),
        ("Authorization".to_owned(), format!("Bearer {key}")),
    ];
    let body = body.map(Value::to_string);
    http::send(server, method, path, &headers, body.as_deref().map(str::as_bytes)).expect("answer")
}

/// The parts of a time that sort as the time does.
fn at(task: &Value, member: &str) -> String {
    task[member].as_str().unwrap_or_default()[..19].to_owned()
}

#[test]
fn a_clock_that_jumps_changes_nothing_but_times() {
    let Some(library) = library() else {
        return skip("there is no libfaketime here: see .ci/faketime");
    };
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock { file: folder.path().join("clock") };
    clock.set(0);
    let mut server = start(folder.path(), &library, &clock);
    let mut address = server.address().unwrap_or_else(|printed| panic!("no start: {printed}"));
    let key = key_for_an_hour(address);
    let mut uids = Vec::new();
    for (number, jump) in JUMPS.into_iter().enumerate() {
        clock.set(jump);
        // Some jumps come while it runs, some while it does not.
        if number % 3 == 2 {
            server.kill();
            server = start(folder.path(), &library, &clock);
            address = server.address().unwrap_or_else(|printed| panic!("no start: {printed}"));
        }
        let hour = hour_at(jump);
        let documents = json!([{"id": number, "title": format!("jump {number}")}]);
        let path = "/indexes/jumps/documents";
        let answer = ask(address, "POST", path, MASTER_KEY, Some(&documents));
        let uid = enqueued(&answer);
        let task = finished_with_key(address, uid);
        assert_eq!(task["status"], "succeeded", "{task}");
        check_times(&task);
        let enqueued_at = at(&task, "enqueuedAt")[..13].to_owned();
        // The hour may end meanwhile.
        assert!([hour, hour_at(jump)].contains(&enqueued_at), "the clock is followed: {task}");
        assert!(uids.last().is_none_or(|last| *last < uid), "uids go on counting");
        uids.push(uid);

        let path = "/indexes/jumps/search";
        let found = ask(address, "POST", path, &key, Some(&json!({"q": "jump"})));
        if jump >= HOUR_S {
            assert_eq!(
                (found.status, found.json()["code"].as_str()),
                (403, Some("invalid_api_key"))
            );
        } else {
            assert_eq!(found.status, 200, "{}", found.json());
            let count = found.json()["hits"].as_array().map(Vec::len);
            assert_eq!(count, Some(number + 1));
        }
    }
    let page = ask(address, "GET", "/tasks?limit=100", MASTER_KEY, None).json();
    let listed: Vec<u64> = page["results"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|task| task["uid"].as_u64())
        .collect();
    assert!(listed.windows(2).all(|pair| pair[0] > pair[1]), "{listed:?}");
    let printed = server.printed();
    assert!(!printed.contains("panicked"), "{printed}");
    eprintln!("{} jumps, {} tasks", JUMPS.len(), listed.len());
}

#[test]
fn a_server_does_not_start_before_1970() {
    let Some(library) = library() else {
        return skip("there is no libfaketime here: see .ci/faketime");
    };
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock { file: folder.path().join("clock") };
    clock.set(BEFORE_1970);
    let printed = start(folder.path(), &library, &clock).address().unwrap_err();
    assert!(printed.contains("shows a time before 1970"), "{printed}");
    clock.set(0);
    let mut server = start(folder.path(), &library, &clock);
    server.address().unwrap_or_else(|printed| panic!("no start: {printed}"));
}

/// The hour that the clock shows after a jump.
fn hour_at(jump: i64) -> String {
    let date = std::process::Command::new("date")
        .args(["-u", "-d", &format!("{jump:+} seconds"), "+%Y-%m-%dT%H"])
        .output()
        .expect("date can be run");
    String::from_utf8_lossy(&date.stdout).trim().to_owned()
}

fn key_for_an_hour(address: SocketAddr) -> String {
    // The clock of this test is that of the server before it jumps.
    let end = std::process::Command::new("date")
        .args(["-u", "-d", "+1 hour", "+%Y-%m-%dT%H:%M:%SZ"])
        .output()
        .expect("date can be run");
    let end = String::from_utf8_lossy(&end.stdout).trim().to_owned();
    let body = json!({"actions": ["search"], "indexes": ["*"], "expiresAt": end});
    let made = ask(address, "POST", "/keys", MASTER_KEY, Some(&body));
    assert_eq!(made.status, 201, "{}", made.json());
    made.json()["key"].as_str().expect("a value").to_owned()
}

fn finished_with_key(address: SocketAddr, uid: u64) -> Value {
    wait_for(|| {
        let task = ask(address, "GET", &format!("/tasks/{uid}"), MASTER_KEY, None).json();
        if has_ended(&task) { Ok(task) } else { Err(task) }
    })
}

/// They follow each other, and none took less than no time.
fn check_times(task: &Value) {
    assert!(at(task, "enqueuedAt") <= at(task, "startedAt"), "{task}");
    assert!(at(task, "startedAt") <= at(task, "finishedAt"), "{task}");
    let duration = task["duration"].as_str().unwrap_or_default();
    assert!(duration.starts_with("PT") && !duration.contains('-'), "{task}");
}
