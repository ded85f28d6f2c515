//! Requests to a server that may die at any moment.

use std::net::SocketAddr;

use serde_json::Value;
use testkit::{wait_for, wait_until};

use crate::support::http::{self, Answer};
use crate::support::tasks::has_ended;

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
        wait_until("the server comes back", || {
            http::get(self.server, "/health").is_ok_and(|answer| answer.status == 200)
        });
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
        wait_for(|| {
            let task = self.ask("GET", &format!("/tasks/{uid}"), None).json();
            if has_ended(&task) { Ok(task) } else { Err(task) }
        })
    }
}
