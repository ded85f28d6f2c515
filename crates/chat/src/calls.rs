//! Function calls of a model, assembled from their pieces.

use serde_json::{Value, json};
use uuid::Uuid;

/// A complete function call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolCall {
    pub id: String,
    pub name: String,
    /// Arguments, which are JSON unless the model made a mistake.
    pub arguments: String,
}

impl ToolCall {
    /// Returns the form used in messages.
    pub fn to_value(&self) -> Value {
        json!({
            "id": self.id,
            "type": "function",
            "function": {"name": self.name, "arguments": self.arguments},
        })
    }
}

/// The calls of an answer in progress.
#[derive(Debug, Default)]
pub(crate) struct ToolCalls(Vec<PartialCall>);

#[derive(Debug, Default)]
struct PartialCall {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

impl ToolCalls {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the pieces of one chunk. The first piece of a call names the function, the others
    /// continue its arguments.
    pub fn add(&mut self, pieces: &[Value]) {
        for piece in pieces {
            let index = piece.get("index").and_then(Value::as_u64);
            let id = piece.get("id").and_then(Value::as_str).unwrap_or_default();
            let call = self.call_of(index, id);
            let Some(function) = piece.get("function") else { continue };
            if let Some(name) = function.get("name").and_then(Value::as_str)
                && call.name.is_empty()
            {
                name.clone_into(&mut call.name);
            }
            match function.get("arguments") {
                None | Some(Value::Null) => {}
                Some(Value::String(text)) => call.arguments.push_str(text),
                // Some providers send arguments as objects.
                Some(whole) => call.arguments.push_str(&whole.to_string()),
            }
        }
    }

    /// Returns the call that a piece belongs to. Providers that complete a call in one piece may
    /// give all of them the same index, or none; then their ids differ.
    fn call_of(&mut self, index: Option<u64>, id: &str) -> &mut PartialCall {
        let fits = |call: &PartialCall| match (id, index) {
            ("", None) => true,
            ("", index) => call.index == index,
            (id, _) => call.id == id || (call.id.is_empty() && call.index == index),
        };
        let place = self.0.iter().rposition(fits).unwrap_or_else(|| {
            self.0.push(PartialCall { index, ..PartialCall::default() });
            self.0.len() - 1
        });
        let call = &mut self.0[place];
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        call
    }

    pub fn finish(self) -> Vec<ToolCall> {
        let complete = |PartialCall { id, name, arguments, .. }| {
            // Answers refer to a call by its id.
            let id = if id.is_empty() { format!("call_{}", Uuid::new_v4().simple()) } else { id };
            ToolCall { id, name, arguments }
        };
        self.0.into_iter().map(complete).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(chunks: &[Value]) -> Vec<(String, String, String)> {
        let mut calls = ToolCalls::default();
        for chunk in chunks {
            calls.add(chunk.as_array().unwrap());
        }
        let parts = |call: ToolCall| (call.id, call.name, call.arguments);
        calls.finish().into_iter().map(parts).collect()
    }

    fn call(id: &str, name: &str, arguments: &str) -> (String, String, String) {
        (id.to_owned(), name.to_owned(), arguments.to_owned())
    }

    #[test]
    fn arguments_are_put_together_by_index() {
        let chunks = [
            json!([{"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": ""}}]),
            json!([{"index": 0, "function": {"arguments": "{\"q\""}}]),
            json!([{"index": 1, "id": "b", "function": {"name": "g", "arguments": "{"}},
                   {"index": 0, "function": {"arguments": ":1}"}}]),
            json!([{"index": 1, "function": {"arguments": "}"}}, {"index": 1}]),
        ];
        assert_eq!(collect(&chunks), [call("a", "f", "{\"q\":1}"), call("b", "g", "{}")]);
    }

    #[test]
    fn whole_calls_are_told_apart_by_id() {
        let whole = |index: Value, id: &str| json!([{"index": index, "id": id, "function": {"name": "f", "arguments": {"q": "x"}}}]);
        let expected = [call("a", "f", "{\"q\":\"x\"}"), call("b", "f", "{\"q\":\"x\"}")];
        assert_eq!(collect(&[whole(json!(0), "a"), whole(json!(0), "b")]), expected);
        assert_eq!(collect(&[whole(json!(null), "a"), whole(json!(null), "b")]), expected);
    }

    #[test]
    fn an_id_may_be_repeated_come_late_or_never() {
        let piece = |id: &str, text: &str| json!([{"index": 0, "id": id, "function": {"name": "f", "arguments": text}}]);
        assert_eq!(collect(&[piece("a", "1"), piece("a", "2")]), [call("a", "f", "12")]);
        assert_eq!(collect(&[piece("", "1"), piece("a", "2")]), [call("a", "f", "12")]);
        let calls = collect(&[piece("", "1"), piece("", "2")]);
        assert_eq!((calls.len(), calls[0].2.as_str()), (1, "12"));
        assert!(calls[0].0.starts_with("call_"));
    }
}
