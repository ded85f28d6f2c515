//! Plays one scenario: sends each step, waits for its task where one is told of, compares.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::account::Account;
use super::pattern::{Comparison, is_text_like};
use super::scenario::{ExpectedTask, Scenario, Step};
use super::target::Target;
use super::token;
use super::variables::Variables;
use crate::support::http::{self, Answer};

const TASK_LIMIT: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(5);

pub fn play(name: &str, scenario: &Scenario, target: &Target) -> Account {
    let mut player = Player { target, variables: Variables::default() };
    for index in &scenario.indexes {
        player.variables.set(index, Value::from(format!("{index}-{}", fresh())));
    }
    if let Some(key) = &target.master_key {
        player.variables.set("master_key", Value::from(key.as_str()));
    }
    let mut account = Account { scenarios: 1, ..Account::default() };
    for (number, step) in scenario.steps.iter().enumerate() {
        let comparison = player.play(step, &mut account);
        account.steps += 1;
        account.fields += comparison.fields;
        if !comparison.differences.is_empty() {
            let title = step.request.as_deref().unwrap_or("sign");
            let differences = comparison.differences.join("\n      ");
            account.complaints.push(format!("{name}, step {number} {title}\n      {differences}"));
        }
    }
    account.failed = usize::from(!account.complaints.is_empty());
    account
}

/// Different in every run, so that a server may be used again and again.
fn fresh() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{:x}-{}", now.as_millis(), NEXT.fetch_add(1, Ordering::Relaxed))
}

struct Player<'a> {
    target: &'a Target,
    variables: Variables,
}

impl Player<'_> {
    fn play(&mut self, step: &Step, account: &mut Account) -> Comparison {
        let mut comparison = Comparison::default();
        if let Some(token) = &step.sign {
            let secret = self.variables.in_text(&token.with);
            let claims = self.variables.in_value(&token.claims);
            let algorithm = token.algorithm.as_deref().unwrap_or("HS256");
            let signed = token::signed(&claims, &secret, algorithm);
            self.variables.set(&token.variable, Value::from(signed));
            return comparison;
        }
        let request = self.variables.in_text(step.request.as_deref().unwrap_or_default());
        let (method, path) = request.split_once(' ').unwrap_or((&request, "/"));
        let answer = match self.send(step, method, path) {
            Ok(answer) => answer,
            Err(error) => {
                comparison.differences.push(format!("no answer: {error}"));
                return comparison;
            }
        };
        let body = answer.json();
        self.check_answer(step, path, &answer, &body, &mut comparison);
        if let Some(expected) = &step.task {
            self.check_task(expected, path, &body, &mut comparison);
        }
        for (name, place) in &step.save {
            if let Err(problem) = self.variables.save(name, place, &body) {
                comparison.differences.push(problem);
            }
        }
        if comparison.differences.is_empty() {
            account.routes.insert((method.to_owned(), path.to_owned()));
            account.codes.extend(step.error.clone());
            account.codes.extend(step.task.as_ref().and_then(|task| task.error.clone()));
        }
        comparison
    }

    fn check_answer(
        &self,
        step: &Step,
        path: &str,
        answer: &Answer,
        body: &Value,
        comparison: &mut Comparison,
    ) {
        let status = step.status.unwrap_or(if step.task.is_some() { 202 } else { 200 });
        comparison.compare(&json!(status), &json!(answer.status), "status");
        let expected = match (&step.answer, &step.error, &step.task) {
            (Some(expected), _, _) => Some(self.variables.in_value(expected)),
            (None, Some(code), _) => {
                let message = step.message.as_deref().map(|text| self.variables.in_text(text));
                Some(error(code, message.as_deref(), status))
            }
            (None, None, Some(task)) => Some(self.summary(task, path)),
            (None, None, None) => None,
        };
        if let Some(expected) = expected {
            comparison.compare(&expected, body, "");
        }
        for (expected, member) in [(&step.hits, "id"), (&step.scores, "_rankingScore")] {
            if let Some(expected) = expected {
                let hits = body["hits"].as_array().into_iter().flatten();
                let found: Vec<_> = hits.map(|hit| hit[member].clone()).collect();
                comparison.compare(&json!(expected), &json!(found), &format!("hits.*.{member}"));
            }
        }
        for (name, expected) in &step.returned {
            let found = answer.header(name).unwrap_or_default();
            comparison.fields += 1;
            if !is_text_like(&self.variables.in_text(expected), found) {
                let difference = format!("header {name}: expected {expected}, got {found}");
                comparison.differences.push(difference);
            }
        }
    }

    /// What an enqueued task is answered with.
    fn summary(&self, task: &ExpectedTask, path: &str) -> Value {
        let mut summary = json!({
            "taskUid": "<uid>",
            "indexUid": self.index_uid(task, path),
            "status": "enqueued",
            "type": task.kind,
            "enqueuedAt": "<time>",
        });
        if let Some(metadata) = &task.custom_metadata {
            summary["customMetadata"] = json!(metadata);
        }
        summary
    }

    fn index_uid(&self, task: &ExpectedTask, path: &str) -> Value {
        match &task.index_uid {
            Some(given) => self.variables.in_value(given),
            None => path.split(['/', '?']).nth(2).map_or(Value::Null, Value::from),
        }
    }

    fn check_task(
        &mut self,
        expected: &ExpectedTask,
        path: &str,
        summary: &Value,
        comparison: &mut Comparison,
    ) {
        let Some(uid) = summary["taskUid"].as_u64() else {
            comparison.differences.push("no task was enqueued".to_owned());
            return;
        };
        let task = self.finished_task(uid);
        let status = match (&expected.status, &expected.error) {
            (Some(status), _) => status,
            (None, Some(_)) => "failed",
            (None, None) => "succeeded",
        };
        let problem = expected.error.as_deref().map(|code| {
            let message = expected.message.as_deref().map(|text| self.variables.in_text(text));
            error(code, message.as_deref(), status_of(code))
        });
        let mut whole = json!({
            "uid": uid,
            "batchUid": "<uid>",
            "indexUid": self.index_uid(expected, path),
            "status": status,
            "type": expected.kind,
            "canceledBy": expected.canceled_by,
            "error": problem,
            "duration": "<duration>",
            "enqueuedAt": "<time>",
            "startedAt": "<time>",
            "finishedAt": "<time>",
        });
        if let Some(details) = &expected.details {
            whole["details"] = self.variables.in_value(details);
        }
        if let Some(metadata) = &expected.custom_metadata {
            whole["customMetadata"] = json!(metadata);
        }
        comparison.compare(&whole, &task, "task");
        self.variables.set("task", Value::from(uid));
        self.variables.set("batch", task["batchUid"].clone());
    }

    fn send(&self, step: &Step, method: &str, path: &str) -> std::io::Result<Answer> {
        let mut headers: BTreeMap<String, String> = BTreeMap::new();
        headers.insert("Accept-Encoding".to_owned(), "identity".to_owned());
        let key = match step.key.as_deref() {
            Some("none") => None,
            Some(key) => Some(self.variables.in_text(key)),
            None => self.target.master_key.clone(),
        };
        if let Some(key) = key {
            headers.insert("Authorization".to_owned(), format!("Bearer {key}"));
        }
        let body = match (&step.body, &step.text) {
            (Some(body), _) => Some(self.variables.in_value(body).to_string()),
            (None, Some(text)) => Some(self.variables.in_text(text)),
            (None, None) => None,
        };
        let content_type = match step.content_type.as_deref() {
            Some("none") => None,
            Some(given) => Some(given),
            None => body.is_some().then_some("application/json"),
        };
        if let Some(content_type) = content_type {
            headers.insert("Content-Type".to_owned(), content_type.to_owned());
        }
        for (name, value) in &step.headers {
            headers.insert(name.clone(), self.variables.in_text(value));
        }
        let headers: Vec<_> = headers.into_iter().collect();
        let path = format!("{}{}", self.target.prefix, path.replace(' ', "%20"));
        http::send(self.target.address, method, &path, &headers, body.as_deref().map(str::as_bytes))
    }

    fn finished_task(&self, uid: u64) -> Value {
        let start = Instant::now();
        let key = self.target.master_key.iter();
        let headers: Vec<_> =
            key.map(|key| ("Authorization".to_owned(), format!("Bearer {key}"))).collect();
        let path = format!("{}/tasks/{uid}", self.target.prefix);
        loop {
            let Ok(answer) = http::send(self.target.address, "GET", &path, &headers, None) else {
                return Value::Null;
            };
            let task = answer.json();
            let status = task["status"].as_str().unwrap_or_default();
            if !matches!(status, "enqueued" | "processing") || start.elapsed() > TASK_LIMIT {
                return task;
            }
            sleep(POLL);
        }
    }
}

/// An error as it is answered; its type follows from the status.
fn error(code: &str, message: Option<&str>, status: u16) -> Value {
    let kind = match status {
        401 | 403 => "auth",
        422 | 502 | 503 => "system",
        500 => "internal",
        _ => "invalid_request",
    };
    json!({
        "message": message.unwrap_or("<text>"),
        "code": code,
        "type": kind,
        "link": format!("<any>#{code}"),
    })
}

/// The status that stands for the type of an error inside a task.
fn status_of(code: &str) -> u16 {
    match code {
        "internal" => 500,
        "no_space_left_on_device" | "io_error" => 422,
        _ => 400,
    }
}
