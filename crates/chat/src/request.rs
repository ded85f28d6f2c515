//! A completion request, and the request sent to the provider: the same, with our instructions
//! before the messages and our function instead of the client's tools. Other members are passed
//! through.

use model::{Code, ServiceError};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use crate::number::{F32, I64, Number, U8, U32};
use crate::prompts::Prompts;
use crate::provider::Provider;
use crate::reports::{ClientTool, Reports, not_called};
use crate::search_tool::{self, IndexDescription};

/// The body of a request. Its members are checked in the order in which they are sent.
#[derive(Debug, Deserialize)]
#[serde(expecting = "struct CreateChatCompletionRequest")]
pub struct CompletionRequest {
    messages: Vec<Message>,
    model: String,
    n: Option<u8>,
    stream: Option<bool>,
    stream_options: Option<Map<String, Value>>,
    tools: Option<Vec<ClientTool>>,
    /// The former name of tools.
    functions: Option<Vec<Function>>,
    temperature: Option<Number<F32>>,
    top_p: Option<Number<F32>>,
    frequency_penalty: Option<Number<F32>>,
    presence_penalty: Option<Number<F32>>,
    max_tokens: Option<Number<U32>>,
    max_completion_tokens: Option<Number<U32>>,
    top_logprobs: Option<Number<U8>>,
    seed: Option<Number<I64>>,
    logprobs: Option<bool>,
    store: Option<bool>,
    parallel_tool_calls: Option<bool>,
    user: Option<String>,
    #[serde(flatten)]
    others: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
struct Function {
    name: String,
}

/// A message of a known role, otherwise unchanged.
#[derive(Debug)]
struct Message(Map<String, Value>);

#[derive(Debug, Deserialize)]
#[serde(expecting = "a message")]
struct AnyMessage {
    role: Role,
    #[serde(flatten)]
    others: Map<String, Value>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(variant_identifier, rename_all = "lowercase")]
enum Role {
    Developer,
    System,
    User,
    Assistant,
    Tool,
    Function,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Role::Developer => "developer",
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
            Role::Function => "function",
        }
    }

    /// Returns the members that a message of this role requires.
    fn needed(self) -> &'static [&'static str] {
        match self {
            Role::Developer | Role::System | Role::User => &["content"],
            Role::Assistant => &[],
            Role::Tool => &["content", "tool_call_id"],
            Role::Function => &["name"],
        }
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let AnyMessage { role, others } = AnyMessage::deserialize(deserializer)?;
        if let Some(missing) = role.needed().iter().find(|name| !others.contains_key(**name)) {
            return Err(D::Error::missing_field(missing));
        }
        let mut members = Map::from_iter([("role".to_owned(), Value::from(role.name()))]);
        // Null means absent, and some providers reject it.
        members.extend(
            others.into_iter().filter(|(name, value)| !value.is_null() || name == "content"),
        );
        Ok(Self(members))
    }
}

impl CompletionRequest {
    /// Checks that the requested form of the answer is supported.
    pub fn check_form(&self) -> Result<(), ServiceError> {
        if self.stream != Some(true) {
            return Err(ServiceError::new(
                Code::UnimplementedNonStreamingChatCompletions,
                "Non-streaming chat completions are not implemented: `stream` must be `true`.",
            ));
        }
        if self.n.is_some_and(|n| n != 1) {
            return Err(ServiceError::new(
                Code::UnimplementedMultiChoiceChatCompletions,
                "Chat completions with several choices are not implemented: `n` must be `1`.",
            ));
        }
        Ok(())
    }

    /// Returns the requested reports; fails for tools that cannot be called.
    pub fn reports(&self) -> Result<Reports, ServiceError> {
        let functions: Vec<&str> =
            self.functions.iter().flatten().map(|function| function.name.as_str()).collect();
        if !functions.is_empty() {
            return Err(not_called(&functions));
        }
        Reports::wanted(self.tools.as_deref().unwrap_or_default())
    }

    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns whether the client itself asks for token usage.
    pub(crate) fn wants_usage(&self) -> bool {
        let include = self.stream_options.as_ref().and_then(|options| options.get("include_usage"));
        include == Some(&Value::Bool(true))
    }

    /// Returns the members whose types are checked and which only the provider uses.
    fn options(&self) -> Vec<(String, Value)> {
        fn number<K>(number: &Option<Number<K>>) -> Option<Value> {
            number.as_ref().map(|number| number.value.clone())
        }
        let options = [
            ("temperature", number(&self.temperature)),
            ("top_p", number(&self.top_p)),
            ("frequency_penalty", number(&self.frequency_penalty)),
            ("presence_penalty", number(&self.presence_penalty)),
            ("max_tokens", number(&self.max_tokens)),
            ("max_completion_tokens", number(&self.max_completion_tokens)),
            ("top_logprobs", number(&self.top_logprobs)),
            ("seed", number(&self.seed)),
            ("logprobs", self.logprobs.map(Value::from)),
            ("store", self.store.map(Value::from)),
            ("parallel_tool_calls", self.parallel_tool_calls.map(Value::from)),
            ("user", self.user.clone().map(Value::from)),
        ];
        let given = options.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        given.collect()
    }

    pub(crate) fn into_body(
        self,
        provider: &Provider,
        prompts: &Prompts,
        indexes: &[IndexDescription],
    ) -> ProviderRequest {
        let options = self.options();
        let role = provider.prompt_role(&self.model);
        let instructions = json!({"role": role, "content": prompts.system()});
        let own = self.messages.into_iter().map(|message| Value::Object(message.0));
        let messages = std::iter::once(instructions).chain(own).collect();

        let mut fixed = Map::from_iter([
            ("model".to_owned(), Value::from(self.model)),
            ("stream".to_owned(), Value::from(true)),
        ]);
        let mut stream_options = self.stream_options;
        if provider.reports_usage() {
            let options = stream_options.get_or_insert_default();
            options.insert("include_usage".to_owned(), Value::from(true));
        }
        fixed.extend(stream_options.map(|options| ("stream_options".to_owned(), options.into())));
        fixed.extend(self.n.map(|n| ("n".to_owned(), Value::from(n))));
        fixed.extend(options);
        fixed.extend(self.others);
        match search_tool::definition(prompts, indexes) {
            Some(tool) => {
                fixed.insert("tools".to_owned(), Value::from(vec![tool]));
            }
            // Without tools there is nothing to choose.
            None => fixed.retain(|name, _| name != "tool_choice" && name != "parallel_tool_calls"),
        }
        ProviderRequest { fixed, messages }
    }
}

/// The request body for a provider.
#[derive(Debug, Serialize)]
pub(crate) struct ProviderRequest {
    #[serde(flatten)]
    fixed: Map<String, Value>,
    pub messages: Vec<Value>,
}

impl ProviderRequest {
    /// Lets the model choose: a client that requires a search has got one, and it must not loop
    /// forever.
    pub fn let_model_choose(&mut self) {
        self.fixed.shift_remove("tool_choice");
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        // Maps with string keys always serialise.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Endpoint;

    fn request(body: &Value) -> CompletionRequest {
        serde_json::from_value(body.clone()).unwrap()
    }

    fn user(text: &str) -> Value {
        json!([{"role": "user", "content": text}])
    }

    fn provider(is_open_ai: bool) -> Provider {
        let endpoint = if is_open_ai {
            Endpoint::OpenAi { base_url: None, org_id: None, project_id: None }
        } else {
            Endpoint::Mistral { base_url: None }
        };
        Provider::new(endpoint, None)
    }

    fn sent(body: &Value, is_open_ai: bool, indexes: &[IndexDescription]) -> Value {
        let prompts = Prompts { system: Some("Be brief.".to_owned()), ..Prompts::default() };
        let body = request(body).into_body(&provider(is_open_ai), &prompts, indexes);
        serde_json::from_slice(&body.to_bytes()).unwrap()
    }

    fn refusal(text: &str) -> String {
        serde_json::from_str::<CompletionRequest>(text).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_their_position() {
        let roles = "`developer`, `system`, `user`, `assistant`, `tool`, `function`";
        for (text, expected) in [
            ("{}", "missing field `messages` at line 1 column 2".to_owned()),
            (r#"{"messages":[]}"#, "missing field `model` at line 1 column 15".to_owned()),
            (
                r#"{"messages":[{}],"model":"m"}"#,
                "missing field `role` at line 1 column 15".to_owned(),
            ),
            (
                r#"{"messages":[{"role":"wizard"}],"model":"m"}"#,
                format!("unknown variant `wizard`, expected one of {roles} at line 1 column 29"),
            ),
            (
                r#"{"model":5}"#,
                "invalid type: integer `5`, expected a string at line 1 column 10".to_owned(),
            ),
            (
                r#"{"temperature":"hot"}"#,
                "invalid type: string \"hot\", expected f32 at line 1 column 20".to_owned(),
            ),
            (
                r#"{"max_tokens":-1}"#,
                "invalid value: integer `-1`, expected u32 at line 1 column 16".to_owned(),
            ),
            (
                "[]",
                "invalid type: sequence, expected struct CreateChatCompletionRequest at line 1 column 0"
                    .to_owned(),
            ),
        ] {
            assert_eq!(refusal(text), expected, "{text}");
        }
        for (message, missing) in [
            (r#"{"role":"user"}"#, "content"),
            (r#"{"role":"tool","content":"x"}"#, "tool_call_id"),
            (r#"{"role":"function"}"#, "name"),
        ] {
            let told = refusal(&format!(r#"{{"model":"m","messages":[{message}]}}"#));
            assert!(told.starts_with(&format!("missing field `{missing}`")), "{told}");
        }
        assert_eq!(
            refusal(r#"{"model":"m","messages":[{"role":5}]}"#),
            "invalid type: integer `5`, expected variant identifier at line 1 column 34"
        );
    }

    #[test]
    fn only_streams_of_one_choice_can_be_given() {
        let code = |body: Value| request(&body).check_form().map_err(|error| error.code);
        let messages = user("hi");
        let whole = Err(Code::UnimplementedNonStreamingChatCompletions);
        let several = Err(Code::UnimplementedMultiChoiceChatCompletions);
        for (body, expected) in [
            (json!({"model": "m", "messages": messages}), whole),
            (json!({"model": "m", "messages": messages, "stream": false, "n": 2}), whole),
            (json!({"model": "m", "messages": messages, "stream": null}), whole),
            (json!({"model": "m", "messages": messages, "stream": true, "n": 2}), several),
            (json!({"model": "m", "messages": messages, "stream": true, "n": 0}), several),
            (json!({"model": "m", "messages": messages, "stream": true, "n": 1}), Ok(())),
            (json!({"model": "m", "messages": messages, "stream": true, "n": null}), Ok(())),
        ] {
            assert_eq!(code(body.clone()), expected, "{body}");
        }
    }

    #[test]
    fn functions_of_the_client_are_refused_in_their_old_form_too() {
        let body = json!({"model": "m", "messages": [], "functions": [{"name": "buy"}]});
        let error = request(&body).reports().unwrap_err();
        assert_eq!(error.code, Code::UnimplementedExternalFunctionCalling);
        assert!(error.message.starts_with("buy: "));
    }

    #[test]
    fn unknown_members_are_passed_through() {
        let body = json!({
            "model": "o9", "messages": user("hi"), "stream": true, "temperature": 0.25, "n": 1,
            "tools": [{"type": "function", "function": {"name": "_meiliSearchProgress"}}],
            "tool_choice": "auto", "seed": 3, "new_thing": {"a": [1]}, "max_tokens": 40, "user": "u",
            "parallel_tool_calls": false, "top_p": null,
        });
        let teas = IndexDescription { uid: "teas".to_owned(), ..IndexDescription::default() };
        let mut asked = sent(&body, true, std::slice::from_ref(&teas));
        let tools = asked["tools"].take();
        assert_eq!(tools.as_array().unwrap().len(), 1);
        assert_eq!(tools[0]["function"]["name"], search_tool::SEARCH);
        assert_eq!(
            asked,
            json!({
                "model": "o9", "stream": true, "stream_options": {"include_usage": true}, "n": 1,
                "temperature": 0.25, "tool_choice": "auto", "seed": 3, "new_thing": {"a": [1]},
                "max_tokens": 40, "user": "u", "parallel_tool_calls": false,
                "tools": null,
                "messages": [{"role": "developer", "content": "Be brief."},
                             {"role": "user", "content": "hi"}],
            })
        );
        let bare = sent(&body, false, &[]);
        assert_eq!(bare["messages"][0]["role"], "system");
        for absent in ["tools", "tool_choice", "parallel_tool_calls", "stream_options"] {
            assert_eq!(bare.get(absent), None, "{absent}");
        }
    }

    #[test]
    fn usage_is_asked_for_beside_what_the_client_wants() {
        let options = json!({"include_obfuscation": false});
        let body = json!({"model": "m", "messages": [], "stream_options": options});
        assert!(!request(&body).wants_usage());
        assert_eq!(
            sent(&body, true, &[])["stream_options"],
            json!({"include_obfuscation": false, "include_usage": true})
        );
        assert_eq!(sent(&body, false, &[])["stream_options"], options);
        let asks = json!({"model": "m", "messages": [], "stream_options": {"include_usage": true}});
        assert!(request(&asks).wants_usage());
    }

    #[test]
    fn members_that_are_null_are_left_out_of_messages() {
        let messages = json!([
            {"role": "assistant", "content": null, "tool_calls": [{"id": "a"}], "tool_call_id": null},
            {"role": "tool", "content": "x", "tool_call_id": "a", "tool_calls": null},
        ]);
        let asked = sent(&json!({"model": "m", "messages": messages}), true, &[]);
        assert_eq!(
            asked["messages"].as_array().unwrap()[1..],
            [
                json!({"role": "assistant", "content": null, "tool_calls": [{"id": "a"}]}),
                json!({"role": "tool", "content": "x", "tool_call_id": "a"}),
            ]
        );
    }
}
