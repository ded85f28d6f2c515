//! Requests to a server that may die at any moment.

use std::net::SocketAddr;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::http::{self, Answer};

const BACK_LIMIT: Duration = Duration::from_secs(120);
const TASK_LIMIT: Duration = Duration::from_secs(180);
const POLL: Duration = Duration::from_millis(10);

/// The answer did not come.
#[derive(Debug)]
pub struct AnswerLost;

#[derive(Debug, Clone, Copy)]
pub struct Connection {
    pub server: SocketAddr,
}

impl Connection {
    pub fn send(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Answer, AnswerLost> {
        let answer = match body {
            Some(body) => http::send_json(self.server, method, path, body),
            None => http::send(self.server, method, path, &[], None),
        };
        answer.map_err(|_| AnswerLost)
    }

    /// Waits for a server that can be asked again.
    pub fn wait_until_back(&self) {
        let start = Instant::now();
        while !http::get(self.server, "/health").is_ok_and(|answer| answer.status == 200) {
            assert!(start.elapsed() < BACK_LIMIT, "the server does not come back");
            sleep(POLL);
        }
    }

    /// Asks until there is an answer: for requests that change nothing.
    pub fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        loop {
            if let Ok(answer) = self.send(method, path, body) {
                return answer;
            }
            self.wait_until_back();
        }
    }

    /// The task once it has ended, over as many restarts as come in between.
    pub fn finished_task(&self, uid: u64) -> Value {
        let start = Instant::now();
        loop {
            let task = self.ask("GET", &format!("/tasks/{uid}"), None).json();
            match task["status"].as_str() {
                Some("enqueued" | "processing") => {}
                _ => return task,
            }
            assert!(start.elapsed() < TASK_LIMIT, "a task does not end: {task}");
            sleep(POLL);
        }
    }
}
