//! The methods of the protocol that this server supports: both forms of the handshake, and tools.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::catalogue::{self, Tool};
use super::invocation;
use super::message::{Request, RpcError};
use super::revision::Revision;
use super::sender::Sender;
use crate::app::App;

/// How long a client may cache a list, in milliseconds. Keys rarely change.
const FRESH_MS: u64 = 300_000;

/// Instructions to assistants for the whole server.
const INSTRUCTIONS: &str = "\
Sonde is a search engine for JSON documents, stored in indexes. Start with `list_indexes`. \
`get_settings` lists the attributes of an index that support filters, sorting and facets; `search` \
finds documents by keywords, meaning and filters, tolerates typos, and ranks the best hits first.";

pub async fn run(
    app: &App,
    sender: &Sender,
    revision: Revision,
    request: Request,
) -> Result<Box<RawValue>, RpcError> {
    let Request { method, mut params, .. } = request;
    let mut result = match (method.as_str(), revision.has_handshake()) {
        ("initialize", true) => initialize(app, &params)?,
        ("ping", true) => json!({}),
        ("server/discover", false) => discover(),
        ("tools/list", _) => list(app, sender, &params)?,
        ("tools/call", _) => {
            let result = call(app, sender, &mut params).await?;
            return to_raw_json(&result.in_revision(revision, || server_info(app)));
        }
        _ => return Err(RpcError::method_not_found(&method)),
    };
    if revision == Revision::Stateless {
        result["resultType"] = json!("complete");
        result["_meta"] = meta(server_info(app));
        result["ttlMs"] = json!(FRESH_MS);
        // The list depends on the key.
        result["cacheScope"] = json!("private");
    }
    to_raw_json(&result)
}

fn initialize(app: &App, params: &Map<String, Value>) -> Result<Value, RpcError> {
    let Some(Value::String(wanted)) = params.get("protocolVersion") else {
        return Err(RpcError::invalid_params("The parameter `protocolVersion` must be a string."));
    };
    Ok(json!({
        "protocolVersion": Revision::agreed(wanted).name(),
        "capabilities": capabilities(),
        "serverInfo": server_info(app),
        "instructions": INSTRUCTIONS,
    }))
}

fn discover() -> Value {
    json!({
        "supportedVersions": Revision::names(),
        "capabilities": capabilities(),
        "instructions": INSTRUCTIONS,
    })
}

fn capabilities() -> Value {
    json!({ "tools": {} })
}

fn server_info(app: &App) -> Value {
    let version = &app.options.version.pkg_version;
    json!({ "name": "sonde", "title": "Sonde", "version": version })
}

/// Returns the `_meta` member of results, which names the server.
pub fn meta(server_info: Value) -> Value {
    json!({ "io.modelcontextprotocol/serverInfo": server_info })
}

/// Lists the tools that the key of the caller allows for at least one index. They fit on one page.
fn list(app: &App, sender: &Sender, params: &Map<String, Value>) -> Result<Value, RpcError> {
    if params.get("cursor").is_some_and(|cursor| !cursor.is_null()) {
        return Err(RpcError::invalid_params("There is no page at this `cursor`."));
    }
    let tools: Vec<Value> = catalogue::all()
        .iter()
        .filter(|tool| tool.is_open_to(&app.engine, &sender.headers))
        .map(Tool::shown)
        .collect();
    Ok(json!({ "tools": tools }))
}

async fn call(
    app: &App,
    sender: &Sender,
    params: &mut Map<String, Value>,
) -> Result<invocation::Outcome, RpcError> {
    let Some(Value::String(name)) = params.get("name") else {
        return Err(RpcError::invalid_params("The parameter `name` must be a string."));
    };
    let Some(tool) = catalogue::named(name) else {
        return Err(RpcError::invalid_params(format!("Unknown tool: {name}")));
    };
    let arguments = match params.remove("arguments") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(arguments)) => arguments,
        Some(_) => {
            return Err(RpcError::invalid_params("The parameter `arguments` must be an object."));
        }
    };
    Ok(invocation::run(app, sender, tool, arguments).await)
}

fn to_raw_json(result: &impl Serialize) -> Result<Box<RawValue>, RpcError> {
    // Serialising fails only on keys that are not strings.
    serde_json::value::to_raw_value(result).map_err(|error| {
        RpcError::invalid_request(format!("The result cannot be written: {error}"))
    })
}
