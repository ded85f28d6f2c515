//! Reports to the client about the searches of a conversation. It requests them by declaring tools
//! that no model ever sees; they come as calls of these tools among the chunks of the answer.

use model::timestamp::now;
use model::{Code, ServiceError};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::calls::ToolCall;
use crate::chunk::Chunk;
use crate::search_tool::SEARCH;

const PROGRESS: &str = "_meiliSearchProgress";
const SOURCES: &str = "_meiliSearchSources";
const MESSAGES: &str = "_meiliAppendConversationMessage";

/// A tool as clients declare it.
#[derive(Debug, Deserialize)]
pub(crate) struct ClientTool {
    #[serde(rename = "type")]
    _kind: ToolKind,
    function: ClientFunction,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ToolKind {
    Function,
}

#[derive(Debug, Deserialize)]
struct ClientFunction {
    name: String,
}

/// The requested reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reports {
    /// The start of a search.
    progress: bool,
    /// The documents that a search found.
    sources: bool,
    /// The messages that a client must repeat for the model to remember its searches.
    messages: bool,
}

impl Reports {
    /// Reads the declared tools; fails for other tools, which no one would run.
    pub(crate) fn wanted(tools: &[ClientTool]) -> Result<Self, ServiceError> {
        let mut reports = Self::default();
        let mut foreign = Vec::new();
        for tool in tools {
            match tool.function.name.as_str() {
                PROGRESS => reports.progress = true,
                SOURCES => reports.sources = true,
                MESSAGES => reports.messages = true,
                SEARCH => {
                    let message = format!("{SEARCH}: Function name is already used.");
                    return Err(ServiceError::new(Code::BadRequest, message));
                }
                name => foreign.push(name),
            }
        }
        if foreign.is_empty() { Ok(reports) } else { Err(not_called(&foreign)) }
    }
}

pub(crate) fn not_called(functions: &[&str]) -> ServiceError {
    let message =
        format!("{}: External function calling is not implemented.", functions.join(", "));
    ServiceError::new(Code::UnimplementedExternalFunctionCalling, message)
}

/// Writes the chunks of reports.
#[derive(Debug)]
pub(crate) struct Reporter {
    reports: Reports,
    model: String,
    /// Id of the current answer.
    id: Value,
    created: Value,
    /// Index of the next report. Clients join pieces of equal index, so each report has its own.
    next_index: usize,
}

impl Reporter {
    pub fn new(reports: Reports, model: String) -> Self {
        let id = Value::from(format!("chatcmpl-{}", Uuid::new_v4().simple()));
        let created = Value::from(now().unix_timestamp());
        Self { reports, model, id, created, next_index: 0 }
    }

    /// Sets the answer that reports belong to, from one of its chunks.
    pub fn follow(&mut self, chunk: &Chunk) {
        for (name, kept) in [("id", &mut self.id), ("created", &mut self.created)] {
            if let Some(value) = chunk.member(name) {
                kept.clone_from(value);
            }
        }
        if let Some(model) = chunk.member("model").and_then(Value::as_str) {
            model.clone_into(&mut self.model);
        }
    }

    pub fn progress(&mut self, call: &ToolCall) -> Option<String> {
        let arguments = json!({
            "call_id": call.id,
            "function_name": call.name,
            "function_arguments": call.arguments,
        });
        self.reports.progress.then(|| self.chunk(PROGRESS, &arguments.to_string()))
    }

    pub fn sources(&mut self, call: &ToolCall, sources: &RawValue) -> Option<String> {
        let id = Value::from(call.id.as_str());
        let arguments = format!(r#"{{"call_id":{id},"sources":{sources}}}"#);
        self.reports.sources.then(|| self.chunk(SOURCES, &arguments))
    }

    pub fn message(&mut self, message: &Value) -> Option<String> {
        self.reports.messages.then(|| self.chunk(MESSAGES, &message.to_string()))
    }

    fn chunk(&mut self, function: &str, arguments: &str) -> String {
        let index = self.next_index;
        self.next_index += 1;
        json!({
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
            "choices": [{
                "index": 0,
                "delta": {
                    "role": "assistant",
                    "content": null,
                    "tool_calls": [{
                        "index": index,
                        "id": Uuid::new_v4(),
                        "type": "function",
                        "function": {"name": function, "arguments": arguments},
                    }],
                },
                "finish_reason": null,
            }],
        })
        .to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(names: &[&str]) -> Result<Reports, (Code, String)> {
        let tool =
            |name: &&str| json!({"type": "function", "function": {"name": name, "parameters": {}}});
        let tools = Value::from_iter(names.iter().map(tool));
        let tools: Vec<ClientTool> = serde_json::from_value(tools).unwrap();
        Reports::wanted(&tools).map_err(|error| (error.code, error.message))
    }

    #[test]
    fn only_reports_can_be_declared() {
        assert_eq!(wanted(&[]), Ok(Reports::default()));
        let all = Reports { progress: true, sources: true, messages: true };
        assert_eq!(wanted(&[MESSAGES, PROGRESS, SOURCES, PROGRESS]), Ok(all));
        let (code, message) = wanted(&[PROGRESS, "weather", "buy"]).unwrap_err();
        assert_eq!(code, Code::UnimplementedExternalFunctionCalling);
        assert!(message.starts_with("weather, buy: "), "{message}");
        assert_eq!(wanted(&[SEARCH]).unwrap_err().0, Code::BadRequest);
    }

    #[test]
    fn tools_have_a_kind_and_a_name() {
        for (tool, message) in [
            (json!({"function": {"name": "x"}}), "missing field `type`"),
            (json!({"type": "custom", "function": {"name": "x"}}), "unknown variant `custom`"),
            (json!({"type": "function"}), "missing field `function`"),
            (json!({"type": "function", "function": {}}), "missing field `name`"),
        ] {
            let error = serde_json::from_value::<ClientTool>(tool).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn reports_stand_in_the_answer_they_belong_to() {
        let all = Reports { progress: true, sources: true, messages: true };
        let mut reporter = Reporter::new(all, "asked".to_owned());
        let chunk = Chunk::parse(r#"{"id":"c1","created":7,"model":"m","choices":[]}"#.to_owned());
        reporter.follow(&chunk.unwrap());
        let call = ToolCall {
            id: "a\"".to_owned(),
            name: SEARCH.to_owned(),
            arguments: "{\"q\":null}".to_owned(),
        };
        let documents = RawValue::from_string("[{\"id\":1.50}]".to_owned()).unwrap();
        let reported = [
            reporter.progress(&call),
            reporter.sources(&call, &documents),
            reporter.message(&json!({"role": "tool"})),
        ];
        let expected = [
            (
                PROGRESS,
                r#"{"call_id":"a\"","function_name":"_meiliSearchInIndex","function_arguments":"{\"q\":null}"}"#,
            ),
            (SOURCES, r#"{"call_id":"a\"","sources":[{"id":1.50}]}"#),
            (MESSAGES, r#"{"role":"tool"}"#),
        ];
        for (place, (reported, (name, arguments))) in reported.iter().zip(expected).enumerate() {
            let chunk: Value = serde_json::from_str(reported.as_ref().unwrap()).unwrap();
            assert_eq!(
                (&chunk["id"], &chunk["created"], &chunk["model"]),
                (&json!("c1"), &json!(7), &json!("m"))
            );
            let call = &chunk["choices"][0]["delta"]["tool_calls"][0];
            assert_eq!(call["index"], place);
            assert_eq!(call["function"], json!({"name": name, "arguments": arguments}));
            assert!(Uuid::parse_str(call["id"].as_str().unwrap()).is_ok());
        }
        let mut silent = Reporter::new(Reports::default(), "m".to_owned());
        assert_eq!(silent.progress(&call), None);
        assert_eq!(silent.sources(&call, &documents), None);
        assert_eq!(silent.message(&json!({})), None);
    }
}
