//! A page as a test reads it: what there is to do on it, step by step, and what that needs.

use std::path::Path;

use serde_json::Value;

#[derive(Debug)]
pub struct Page {
    /// From the root of the repository.
    pub name: String,
    /// Options of its server.
    pub options: Vec<String>,
    /// Commands that run before the examples.
    pub before: Vec<String>,
    pub steps: Vec<Step>,
}

#[derive(Debug)]
pub struct Step {
    pub line: usize,
    /// As it stands on the page.
    pub text: String,
    pub kind: Kind,
}

#[derive(Debug)]
pub enum Kind {
    Example(Example),
    /// Commands that readers are assumed to have run by then.
    Meanwhile,
    /// The server is stopped.
    Stopped,
    /// A block that says nothing of what to do with it.
    Form,
}

#[derive(Debug)]
pub struct Example {
    pub commands: String,
    /// The status that its last command must be answered with, where that is a failure.
    pub expects: Option<u16>,
    /// A program that not everybody has.
    pub needs: Option<String>,
    pub answer: Option<Answer>,
}

/// Answer that a page shows after an example.
#[derive(Debug)]
pub enum Answer {
    Json(Value),
    Text(String),
}

impl Page {
    pub fn read(root: &Path, path: &Path) -> Self {
        let text = std::fs::read_to_string(path).expect("a page");
        let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
        Self {
            options: comments(&text, "server:").iter().flat_map(|all| words(all)).collect(),
            before: comments(&text, "before:"),
            steps: steps(&text),
            name,
        }
    }

    /// Whether this stands anywhere among what is run.
    pub fn mentions(&self, text: &str) -> bool {
        let commands = self.steps.iter().map(|step| match &step.kind {
            Kind::Example(example) => &example.commands,
            Kind::Meanwhile | Kind::Stopped | Kind::Form => &step.text,
        });
        self.before.iter().chain(commands).any(|commands| commands.contains(text))
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// What stands in comments behind this word.
fn comments(text: &str, word: &str) -> Vec<String> {
    let bodies = text.split("<!--").skip(1).filter_map(|rest| rest.split("-->").next());
    bodies.filter_map(|body| Some(body.trim().strip_prefix(word)?.trim().to_owned())).collect()
}

/// A fenced block or a comment.
struct Block<'a> {
    line: usize,
    info: &'a str,
    text: String,
    /// Whether nothing stands between it and the one before.
    is_right_behind: bool,
}

/// What a comment has in the place of the language of a block.
const COMMENT: &str = "<!--";

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut lines = text.lines().enumerate();
    let mut is_right_behind = false;
    while let Some((number, line)) = lines.next() {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        let mut block = Block { line: number + 1, info: "", text: String::new(), is_right_behind };
        if let Some(info) = trimmed.strip_prefix("```") {
            block.info = info;
            for (_, line) in lines.by_ref() {
                if line.trim_start().starts_with("```") {
                    break;
                }
                block.text.push_str(line.get(indent..).unwrap_or(line.trim_start()));
                block.text.push('\n');
            }
        } else if trimmed.starts_with(COMMENT) {
            block.info = COMMENT;
            block.text = trimmed.to_owned();
            while !block.text.contains("-->") {
                let Some((_, line)) = lines.next() else { break };
                block.text.push('\n');
                block.text.push_str(line);
            }
        } else {
            is_right_behind &= trimmed.is_empty();
            continue;
        }
        blocks.push(block);
        is_right_behind = true;
    }
    blocks
}

fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for block in blocks(text) {
        let mut info = block.info.split_whitespace();
        let language = info.next().unwrap_or_default();
        let notes: Vec<&str> = info.collect();
        let note = |name: &str| notes.iter().find_map(|note| note.strip_prefix(name));
        let before = steps.last_mut().filter(|_| block.is_right_behind && notes.is_empty());
        let kind = match (language, before.map(|step| &mut step.kind)) {
            ("sh" | "bash", _) => Kind::Example(Example {
                commands: block.text.clone(),
                expects: note("expects=").map(|status| status.parse().expect("a status")),
                needs: note("needs=").map(str::to_owned),
                answer: None,
            }),
            ("json", Some(Kind::Example(example))) if example.answer.is_none() => {
                example.answer = Some(Answer::Json(json(&block)));
                continue;
            }
            ("text", Some(Kind::Example(example))) if example.answer.is_none() => {
                example.answer = Some(Answer::Text(block.text));
                continue;
            }
            ("json", _) => {
                let commands = match (note("sends="), note("configures=")) {
                    (Some(request), _) => sending(request, &block.text),
                    (None, Some(_)) => configuring(&json(&block)),
                    (None, None) => String::new(),
                };
                if commands.is_empty() { Kind::Form } else { Kind::Example(Example::of(commands)) }
            }
            (COMMENT, _) => {
                let body = block.text.trim_start_matches(COMMENT).trim();
                let body = body.split("-->").next().unwrap_or_default().trim();
                let (kind, text) = match body.strip_prefix("meanwhile:") {
                    Some(commands) => (Kind::Meanwhile, commands.trim()),
                    None if body == "stopped" => (Kind::Stopped, ""),
                    None => continue,
                };
                steps.push(Step { line: block.line, text: text.to_owned(), kind });
                continue;
            }
            _ => Kind::Form,
        };
        steps.push(Step { line: block.line, text: block.text, kind });
    }
    steps
}

impl Example {
    fn of(commands: String) -> Self {
        Self { commands, expects: None, needs: None, answer: None }
    }
}

fn json(block: &Block<'_>) -> Value {
    let read = serde_json::from_str(&block.text);
    read.unwrap_or_else(|error| panic!("line {}: no JSON: {error}", block.line))
}

/// The request that a body is for, such as `PATCH:/network`.
fn sending(request: &str, body: &str) -> String {
    let (method, path) = request.split_once(':').expect("a method and a path");
    format!(
        "curl -X {method} 'http://localhost:7700{path}' -H 'Content-Type: application/json' \
         --data-binary @- <<'END'\n{body}END\n"
    )
}

/// What would be typed instead of writing this configuration of an assistant.
fn configuring(configuration: &Value) -> String {
    let servers = configuration["mcpServers"].as_object().expect("servers");
    let mut commands = String::new();
    for (name, server) in servers {
        let text = |member: &str| server[member].as_str().expect("a text").to_owned();
        commands += &format!("claude mcp add --transport {} {name} {}", text("type"), text("url"));
        for (header, value) in server["headers"].as_object().expect("headers") {
            commands += &format!(" --header '{header}: {}'", value.as_str().expect("a text"));
        }
        commands.push('\n');
    }
    commands
}

#[test]
fn blocks_answers_and_comments_are_told_apart() {
    let text = "<!-- before: true -->\n```sh expects=404\na\n```\n\n```json\n{\"b\": 1}\n```\n\
                <!-- meanwhile:\nc\n-->\n- d\n  ```json sends=PUT:/e\n  {}\n  ```\n\n```text\nf\n```\n\
                g\n```text\nh\n```\n<!-- stopped -->\n";
    let steps = steps(text);
    let kinds: Vec<String> = steps.iter().map(|step| format!("{:?}", step.kind)).collect();
    assert_eq!(steps.len(), 5, "{kinds:#?}");
    assert!(kinds[0].contains("Some(404)") && kinds[0].contains("Json("), "{}", kinds[0]);
    assert!(kinds[1] == "Meanwhile" && steps[1].text == "c");
    assert!(kinds[2].contains("-X PUT 'http://localhost:7700/e'") && kinds[2].contains("Text("));
    assert_eq!(kinds[3..], ["Form", "Stopped"]);
}
