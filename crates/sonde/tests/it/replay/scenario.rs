//! A recorded conversation: a fresh server, requests, and the answers they were given.
//!
//! A file is `{"title", "args": "extra launch options", "key": "bearer used by default" or null,
//! "steps": [step…]}`; a step is `{"method", "path", "headers"?, "key"? (null = none), "body"?
//! (JSON) | "text"? (sent as is), "type"? (content type), "wait"? (then poll the task until it
//! ends; its final object is in "task"), "save"? ({"VAR": "path.in.answer"}), "status",
//! "answer", "task"?}`. `$VAR` in paths, bodies, texts, keys and headers stands for a saved value.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Debug, Deserialize)]
pub struct Scenario {
    #[serde(default)]
    pub args: Option<String>,
    #[serde(default)]
    pub key: Option<String>,
    pub steps: Vec<Step>,
}

impl Scenario {
    /// The launch options one by one. What stands in single quotes is one of them.
    pub fn arguments(&self) -> Vec<&str> {
        let pieces = self.args.as_deref().unwrap_or_default().split('\'');
        let (mut arguments, mut is_quoted) = (Vec::new(), false);
        for piece in pieces {
            match is_quoted {
                true => arguments.push(piece),
                false => arguments.extend(piece.split_whitespace()),
            }
            is_quoted = !is_quoted;
        }
        arguments
    }
}

#[derive(Debug, Deserialize)]
pub struct Step {
    pub method: String,
    pub path: String,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Absent: the key of the scenario. Null: none.
    #[serde(default, deserialize_with = "present")]
    pub key: Option<Option<String>>,
    /// Kept as text: numbers beyond what a parser holds must arrive as they were recorded.
    #[serde(default, deserialize_with = "present")]
    pub body: Option<Box<RawValue>>,
    #[serde(default)]
    pub text: Option<String>,
    #[serde(default, rename = "type")]
    pub content_type: Option<String>,
    #[serde(default)]
    pub wait: bool,
    #[serde(default)]
    pub save: BTreeMap<String, String>,
    pub status: u16,
    pub answer: Value,
    #[serde(default)]
    pub task: Option<Value>,
}

impl Scenario {
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).expect("a scenario can be read");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

impl Step {
    /// Did the recorded answer enqueue a task?
    pub fn enqueues(&self) -> bool {
        self.answer.get("taskUid").is_some()
    }

    /// The request, before variables are replaced.
    pub fn payload(&self) -> Option<String> {
        match &self.body {
            Some(body) => Some(respaced(body.get())),
            None => self.text.clone(),
        }
    }

    /// An empty type means that a text is sent without one.
    pub fn content_type(&self) -> Option<&str> {
        match (&self.body, self.content_type.as_deref()) {
            (None, Some("")) => None,
            (_, given) => Some(given.unwrap_or("application/json")),
        }
    }
}

/// Distinguishes a member that is null from one that is missing.
fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// The JSON text on one line with a blank behind `,` and `:`, as it was sent when the answers
/// were recorded: some of them name columns.
fn respaced(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut in_string = false;
    let mut escaped = false;
    for character in json.chars() {
        if in_string {
            out.push(character);
            in_string = escaped || character != '"';
            escaped = !escaped && character == '\\';
            continue;
        }
        match character {
            ' ' | '\n' | '\r' | '\t' => {}
            ',' | ':' => out.extend([character, ' ']),
            _ => {
                out.push(character);
                in_string = character == '"';
            }
        }
    }
    out
}

#[test]
fn bodies_are_respaced_outside_of_strings_only() {
    let json = "{\n \"a\\\"b: ,\": [1,\n 2.50 ] ,\"c\":\"\\\\\", \"d\" :{} }";
    assert_eq!(respaced(json), r#"{"a\"b: ,": [1, 2.50], "c": "\\", "d": {}}"#);
}
