//! The documentation as a browser meets it.

use crate::harness::{Setup, TestServer};

#[test]
fn pages_come_under_a_strict_policy_and_need_no_key() {
    let master_key = Some("a-key-of-twenty-bytes");
    let server = TestServer::start(Setup { master_key, dashboard: false, ..Setup::default() });
    for path in ["/docs", "/docs/start", "/docs/api", "/docs/errors", "/docs/architecture"] {
        let page = server.request(&format!("GET {path}")).without_key().send();
        assert_eq!(page.status, 200, "{path}");
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
        assert_eq!(page.header("x-content-type-options"), Some("nosniff"), "{path}");
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        let again = server.request(&format!("GET {path}"));
        again.header("If-None-Match", page.header("etag").unwrap()).send().is_empty(304);
    }
}

#[test]
fn the_link_of_an_error_leads_to_its_explanation() {
    let server = TestServer::shared();
    let error = server.call("GET /indexes/nowhere_at_all").json();
    let link = error["link"].as_str().unwrap();
    let (page, anchor) = link.strip_prefix("http://sonde.test").unwrap().split_once('#').unwrap();
    assert_eq!(anchor, "index_not_found");
    let page = server.call(&format!("GET {page}"));
    assert!(page.text().contains(&format!("id=\"{anchor}\"")));
}

#[test]
fn files_of_the_pages_are_there_and_no_others() {
    let server = TestServer::shared();
    let page = server.call("GET /docs/api").text();
    let mut files: Vec<&str> =
        page.split("/docs/assets/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    files.extend(["schema.js", "sections.json"]);
    assert!(files.len() >= 5, "{files:?}");
    for file in files {
        let answer = server.call(&format!("GET /docs/assets/{file}"));
        assert_eq!(answer.status, 200, "{file}");
        assert_ne!(answer.header("content-type"), Some("application/octet-stream"), "{file}");
    }
    server.call("GET /docs/assets/nothing.js").is_empty(404);
    assert!(server.call("GET /docs").text().contains("aria-current"));
    let missing = server.call("GET /docs/nothing");
    assert_eq!(missing.status, 404);
    assert!(missing.text().contains("No such page"));
}

#[test]
fn pages_are_sent_compressed() {
    let server = TestServer::shared();
    let answer = server.request("GET /docs/settings").header("Accept-Encoding", "gzip").send();
    assert_eq!((answer.status, answer.header("content-encoding")), (200, Some("gzip")));
}
