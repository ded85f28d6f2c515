use serde_json::json;

use crate::harness::{INVALID_UID, Setup, TestServer};

#[test]
fn an_unknown_path_is_404_with_nothing_said() {
    let server = TestServer::shared();
    for line in [
        "GET /nope",
        "POST /nope",
        "GET /indexes/a/nope",
        "GET /indexes/a/documents/1/2",
        "GET /indexes/a/document",
        "GET /Indexes",
        "GET /HEALTH",
        "GET /./health",
        "GET /indexes/../health",
        "GET /experimental-features/metrics",
        "HEAD /nope",
        "OPTIONS /nope",
    ] {
        server.call(line).is_empty(404);
    }
}

#[test]
fn a_known_path_with_another_method_is_405_and_lists_its_methods() {
    let server = TestServer::shared();
    for (line, allow) in [
        ("PUT /indexes", "GET, POST"),
        ("DELETE /indexes", "GET, POST"),
        ("POST /indexes/a", "GET, PATCH, DELETE"),
        ("PATCH /indexes/a/documents", "GET, POST, PUT, DELETE"),
        ("POST /indexes/a/documents/1", "GET, DELETE"),
        ("GET /indexes/a/documents/fetch", "POST"),
        ("DELETE /indexes/a/documents/fetch", "POST"),
        ("GET /tasks/cancel", "POST"),
        ("POST /tasks", "GET, DELETE"),
        ("DELETE /tasks/1", "GET"),
        ("GET /swap-indexes", "POST"),
        ("POST /version", "GET"),
        ("HEAD /health", "GET"),
        ("HEAD /indexes/a/documents", "GET, POST, PUT, DELETE"),
        ("OPTIONS /indexes", "GET, POST"),
        ("TRACE /health", "GET"),
        ("BREW /health", "GET"),
        ("get /health", "GET"),
    ] {
        let answer = server.call(line);
        assert_eq!(answer.status, 405, "{line}");
        assert_eq!(answer.header("allow"), Some(allow), "{line}");
        if !line.starts_with("HEAD") {
            answer.is_empty(405);
        }
    }
}

#[test]
fn slashes_are_ignored_and_letters_may_be_encoded() {
    let server = TestServer::shared();
    server.with_documents("slashes", json!([{"id": 1, "t": "x"}]));
    for line in ["GET /health/", "GET //health", "GET /health//", "GET /h%65alth", "GET /health#f"]
    {
        server.call(line).is(200, json!({"status": "available"}));
    }
    for line in [
        "GET /indexes/slashes/documents/1/",
        "GET /indexes/slashes/documents//1",
        "GET //indexes//slashes//documents//1//",
        "GET /%69ndexes/sl%61shes/documents/%31",
    ] {
        server.call(line).is(200, json!({"id": 1, "t": "x"}));
    }
    assert_eq!(server.call("GET /indexes/?limit=1").json()["limit"], 1);
}

#[test]
fn a_name_in_the_path_is_one_segment_however_it_is_encoded() {
    let server = TestServer::shared();
    for (encoded, uid) in [
        ("caf%C3%A9", "café"),
        ("a%2Fb", "a/b"),
        ("a%20b", "a b"),
        ("%", "%"),
        ("a+b", "a+b"),
        ("*", "*"),
        ("a%00", "a\0"),
        ("~", "~"),
        ("%F0%9F%A6%89", "🦉"),
    ] {
        server.call(&format!("GET /indexes/{encoded}")).is_error(
            400,
            "invalid_index_uid",
            &format!("`{uid}` {INVALID_UID}"),
        );
    }
}

#[test]
fn every_origin_may_ask() {
    let server = TestServer::start(Setup { allowed_hosts: &["*"], ..Setup::default() });
    let answer = server.request("GET /health").header("Origin", "https://shop.example").send();
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    let answer = server.request("GET /nope").header("Origin", "null").send();
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (404, Some("*")));
    assert_eq!(server.call("GET /health").header("access-control-allow-origin"), None);
}

#[test]
fn a_preflight_is_answered_on_every_path() {
    let server = TestServer::start(Setup { allowed_hosts: &["*"], ..Setup::default() });
    for path in ["/indexes", "/nope", "/indexes/a/documents"] {
        let answer = server
            .request(&format!("OPTIONS {path}"))
            .header("Origin", "https://shop.example")
            .header("Access-Control-Request-Method", "POST")
            .header("Access-Control-Request-Headers", "authorization, x-custom")
            .send();
        answer.is_empty(200);
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        assert_eq!(answer.header("access-control-allow-headers"), Some("authorization, x-custom"));
        assert_eq!(answer.header("access-control-max-age"), Some("86400"));
        let methods = answer.header("access-control-allow-methods").unwrap();
        assert!(["GET", "POST", "PUT", "PATCH", "DELETE"].iter().all(|m| methods.contains(m)));
        assert_eq!(answer.header("access-control-allow-credentials"), None);
    }
    let no_method = server
        .request("OPTIONS /health")
        .header("Origin", "https://shop.example")
        .header("Access-Control-Request-Method", "NOT A METHOD")
        .send();
    assert_eq!(no_method.status, 405);
}

#[test]
fn a_head_beyond_all_measure_is_refused() {
    let server = TestServer::shared();
    let answer = server.request("GET /health").header("X-Long", &"x".repeat(200_000)).send();
    assert_eq!(answer.status, 431);
    let long = server.call(&format!("GET /indexes?limit={}", "1".repeat(70_000)));
    assert_eq!(long.status, 414);
    // A long filter fits well.
    let filter = format!("GET /indexes/nowhere/documents?filter={}", "a".repeat(30_000));
    assert_eq!(server.call(&filter).status, 404);
}
