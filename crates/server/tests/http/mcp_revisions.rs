//! `/mcp` as a transport: both ways to begin, versions and the headers that mirror a message,
//! notifications, batches, and messages that cannot be read.

use serde_json::{Value, json};

use super::harness::{Answer, Request, TestServer};
use super::mcp::{message, result, to};

const NEWEST: &str = "2026-07-28";
const SUPPORTED: [&str; 4] = [NEWEST, "2025-11-25", "2025-06-18", "2025-03-26"];

#[track_caller]
fn refused(answer: &Answer, status: u16, code: i64) -> Value {
    let body = answer.json();
    assert_eq!((answer.status, &body["error"]["code"]), (status, &json!(code)), "{body}");
    assert_eq!(body.get("result"), None);
    body["error"].clone()
}

/// The members that the newest revision requires in each request.
fn meta(version: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "a test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A request of the newest revision with the headers that it needs.
fn stateless(server: &TestServer, method: &str, mut params: Value) -> Request {
    params["_meta"] = meta(NEWEST);
    let request = to(server).header("MCP-Protocol-Version", NEWEST).header("Mcp-Method", method);
    let request = match params["name"].as_str() {
        Some(name) => request.header("Mcp-Name", name),
        None => request,
    };
    request.json(&message(method, params))
}

#[test]
fn the_newest_revision_needs_no_beginning() {
    let server = TestServer::shared();
    let found = result(&stateless(&server, "server/discover", json!({})).send());
    assert_eq!(found["supportedVersions"], json!(SUPPORTED));
    assert_eq!(found["capabilities"], json!({"tools": {}}));
    assert!(found["instructions"].as_str().unwrap().contains("list_indexes"));
    let listed = result(&stateless(&server, "tools/list", json!({})).send());
    assert_eq!(listed["tools"].as_array().unwrap().len(), 9);
    for found in [&found, &listed] {
        assert_eq!(
            (&found["resultType"], &found["cacheScope"]),
            (&json!("complete"), &json!("private"))
        );
        assert!(found["ttlMs"].is_u64());
        let server_info = &found["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(server_info["name"], "sonde");
    }
    let called = stateless(&server, "tools/call", json!({"name": "list_indexes"})).send();
    let called = result(&called);
    assert_eq!((&called["resultType"], &called["isError"]), (&json!("complete"), &json!(false)));
    assert_eq!(called.get("ttlMs"), None);
    assert_eq!(called["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "sonde");

    // Earlier revisions, or none.
    for method in ["initialize", "ping", "resources/list", "subscriptions/listen", "no/such"] {
        refused(&stateless(&server, method, json!({})).send(), 404, -32601);
    }
    let unknown = stateless(&server, "tools/call", json!({"name": "no_such"})).send();
    refused(&unknown, 400, -32602);
}

#[test]
fn headers_must_say_what_the_body_says() {
    let server = TestServer::shared();
    let call = |name: &str| {
        let params = json!({"name": "list_indexes", "_meta": meta(NEWEST)});
        let all = [
            ("MCP-Protocol-Version", NEWEST),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "list_indexes"),
        ];
        let kept = all.into_iter().filter(|(header, _)| *header != name);
        let request = kept.fold(to(&server), |request, (name, value)| request.header(name, value));
        request.json(&message("tools/call", params))
    };
    assert_eq!(call("").send().status, 200);
    let encoded = call("Mcp-Name").header("Mcp-Name", "=?base64?bGlzdF9pbmRleGVz?=").send();
    assert_eq!(encoded.status, 200);
    for name in ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"] {
        refused(&call(name).send(), 400, -32020);
        refused(&call(name).header(name, "search").send(), 400, -32020);
        refused(&call("").header(name, "search").send(), 400, -32020);
    }
    // In the other direction: the header speaks of the newest revision, and the body does not.
    let bare = to(&server).header("MCP-Protocol-Version", NEWEST);
    refused(&bare.json(&message("tools/list", json!({}))).send(), 400, -32602);
    let mut meta = meta(NEWEST);
    meta.as_object_mut().unwrap().shift_remove("io.modelcontextprotocol/clientCapabilities");
    let request =
        to(&server).header("MCP-Protocol-Version", NEWEST).header("Mcp-Method", "tools/list");
    let error =
        refused(&request.json(&message("tools/list", json!({"_meta": meta}))).send(), 400, -32602);
    assert!(error["message"].as_str().unwrap().contains("clientCapabilities"), "{error}");
}

#[test]
fn unknown_versions_are_told_what_there_is() {
    let server = TestServer::shared();
    let request = to(&server).header("MCP-Protocol-Version", "1900-01-01");
    let request = request.header("Mcp-Method", "tools/list");
    let params = json!({"_meta": meta("1900-01-01")});
    let error = refused(&request.json(&message("tools/list", params)).send(), 400, -32022);
    assert_eq!(error["data"], json!({"supported": SUPPORTED, "requested": "1900-01-01"}));
    let request = to(&server).header("MCP-Protocol-Version", "1900-01-01");
    refused(&request.json(&message("ping", json!({}))).send(), 400, -32022);
}

#[test]
fn the_revisions_before_begin_with_initialize() {
    let server = TestServer::shared();
    for (wanted, agreed) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2025-11-25"),
        (NEWEST, "2025-11-25"),
        ("soon", "2025-11-25"),
    ] {
        let params = json!({
            "protocolVersion": wanted, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
        });
        let answer = to(&server).json(&message("initialize", params)).send();
        assert_eq!(answer.header("mcp-session-id"), None);
        let begun = result(&answer);
        assert_eq!(begun["protocolVersion"], agreed, "{wanted}");
        assert_eq!(begun["serverInfo"]["name"], "sonde");
        assert_eq!(begun["capabilities"], json!({"tools": {}}));
    }
    refused(&to(&server).json(&message("initialize", json!({}))).send(), 200, -32602);

    let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let request = to(&server).header("MCP-Protocol-Version", "2025-11-25");
    request.json(&notification).send().is_empty(202);
    let late = to(&server).header("MCP-Protocol-Version", "1900-01-01").json(&notification);
    refused(&late.send(), 400, -32022);

    let ping = to(&server).header("MCP-Protocol-Version", "2025-06-18");
    let answer = ping.json(&message("ping", json!({}))).send();
    answer.is(200, json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    let unknown = to(&server).json(&message("server/discover", json!({}))).send();
    refused(&unknown, 200, -32601);
}

#[test]
fn unreadable_messages_are_refused() {
    let server = TestServer::shared();
    for (body, code) in [
        ("", -32700),
        ("{", -32700),
        ("\"ping\"", -32600),
        (r#"{"id": 1, "method": "ping"}"#, -32600),
        (r#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#, -32600),
        (r#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#, -32600),
    ] {
        refused(&to(&server).body("application/json", body).send(), 400, code);
    }
    let plain = to(&server).body("text/plain", "{}").send();
    plain.is_error_like(415, "invalid_content_type", "text/plain");
    // There is no stream to listen to and no session to end.
    for line in ["GET /mcp", "DELETE /mcp"] {
        let answer = server.call(line);
        answer.is_empty(405);
        assert_eq!(answer.header("allow"), Some("POST"));
    }
}

#[test]
fn batches_are_of_the_first_revision_alone() {
    let server = TestServer::shared();
    let ping = message("ping", json!({}));
    let mut other = message("no/such", json!({}));
    other["id"] = json!("b");
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let batch = json!([ping, notification, other, 7]);
    for version in [None, Some("2025-03-26")] {
        let request = match version {
            Some(version) => to(&server).header("MCP-Protocol-Version", version),
            None => to(&server),
        };
        let replies = request.json(&batch).send();
        assert_eq!(replies.status, 200);
        let replies = replies.json();
        let ids: Vec<&Value> =
            replies.as_array().unwrap().iter().map(|reply| &reply["id"]).collect();
        assert_eq!(ids, [&json!(1), &json!("b"), &Value::Null]);
        assert_eq!(replies[1]["error"]["code"], -32601);
        assert_eq!(replies[2]["error"]["code"], -32600);
    }
    to(&server).json(&json!([notification, notification])).send().is_empty(202);
    for version in ["2025-06-18", "2025-11-25", NEWEST] {
        let request = to(&server).header("MCP-Protocol-Version", version);
        refused(&request.json(&batch).send(), 400, -32600);
    }
    refused(&to(&server).json(&json!([])).send(), 400, -32600);
    refused(&to(&server).json(&json!(vec![ping; 51])).send(), 400, -32600);
}
