use serde_json::json;

use crate::harness::{TestServer, members};

#[test]
fn health_and_version_need_nothing() {
    let server = TestServer::shared();
    server.call("GET /health").is(200, json!({"status": "available"}));
    server.call("GET /health?x=1").is(200, json!({"status": "available"}));
    let version = server.call("GET /version?a=b");
    assert_eq!(version.header("x-sonde-interface-version"), Some("1.50.0"));
    let version = version.json();
    assert_eq!(members(&version), ["commitSha", "commitDate", "pkgVersion"]);
    assert_eq!(version["pkgVersion"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn the_error_page_has_an_anchor_for_the_link_of_an_error() {
    let server = TestServer::shared();
    let error = server.call("GET /indexes/nowhere").json();
    let link = error["link"].as_str().unwrap().to_owned();
    let (page, code) = link.split_once('#').unwrap();
    assert_eq!(page, "http://sonde.test/docs/errors");
    let page = server.call("GET /docs/errors");
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(page.text().contains(&format!("id=\"{code}\"")));
}

#[test]
fn an_answer_says_what_it_varies_by() {
    let server = TestServer::shared();
    for line in ["GET /health", "GET /nowhere", "PUT /health", "GET /indexes?limit=x"] {
        let vary = server.call(line).header("vary").unwrap_or_default().to_lowercase();
        for name in ["origin", "access-control-request-method", "access-control-request-headers"] {
            assert!(vary.contains(name), "{line}: {vary}");
        }
    }
}
