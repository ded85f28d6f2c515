//! Plays one scenario against a fresh server and judges each step.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::thread::sleep;
use std::time::{Duration, Instant};

use regex::{Captures, Regex};
use serde_json::{Value, json};

use super::compare::{differences, normalized};
use super::scenario::{Scenario, Step};
use super::skips::SkippedSteps;
use crate::support::http::{self, Answer};
use crate::support::process::Server;

const TASK_LIMIT: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(5);
const SHOWN_DIFFERENCES: usize = 8;

/// Outcome of a scenario.
#[derive(Debug, Default)]
pub struct Verdict {
    pub compared: usize,
    pub skipped: usize,
    /// Everything that must be looked at: differences, and skips that are no longer needed.
    pub complaints: Vec<String>,
}

pub fn play(scenario: &Scenario, skipped: &SkippedSteps) -> Verdict {
    let mut verdict = Verdict::default();
    let count = scenario.steps.len();
    let folder = tempfile::tempdir().expect("a folder for the server");
    let mut arguments = scenario.arguments();
    // The recorded program answers pages of every origin, with a master key and without one.
    arguments.extend(["--http-allowed-hosts", "*"]);
    let mut server = Server::spawn(folder.path(), &arguments);
    let address = match server.address() {
        Ok(address) => address,
        Err(_) if skipped.all.is_some() => {
            verdict.skipped = count;
            return verdict;
        }
        Err(printed) => {
            verdict.complaints.push(format!("the server did not start: {printed}"));
            return verdict;
        }
    };
    let mut player = Player {
        server: address,
        key: scenario.key.clone(),
        saved: BTreeMap::new(),
        stand_in_tasks: Vec::new(),
        stand_in_batches: Vec::new(),
    };
    let mut every_step_passes = true;
    for (number, step) in scenario.steps.iter().enumerate() {
        let is_skipped = skipped.contains(number);
        let found = player.play(step, is_skipped);
        every_step_passes &= found.is_empty();
        let title = format!("step {number} {} {}", step.method, step.path);
        if !is_skipped {
            verdict.compared += 1;
            if !found.is_empty() {
                verdict.complaints.push(format!("{title}\n      {}", found.join("\n      ")));
            }
            continue;
        }
        verdict.skipped += 1;
        if found.is_empty() && skipped.all.is_none() {
            verdict.complaints.push(format!("{title}: is skipped, but passes"));
        }
    }
    if skipped.all.is_some() && every_step_passes && !skipped.may_pass {
        verdict.complaints.push("is skipped, but passes".to_owned());
    }
    for number in skipped.steps.keys().filter(|&&number| number >= count) {
        verdict.complaints.push(format!("step {number} is skipped, but does not exist"));
    }
    verdict
}

struct Player {
    server: SocketAddr,
    key: Option<String>,
    saved: BTreeMap<String, String>,
    /// Uids of tasks that stand in for others, and of their batches.
    stand_in_tasks: Vec<u64>,
    stand_in_batches: Vec<u64>,
}

impl Player {
    /// Sends a step; returns where the answer differs from the recorded one.
    fn play(&mut self, step: &Step, is_skipped: bool) -> Vec<String> {
        let answer = match self.send(step) {
            Ok(answer) => answer,
            Err(error) => return vec![format!("no answer: {error}")],
        };
        let body = answer.json();
        self.save(step, &body);
        let task_uid = body.get("taskUid").and_then(Value::as_u64);
        if is_skipped && step.enqueues() && task_uid.is_none() {
            self.enqueue_stand_in(step.wait);
        }
        let task = match task_uid {
            Some(uid) if step.wait => self.finished_task(uid),
            _ => Value::Null,
        };
        let mut found = Vec::new();
        if answer.status != step.status {
            found.push(format!("status: expected {}, got {}", step.status, answer.status));
        }
        let (expected, got) = (self.masked(step, &step.answer), self.masked(step, &body));
        found.extend(differences(&expected, &normalized(&got, None), ""));
        if let Some(expected) = &step.task {
            found.extend(differences(expected, &normalized(&task, None), "task"));
        }
        found.truncate(SHOWN_DIFFERENCES);
        found
    }

    fn send(&self, step: &Step) -> io::Result<Answer> {
        let has = |name: &str| step.headers.keys().any(|given| given == name);
        let mut headers = Vec::new();
        if !has("Accept-Encoding") {
            headers.push(("Accept-Encoding".to_owned(), "identity".to_owned()));
        }
        for (name, value) in &step.headers {
            headers.push((name.clone(), self.replaced(value)));
        }
        let key = step.key.as_ref().unwrap_or(&self.key);
        if let Some(key) = key.as_deref().filter(|key| !key.is_empty() && !has("Authorization")) {
            headers.push(("Authorization".to_owned(), format!("Bearer {}", self.replaced(key))));
        }
        let payload = step.payload().map(|payload| self.replaced(&payload));
        if payload.is_some()
            && !has("Content-Type")
            && let Some(content_type) = step.content_type()
        {
            headers.push(("Content-Type".to_owned(), content_type.to_owned()));
        }
        let path = self.replaced(&step.path);
        http::send(
            self.server,
            &step.method,
            &path,
            &headers,
            payload.as_deref().map(str::as_bytes),
        )
    }

    /// The recorded server made a task where ours has no such route yet. Another task takes its
    /// uid, one that does nothing, so that the uids of later steps stay as they were recorded.
    fn enqueue_stand_in(&mut self, wait: bool) {
        let path = "/tasks/cancel?uids=4294967295";
        let sent = http::send(self.server, "POST", path, &self.own_key(), None);
        let Ok(answer) = sent else { return };
        let Some(uid) = answer.json().get("taskUid").and_then(Value::as_u64) else { return };
        self.stand_in_tasks.push(uid);
        if wait {
            let task = self.finished_task(uid);
            self.stand_in_batches.extend(task.get("batchUid").and_then(Value::as_u64));
        }
    }

    /// A list of tasks or batches in which those that stand in for others count only as present.
    fn masked(&self, step: &Step, answer: &Value) -> Value {
        let is_batches = step.path.starts_with("/batches");
        let stand_ins = if is_batches { &self.stand_in_batches } else { &self.stand_in_tasks };
        let mut masked = answer.clone();
        if let Some(results) = masked.get_mut("results").and_then(Value::as_array_mut) {
            for item in results {
                let uid = item.get("uid").and_then(Value::as_u64);
                if let Some(uid) = uid.filter(|uid| stand_ins.contains(uid)) {
                    *item = json!({ "uid": uid });
                }
            }
        }
        masked
    }

    /// The header with the key of the scenario, if it has one.
    fn own_key(&self) -> Vec<(String, String)> {
        let header = |key| ("Authorization".to_owned(), format!("Bearer {}", self.replaced(key)));
        self.key.iter().map(|key| header(key.as_str())).collect()
    }

    fn finished_task(&self, uid: u64) -> Value {
        let start = Instant::now();
        loop {
            let path = format!("/tasks/{uid}");
            let Ok(answer) = http::send(self.server, "GET", &path, &self.own_key(), None) else {
                return Value::Null;
            };
            let task = answer.json();
            let status = task.get("status").and_then(Value::as_str).unwrap_or_default();
            if !matches!(status, "enqueued" | "processing") || start.elapsed() > TASK_LIMIT {
                return task;
            }
            sleep(POLL);
        }
    }

    fn save(&mut self, step: &Step, body: &Value) {
        for (variable, path) in &step.save {
            let found = path.split('.').try_fold(body, |value, name| match value {
                Value::Array(items) => items.get(name.parse::<usize>().ok()?),
                _ => value.get(name),
            });
            if let Some(value) = found {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                self.saved.insert(variable.clone(), text);
            }
        }
    }

    fn replaced(&self, text: &str) -> String {
        let variable = Regex::new(r"\$([A-Z][A-Z_]*)").expect("a pattern of ours");
        let value = |found: &Captures<'_>| {
            self.saved.get(&found[1]).unwrap_or(&found[0].to_owned()).clone()
        };
        variable.replace_all(text, value).into_owned()
    }
}
