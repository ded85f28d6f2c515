//! One chunk of a provider's answer: what it adds, and what is forwarded to the client.

use serde_json::Value;

use crate::error_event::ErrorEvent;

#[derive(Debug)]
pub(crate) struct Chunk {
    /// The chunk as received.
    text: String,
    value: Value,
}

impl Chunk {
    /// Parses a chunk; fails with the provider's error if it is an error in the middle of the
    /// answer.
    pub fn parse(text: String) -> Result<Self, ErrorEvent> {
        let malformed =
            || ErrorEvent::bad_response("The provider sent a chunk that cannot be read.");
        let value: Value = serde_json::from_str(&text).map_err(|_| malformed())?;
        if !value.is_object() {
            return Err(malformed());
        }
        match value.get("error") {
            Some(error) if !error.is_null() => Err(ErrorEvent::of_details(error)),
            _ => Ok(Self { text, value }),
        }
    }

    /// Returns a member of the envelope, such as the id of the answer.
    pub fn member(&self, name: &str) -> Option<&Value> {
        self.value.get(name).filter(|value| !value.is_null())
    }

    /// Returns the only choice; other kinds of chunks have none.
    fn choice(&self) -> Option<&Value> {
        self.value.get("choices")?.get(0)
    }

    fn delta(&self, member: &str) -> Option<&Value> {
        self.choice()?.get("delta")?.get(member)
    }

    pub fn content(&self) -> Option<&str> {
        self.delta("content")?.as_str()
    }

    /// Returns the pieces of calls.
    pub fn tool_calls(&self) -> &[Value] {
        self.delta("tool_calls").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Returns whether the model has finished.
    pub fn is_last(&self) -> bool {
        self.choice().and_then(|choice| choice.get("finish_reason")).is_some_and(Value::is_string)
    }

    /// Returns what is forwarded to the client: the chunk without tool calls, which are between the
    /// model and us. With `more_follows`, the end of this answer is not that of the conversation.
    pub fn into_forwarded(mut self, more_follows: bool, wants_usage: bool) -> Option<String> {
        if self.choice().is_none() {
            // Clients read the choice, unless they asked for usage.
            return (wants_usage && self.member("usage").is_some()).then_some(self.text);
        }
        let hides_end = more_follows && self.is_last();
        if self.tool_calls().is_empty() && !hides_end {
            return Some(self.text);
        }
        self.content().filter(|content| !content.is_empty())?;
        let choice = self.value.get_mut("choices")?.get_mut(0)?;
        if let Some(delta) = choice.get_mut("delta").and_then(Value::as_object_mut) {
            delta.shift_remove("tool_calls");
        }
        if hides_end {
            choice["finish_reason"] = Value::Null;
        }
        Some(self.value.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(choice: &str) -> String {
        format!(r#"{{ "id":"c", "choices":[{choice}], "usage":null }}"#)
    }

    #[track_caller]
    fn check(text: &str, more_follows: bool, expected: Option<&str>) {
        let chunk = Chunk::parse(text.to_owned()).unwrap();
        assert_eq!(chunk.into_forwarded(more_follows, false).as_deref(), expected, "{text}");
    }

    #[test]
    fn client_chunks_are_forwarded_unchanged() {
        let end = chunk(r#"{"index":0,"delta":{},"finish_reason":"stop"}"#);
        for text in [
            &chunk(r#"{"delta":{"role":"assistant","content":""}}"#),
            &chunk(r#"{"delta":{"content":"Tea"},"finish_reason":null,"logprobs":{"x":1}}"#),
            &chunk(r#"{"delta":{"refusal":"no"}}"#),
            &end,
        ] {
            check(text, false, Some(text));
        }
        check(&end, true, None);
    }

    #[test]
    fn calls_are_taken_out() {
        let call = r#""tool_calls":[{"index":0}]"#;
        check(&chunk(&format!(r#"{{"delta":{{"content":null,{call}}}}}"#)), true, None);
        check(&chunk(&format!(r#"{{"delta":{{"content":"",{call}}}}}"#)), true, None);
        check(
            &chunk(&format!(
                r#"{{"delta":{{"content":"Wait",{call}}},"finish_reason":"tool_calls"}}"#
            )),
            true,
            Some(
                r#"{"id":"c","choices":[{"delta":{"content":"Wait"},"finish_reason":null}],"usage":null}"#,
            ),
        );
    }

    #[test]
    fn usage_is_forwarded_on_request() {
        let text = r#"{"choices":[],"usage":{"total_tokens":3}}"#;
        for (wants_usage, expected) in [(true, Some(text)), (false, None)] {
            let chunk = Chunk::parse(text.to_owned()).unwrap();
            assert_eq!(chunk.into_forwarded(false, wants_usage).as_deref(), expected);
        }
        for other in [r#"{"choices":[]}"#, r#"{"choices":null,"usage":null}"#, "{}"] {
            let chunk = Chunk::parse(other.to_owned()).unwrap();
            assert_eq!(chunk.into_forwarded(false, true), None);
        }
    }

    #[test]
    fn malformed_chunks_are_errors() {
        for text in ["", "{", "[]", "1", r#"{"error":{"message":"overloaded"}}"#] {
            assert!(Chunk::parse(text.to_owned()).is_err(), "{text}");
        }
        assert!(Chunk::parse(r#"{"error":null,"choices":[]}"#.to_owned()).is_ok());
    }
}
