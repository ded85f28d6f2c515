//! Who runs the server: kills it, starts it again where it was, takes snapshots, and at the end
//! looks whether everything is whole.

use std::net::SocketAddr;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use testkit::{Random, wait_until};

use super::client::{History, read_all};
use super::connection::Connection;
use super::tally::Tally;
use crate::support::process::{Server, run};

const OPTIONS: [&str; 1] = ["--max-indexing-threads=2"];
/// Some kills come while the server starts.
const LONGEST_START_MS: u64 = 60;
const LONGEST_SNAPSHOT_MS: u64 = 300;

pub struct Operator {
    folder: TempDir,
    server: Server,
    address: SocketAddr,
    random: Random,
    until: Instant,
    /// Mean time between two kills.
    mean: Duration,
}

impl Operator {
    pub fn start(seed: u64, length: Duration, kills: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut server = Server::spawn(folder.path(), &OPTIONS);
        let address = server.address().unwrap_or_else(|printed| panic!("no start: {printed}"));
        let mean = length / u32::try_from(kills).unwrap_or(u32::MAX);
        Self { folder, server, address, random: Random(seed), until: Instant::now() + length, mean }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn work(&mut self, tally: &Tally) {
        while !tally.has_differences() {
            let pause = self.mean.mul_f64(0.25 + self.random.below(1000) as f64 / 666.0);
            let left = self.until.saturating_duration_since(Instant::now());
            if left <= pause {
                sleep(left);
                break;
            }
            sleep(pause);
            self.take_snapshot(tally);
            self.kill(tally);
        }
        self.check_alive(tally);
    }

    /// Sometimes it is done before the server is killed, sometimes not.
    fn take_snapshot(&mut self, tally: &Tally) {
        let connection = Connection { server: self.address };
        Tally::count(&tally.snapshots);
        let Ok(answer) = connection.send("POST", "/snapshots", None) else { return };
        let task = answer.json()["taskUid"].as_u64();
        if self.random.below(2) == 0 {
            sleep(Duration::from_millis(self.random.below(LONGEST_SNAPSHOT_MS)));
            return;
        }
        let task = task.map_or(Value::Null, |uid| connection.finished_task(uid));
        tally.check(task["status"] == "succeeded", || format!("snapshot: {task}"));
    }

    fn check_alive(&mut self, tally: &Tally) {
        let has_ended = self.server.has_ended();
        tally.check(!has_ended, || format!("the server ended: {}", self.server.printed()));
        let printed = self.server.printed();
        tally.check(!printed.contains("panicked"), || printed);
    }

    fn kill(&mut self, tally: &Tally) {
        self.check_alive(tally);
        self.server.kill();
        Tally::count(&tally.kills);
        while self.random.below(5) == 0 {
            let mut server = Server::spawn_at(self.folder.path(), self.address, &OPTIONS);
            sleep(Duration::from_millis(self.random.below(LONGEST_START_MS)));
            server.kill();
            Tally::count(&tally.kills);
        }
        self.server = Server::spawn_at(self.folder.path(), self.address, &OPTIONS);
        let started = self.server.address();
        tally.check(started.is_ok(), || format!("no start: {started:?}"));
    }

    /// The files are whole, and the last snapshot holds states that were.
    pub fn end(mut self, tally: &Tally, histories: &[History]) {
        self.check_alive(tally);
        self.server.signal("TERM");
        let ended = self.server.wait(Duration::from_secs(60));
        tally.check(ended.is_some(), || "the server does not end".to_owned());
        let verified = run(self.folder.path(), &["verify", "--db-path", "data"]);
        tally.check(verified.status.success(), || {
            String::from_utf8_lossy(&[verified.stdout, verified.stderr].concat()).into_owned()
        });
        self.check_again(tally, histories);
        self.check_snapshot(tally, histories);
    }

    fn check_again(&mut self, tally: &Tally, histories: &[History]) {
        self.server = Server::spawn_at(self.folder.path(), self.address, &OPTIONS);
        let Ok(address) = self.server.address() else {
            tally.check(false, || format!("no start: {}", self.server.printed()));
            return;
        };
        for history in histories {
            let found = read_all(Connection { server: address }, &history.index);
            let expected = history.last.exists.then(|| history.last.mark());
            tally.check(found == expected, || {
                format!("{} is not as it was before the restart", history.index)
            });
        }
        self.server.kill();
    }

    fn check_snapshot(&mut self, tally: &Tally, histories: &[History]) {
        let snapshot = self.folder.path().join("snapshots/data.snapshot");
        if !snapshot.exists() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let words = ["--import-snapshot", snapshot.to_str().expect("a path of ours")];
        let mut server = Server::spawn(folder.path(), &words);
        let Ok(address) = server.address() else {
            tally.check(false, || format!("no start from a snapshot: {}", server.printed()));
            return;
        };
        for history in histories {
            let connection = Connection { server: address };
            wait_until_idle(connection);
            let found = read_all(connection, &history.index);
            let was = found.is_none_or(|mark| history.marks.contains(&mark));
            tally.check(was, || format!("the snapshot has a {} that never was", history.index));
        }
    }
}

/// Tasks that the snapshot holds are done first.
fn wait_until_idle(connection: Connection) {
    let path = "/tasks?statuses=enqueued,processing&limit=1";
    wait_until("the tasks end", || connection.ask("GET", path, None).json()["total"] == 0);
}
