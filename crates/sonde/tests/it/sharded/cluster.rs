//! Processes that form a network, and what tests do with them.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tempfile::TempDir;
use testkit::wait_within;

use crate::sharded::documents;
use crate::support::http::{self, Answer};
use crate::support::process::Server;

const LIMIT: Duration = Duration::from_secs(600);
const OPTIONS: [&str; 2] = ["--experimental-allowed-ip-networks", "127.0.0.0/8"];

pub struct Member {
    pub name: String,
    pub address: SocketAddr,
    server: Server,
    folder: TempDir,
}

impl Member {
    pub fn start(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut server = Server::spawn(folder.path(), &OPTIONS);
        let address = server.address().unwrap_or_else(|printed| panic!("no start: {printed}"));
        let member = Self { name: name.to_owned(), address, server, folder };
        let answer = member.send("PATCH", "/experimental-features", &json!({"network": true}));
        assert_eq!(answer.status, 200);
        member
    }

    /// SIGKILL.
    pub fn kill(&mut self) {
        self.server.kill();
    }

    /// Comes back where it was.
    pub fn restart(&mut self) {
        self.server = Server::spawn_at(self.folder.path(), self.address, &OPTIONS);
        self.server.address().unwrap_or_else(|printed| panic!("no start: {printed}"));
    }

    pub fn send(&self, method: &str, path: &str, body: &Value) -> Answer {
        http::send_json(self.address, method, path, body)
            .unwrap_or_else(|error| panic!("{} {method} {path}: {error}", self.name))
    }

    pub fn get(&self, path: &str) -> Value {
        let answer = http::get(self.address, path).unwrap();
        assert_eq!(answer.status, 200, "{path}: {}", answer.json());
        answer.json()
    }

    pub fn accepted(&self, method: &str, path: &str, body: &Value) {
        let answer = self.send(method, path, body);
        assert_eq!(answer.status, 202, "{method} {path}: {}", answer.json());
    }

    pub fn add(&self, index: &str, documents: &Value) {
        self.accepted("POST", &format!("/indexes/{index}/documents"), documents);
    }

    pub fn update(&self, index: &str, documents: &Value) {
        self.accepted("PUT", &format!("/indexes/{index}/documents"), documents);
    }

    pub fn change_settings(&self, index: &str, settings: &Value) {
        self.accepted("PATCH", &format!("/indexes/{index}/settings"), settings);
    }

    pub fn total_of(&self, path: &str) -> u64 {
        self.get(path)["total"].as_u64().unwrap()
    }

    pub fn wait_until_idle(&self) {
        let path = "/tasks?statuses=enqueued,processing&limit=1";
        wait_until(|| self.total_of(path) == 0, || self.get(path).to_string());
    }

    pub fn document_count(&self) -> u64 {
        let path = format!("/indexes/{}/stats", documents::INDEX);
        self.get(&path)["numberOfDocuments"].as_u64().unwrap()
    }
}

/// The first one leads.
pub struct Cluster {
    pub members: Vec<Member>,
}

impl Cluster {
    pub fn start(count: usize) -> Self {
        Self { members: (0..count).map(|place| Member::start(&format!("m{place}"))).collect() }
    }

    pub fn leader(&self) -> &Member {
        &self.members[0]
    }

    /// Every member becomes the owner of a shard.
    pub fn share_out(&self) {
        let mut network = json!({"self": "m0", "leader": "m0", "remotes": {}, "shards": {}});
        for (place, member) in self.members.iter().enumerate() {
            network["remotes"][&member.name] = json!({"url": format!("http://{}", member.address)});
            network["shards"][format!("s{place}")] = json!({"remotes": [member.name]});
        }
        self.change_network(&network);
    }

    /// One more process, which is no member yet.
    pub fn add_idle_member(&mut self) {
        let name = format!("m{}", self.members.len());
        self.members.push(Member::start(&name));
    }

    /// One more member, with a shard of its own.
    pub fn join(&mut self) {
        let place = self.members.len();
        self.add_idle_member();
        let member = &self.members[place];
        let (name, url) = (member.name.clone(), format!("http://{}", member.address));
        let shard = (format!("s{place}"), json!({"remotes": [name]}));
        self.change_network(&json!({
            "remotes": {name: {"url": url}},
            "shards": Map::from_iter([shard]),
        }));
    }

    /// Changes the network, and waits until all members have.
    pub fn change_network(&self, change: &Value) {
        let answer = self.leader().send("PATCH", "/network", change);
        assert_eq!(answer.status, 202, "{}", answer.json());
        self.wait_until_even();
        for member in &self.members {
            let tasks = member.get("/tasks?types=networkTopologyChange&limit=1");
            let status = &tasks["results"][0]["status"];
            assert!(status.is_null() || status == "succeeded", "{}: {tasks}", member.name);
        }
    }

    /// Waits until all have taken and done what the leader has.
    pub fn wait_until_even(&self) {
        self.leader().wait_until_idle();
        let waits = || {
            let tasks = self.leader().get("/tasks?limit=20");
            let tasks = tasks["results"].as_array().cloned().unwrap();
            let is_open = |task: &Value| {
                let others = task["network"]["remote_tasks"].as_object();
                others.is_some_and(|others| !others.values().all(is_over))
            };
            tasks.into_iter().filter(is_open).collect::<Vec<_>>()
        };
        wait_until(|| waits().is_empty(), || json!(waits()).to_string());
        self.members.iter().for_each(Member::wait_until_idle);
    }

    pub fn document_counts(&self) -> Vec<u64> {
        self.members.iter().map(Member::document_count).collect()
    }
}

/// Whether a member has a task, or is none any more.
fn is_over(remote_task: &Value) -> bool {
    let error = remote_task["error"]["message"].as_str().unwrap_or_default();
    remote_task["taskUid"].is_u64() || error.contains("left the network")
}

fn wait_until(is_so: impl Fn() -> bool, shown: impl Fn() -> String) {
    wait_within(LIMIT, || if is_so() { Ok(()) } else { Err(shown()) });
}
