//! `/mcp`: the tools, each of which gives what its route gives, and what is said of mistakes.

use serde_json::{Value, json};

use super::harness::{Answer, Request, TestServer, change_settings, without};

/// A request of the revisions with a beginning, which needs the least around it.
pub fn message(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

pub fn call_of(tool: &str, arguments: Value) -> Value {
    message("tools/call", json!({"name": tool, "arguments": arguments}))
}

pub fn to(server: &TestServer) -> Request {
    server.request("POST /mcp")
}

/// The result of a request that must have one.
#[track_caller]
pub fn result(answer: &Answer) -> Value {
    let body = answer.json();
    assert_eq!((answer.status, &body["jsonrpc"]), (200, &json!("2.0")), "{body}");
    assert!(body["result"].is_object(), "{body}");
    body["result"].clone()
}

/// Returns the answer of a tool, and whether it is an error.
#[track_caller]
pub fn outcome(answer: &Answer) -> (Value, bool) {
    let result = result(answer);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(result["content"][0]["type"], "text");
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"]);
    (result["structuredContent"].clone(), result["isError"].as_bool().unwrap())
}

#[track_caller]
fn tool(server: &TestServer, name: &str, arguments: Value) -> Value {
    let (found, is_error) = outcome(&to(server).json(&call_of(name, arguments)).send());
    assert!(!is_error, "{found}");
    found
}

#[track_caller]
fn refusal(server: &TestServer, name: &str, arguments: Value) -> (String, String) {
    let (error, is_error) = outcome(&to(server).json(&call_of(name, arguments)).send());
    assert!(is_error, "{error}");
    assert!(error["link"].as_str().unwrap().starts_with("http://sonde.test/docs/errors#"));
    let text = |name: &str| error[name].as_str().unwrap().to_owned();
    (text("code"), text("message"))
}

/// Books with genres and vectors.
fn library(index: &str) -> std::sync::Arc<TestServer> {
    let server = TestServer::shared();
    let embedders = json!({"hand": {"source": "userProvided", "dimensions": 2}});
    change_settings(
        &server,
        index,
        json!({
            "filterableAttributes": ["genre"], "sortableAttributes": ["year"], "embedders": embedders,
        }),
    );
    server.with_documents(
        index,
        json!([
            {"id": 1, "title": "The Salt Road", "genre": "travel", "year": 1990, "_vectors": {"hand": [0, 1]}},
            {"id": 2, "title": "Salt and Ash", "genre": "novel", "year": 2001, "_vectors": {"hand": [1, 0]}},
            {"id": 3, "title": "Rope Tricks", "genre": "craft", "year": 2010, "_vectors": {"hand": [0.1, 1]}},
        ]),
    );
    server
}

#[test]
fn every_tool_gives_what_its_route_gives() {
    let server = library("mcp_tools");
    let uid = "mcp_tools";
    let changing = ["processingTimeMs", "requestUid"];
    for (name, arguments, line, body) in [
        (
            "search",
            json!({"indexUid": uid, "q": "salt", "filter": "genre = novel", "facets": ["genre"], "limit": 5}),
            "POST /indexes/mcp_tools/search",
            Some(json!({"q": "salt", "filter": "genre = novel", "facets": ["genre"], "limit": 5})),
        ),
        (
            "facet_search",
            json!({"indexUid": uid, "facetName": "genre", "facetQuery": "no"}),
            "POST /indexes/mcp_tools/facet-search",
            Some(json!({"facetName": "genre", "facetQuery": "no"})),
        ),
        (
            "similar_documents",
            json!({"indexUid": uid, "id": 1, "embedder": "hand"}),
            "POST /indexes/mcp_tools/similar",
            Some(json!({"id": 1, "embedder": "hand"})),
        ),
        (
            "get_document",
            json!({"indexUid": uid, "id": 2, "fields": ["id", "title"]}),
            "GET /indexes/mcp_tools/documents/2?fields=id,title",
            None,
        ),
        (
            "get_document",
            json!({"indexUid": uid, "id": "2", "fields": null}),
            "GET /indexes/mcp_tools/documents/2",
            None,
        ),
        (
            "list_documents",
            json!({"indexUid": uid, "sort": ["year:desc"], "limit": 2, "fields": ["title"]}),
            "POST /indexes/mcp_tools/documents/fetch",
            Some(json!({"sort": ["year:desc"], "limit": 2, "fields": ["title"]})),
        ),
        ("get_settings", json!({"indexUid": uid}), "GET /indexes/mcp_tools/settings", None),
        ("get_index_stats", json!({"indexUid": uid}), "GET /indexes/mcp_tools/stats", None),
    ] {
        let answer = match body {
            Some(body) => server.call_json(line, body),
            None => server.call(line),
        };
        assert_eq!(answer.status, 200, "{line}: {}", answer.text());
        let fixed = |mut value: Value| {
            let members = value.as_object_mut().unwrap();
            changing.iter().for_each(|name| drop(members.shift_remove(*name)));
            value
        };
        let found = tool(&server, name, arguments);
        assert_eq!(fixed(found), fixed(answer.json()), "{name}");
    }
    let listed = tool(&server, "list_indexes", json!({"limit": 1000}));
    let is_there = |index: &Value| index["uid"] == uid;
    assert!(listed["results"].as_array().unwrap().iter().any(is_there), "{listed}");
    assert_eq!(tool(&server, "list_indexes", json!({"limit": 0}))["results"], json!([]));

    let queries = json!([{"indexUid": uid, "q": "salt"}, {"indexUid": uid, "q": "rope"}]);
    let both = tool(&server, "multi_search", json!({"queries": queries}));
    assert_eq!(both["results"][1]["hits"][0]["id"], 3);
    let merged = tool(&server, "multi_search", json!({"queries": queries, "federation": {}}));
    assert_eq!(merged["hits"].as_array().unwrap().len(), 3);
}

#[test]
fn numbers_and_texts_of_documents_come_as_they_were_stored() {
    let server = TestServer::shared();
    let line = "POST /indexes/mcp_exact/documents";
    let stored = r#"{"id":1,"big":12345678901234567890123,"exact":1.10,"text":"é\n\"<"}"#;
    server.request(line).body("application/json", format!("[{stored}]")).send().task(&server);
    let call = call_of("get_document", json!({"indexUid": "mcp_exact", "id": 1}));
    let answer = to(&server).json(&call).send();
    let shown = server.call("GET /indexes/mcp_exact/documents/1").text();
    assert!(answer.text().contains(&shown), "{} {shown}", answer.text());
}

#[test]
fn the_list_tells_how_tools_are_called() {
    let server = TestServer::shared();
    let listed = result(&to(&server).json(&message("tools/list", json!({}))).send());
    let tools = listed["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "list_indexes",
            "get_settings",
            "get_index_stats",
            "search",
            "multi_search",
            "facet_search",
            "similar_documents",
            "get_document",
            "list_documents"
        ]
    );
    for tool in tools {
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        assert!(!tool["description"].as_str().unwrap().is_empty());
    }
    assert_eq!(listed.get("nextCursor"), None);
    let paged = to(&server).json(&message("tools/list", json!({"cursor": "x"}))).send().json();
    assert_eq!(paged["error"]["code"], -32602);
}

#[test]
fn every_argument_that_a_tool_tells_of_is_taken() {
    let server = library("mcp_arguments");
    let listed = result(&to(&server).json(&message("tools/list", json!({}))).send());
    for tool in listed["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        for argument in tool["inputSchema"]["properties"].as_object().unwrap().keys() {
            let mut arguments = match name {
                "multi_search" => json!({"queries": []}),
                "list_indexes" => json!({}),
                "facet_search" => json!({"indexUid": "mcp_arguments", "facetName": "genre"}),
                "similar_documents" => {
                    json!({"indexUid": "mcp_arguments", "id": 1, "embedder": "hand"})
                }
                "get_document" => json!({"indexUid": "mcp_arguments", "id": 1}),
                _ => json!({"indexUid": "mcp_arguments"}),
            };
            let example = match argument.as_str() {
                "indexUid" | "id" | "queries" | "facetName" | "embedder" => continue,
                "offset" | "limit" => json!(1),
                "showRankingScore" => json!(true),
                "sort" => json!(["year:asc"]),
                "facets" => json!(["genre"]),
                "attributesToRetrieve" | "attributesToSearchOn" | "fields" => json!(["title"]),
                "ids" => json!([1, "2"]),
                "hybrid" => json!({"embedder": "hand", "semanticRatio": 0}),
                "federation" => json!({"limit": 1, "offset": 0}),
                "filter" => json!("genre = novel"),
                _ => json!("salt"),
            };
            arguments[argument] = example;
            let (found, is_error) = outcome(&to(&server).json(&call_of(name, arguments)).send());
            assert!(!is_error, "{name} {argument}: {found}");
        }
    }
}

#[test]
fn mistakes_are_told_to_the_assistant() {
    let server = library("mcp_mistakes");
    let uid = "mcp_mistakes";
    for (name, arguments, code, part) in [
        ("search", json!({}), "missing_index_uid", "Missing argument `indexUid`."),
        ("search", json!({"indexUid": 1}), "invalid_index_uid", "must be a string"),
        ("search", json!({"indexUid": "no such"}), "invalid_index_uid", "is not a valid index uid"),
        (
            "search",
            json!({"indexUid": "mcp_none"}),
            "index_not_found",
            "Index `mcp_none` not found.",
        ),
        (
            "search",
            json!({"indexUid": uid, "filter": "title = x"}),
            "invalid_search_filter",
            "Attribute `title` is not filterable",
        ),
        (
            "search",
            json!({"indexUid": uid, "query": "x"}),
            "bad_request",
            "Unknown field `query`: ",
        ),
        (
            "search",
            json!({"indexUid": uid, "limit": "many"}),
            "invalid_search_limit",
            "Invalid value type at `.limit`",
        ),
        ("get_document", json!({"indexUid": uid}), "missing_document_id", "Missing argument `id`."),
        ("get_document", json!({"indexUid": uid, "id": [1]}), "invalid_document_id", "must be"),
        (
            "get_document",
            json!({"indexUid": uid, "id": 9}),
            "document_not_found",
            "Document `9` not found.",
        ),
        ("list_indexes", json!({"limits": 1}), "bad_request", "Unknown parameter `limits`"),
        ("list_indexes", json!({"limit": "x"}), "invalid_index_limit", "Invalid value"),
        ("multi_search", json!({}), "bad_request", "Missing field `queries`"),
    ] {
        let (found, message) = refusal(&server, name, arguments.clone());
        assert_eq!(found, code, "{name} {arguments}: {message}");
        assert!(message.contains(part), "{message}");
    }
    // What no assistant can mend is told to its client.
    for (params, part) in [
        (json!({}), "`name` must be a string"),
        (json!({"name": 4}), "`name` must be a string"),
        (json!({"name": "drop_index"}), "Unknown tool: drop_index"),
        (json!({"name": "search", "arguments": []}), "`arguments` must be an object"),
    ] {
        let answer = to(&server).json(&message("tools/call", params.clone())).send();
        let error = &answer.json()["error"];
        assert_eq!((answer.status, &error["code"]), (200, &json!(-32602)), "{params}");
        assert!(error["message"].as_str().unwrap().contains(part), "{error}");
    }
}

#[test]
fn headers_of_the_message_do_not_reach_the_tool() {
    let server = library("mcp_headers");
    let call = call_of("search", json!({"indexUid": "mcp_headers", "q": "salt"}));
    let plain = outcome(&to(&server).json(&call).send()).0;
    let with =
        to(&server).header("Meili-Include-Metadata", "true").header("Meili-Proxy-Search", "1");
    let marked = outcome(&with.json(&call).send()).0;
    let fixed = |value| without(value, &["processingTimeMs", "requestUid"]);
    assert_eq!(fixed(plain), fixed(marked));
    // A compressed body is read; what the tool is sent is not compressed any more.
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, call.to_string().as_bytes()).unwrap();
    let packed = to(&server).header("Content-Encoding", "gzip");
    let answer = packed.body("application/json", encoder.finish().unwrap()).send();
    assert_eq!(outcome(&answer).0["hits"].as_array().unwrap().len(), 2);
}
