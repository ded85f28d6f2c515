//! Runs a tool: builds a request to its route, sends it through the guard of that route, and
//! converts the answer to the result of the tool. Errors are results, too, so that an assistant can
//! read them and do better.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use engine::keys::Access;
use http_body_util::BodyExt;
use model::{Code, ServiceError};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::catalogue::Tool;
use super::method::meta;
use super::revision::Revision;
use super::sender::Sender;
use crate::app::App;
use crate::call::Call;
use crate::http::answer::JSON;
use crate::http::error::ErrorObject;
use crate::routes::usage;

/// The answer of a route.
#[derive(Debug)]
pub struct Outcome {
    /// The JSON of the result or of an error object.
    text: String,
    is_error: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    content: [TextContent; 1],
    /// The text parsed as JSON, for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<Box<RawValue>>,
    is_error: bool,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<Value>,
}

#[derive(Debug, Serialize)]
struct TextContent {
    r#type: &'static str,
    text: String,
}

impl Outcome {
    fn of(error: &ServiceError, sender: &Sender) -> Self {
        let object = ErrorObject::new(error, &sender.links);
        let text = serde_json::to_string(&object).unwrap_or_else(|_| error.message.clone());
        Self { text, is_error: true }
    }

    pub fn in_revision(
        self,
        revision: Revision,
        server_info: impl FnOnce() -> Value,
    ) -> ToolResult {
        let is_stateless = revision == Revision::Stateless;
        ToolResult {
            result_type: is_stateless.then_some("complete"),
            structured_content: RawValue::from_string(self.text.clone()).ok(),
            content: [TextContent { r#type: "text", text: self.text }],
            is_error: self.is_error,
            meta: is_stateless.then(|| meta(server_info())),
        }
    }
}

pub async fn run(
    app: &App,
    sender: &Sender,
    tool: &Tool,
    arguments: Map<String, Value>,
) -> Outcome {
    if !tool.is_open_to(&app.engine, &sender.headers) {
        return Outcome::of(&not_allowed(tool), sender);
    }
    let request = match request(sender, tool, arguments) {
        Ok(request) => request,
        Err(error) => return Outcome::of(&error, sender),
    };
    match outcome(sender, tool.route.answer(app.clone(), request).await).await {
        Ok(outcome) => outcome,
        Err(error) => Outcome::of(&error, sender),
    }
}

async fn outcome(sender: &Sender, response: Response) -> Result<Outcome, ServiceError> {
    let is_error = !response.status().is_success();
    let unreadable = |what: String| ServiceError::internal(format!("an answer broke off: {what}"));
    let body = response.into_body().collect().await;
    let bytes = body.map_err(|error| unreadable(error.to_string()))?.to_bytes();
    sender.budget.spend(bytes.len())?;
    let text = String::from_utf8(bytes.into()).map_err(|error| unreadable(error.to_string()))?;
    Ok(Outcome { text, is_error })
}

fn not_allowed(tool: &Tool) -> ServiceError {
    let (name, action) = (tool.name, tool.action());
    let told = format!("The key does not allow the tool `{name}`, which needs `{action}`.");
    ServiceError::new(Code::InvalidApiKey, told)
}

/// Builds the request that a client would send to the route.
fn request(
    sender: &Sender,
    tool: &Tool,
    mut arguments: Map<String, Value>,
) -> Result<Call, ServiceError> {
    let route = &tool.route.route;
    let mut params = Vec::new();
    for name in route.pattern.split('/').filter_map(|part| part.strip_prefix('{')) {
        let value = match name {
            "uid}" => index_uid(arguments.remove("indexUid"))?,
            _ => document_id(arguments.remove("id"))?,
        };
        params.push((name.trim_end_matches('}').to_owned(), value));
    }
    let (query, body) = match route.method == axum::http::Method::GET {
        true => (Some(query(arguments)), Body::empty()),
        false => (None, Body::from(Value::Object(arguments).to_string())),
    };
    Ok(Call {
        headers: headers(&sender.headers),
        query,
        params,
        body,
        // Replaced by the guard.
        access: Access::nothing(),
        limits: Arc::clone(&sender.limits),
        links: sender.links.clone(),
    })
}

/// Copies the headers that identify the client. Other headers are about the request that called the
/// tool.
fn headers(sent: &HeaderMap) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for name in [header::AUTHORIZATION, header::USER_AGENT, usage::CLIENT] {
        for value in sent.get_all(&name) {
            headers.append(name.clone(), value.clone());
        }
    }
    headers.insert(header::CONTENT_TYPE, JSON);
    headers
}

fn index_uid(argument: Option<Value>) -> Result<String, ServiceError> {
    match argument {
        Some(Value::String(uid)) => Ok(uid),
        None => Err(ServiceError::new(Code::MissingIndexUid, "Missing argument `indexUid`.")),
        Some(_) => {
            let told = "The argument `indexUid` must be a string.";
            Err(ServiceError::new(Code::InvalidIndexUid, told))
        }
    }
}

fn document_id(argument: Option<Value>) -> Result<String, ServiceError> {
    match argument {
        Some(Value::String(id)) => Ok(id),
        Some(Value::Number(id)) => Ok(id.to_string()),
        None => Err(ServiceError::new(Code::MissingDocumentId, "Missing argument `id`.")),
        Some(_) => {
            let told = "The argument `id` must be a string or an integer.";
            Err(ServiceError::new(Code::InvalidDocumentId, told))
        }
    }
}

/// Writes arguments as a query string, with lists separated by commas.
fn query(arguments: Map<String, Value>) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, argument) in arguments {
        match argument {
            Value::Null => {}
            Value::Array(items) => {
                let items: Vec<String> = items.into_iter().map(parameter).collect();
                query.append_pair(&name, &items.join(","));
            }
            one => {
                query.append_pair(&name, &parameter(one));
            }
        }
    }
    query.finish()
}

fn parameter(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_become_parameters() {
        let Value::Object(arguments) = json!({
            "limit": 3, "fields": ["title", "a&b", 1], "retrieveVectors": false,
            "none": null, "odd": {"a": 1},
        }) else {
            unreachable!()
        };
        assert_eq!(
            query(arguments),
            "limit=3&fields=title%2Ca%26b%2C1&retrieveVectors=false&odd=%7B%22a%22%3A1%7D"
        );
    }
}
