//! The dashboard as a browser meets it: what is sent, under which policy, and that nothing it
//! refers to is missing. How it behaves is tested in a browser, in tests/browser.

use std::collections::BTreeSet;

use serde_json::json;

use crate::harness::{Answer, Setup, TestServer};

fn get(server: &TestServer, path: &str) -> Answer {
    let answer = server.call(&format!("GET {path}"));
    assert_eq!(answer.status, 200, "{path}");
    answer
}

/// Returns the text between `before` and the quote that ends it.
fn quoted<'a>(text: &'a str, before: &str, quote: char) -> Vec<&'a str> {
    text.split(before).skip(1).filter_map(|rest| rest.split(quote).next()).collect()
}

/// The address of a module, as seen from the one that imports it.
fn resolved(from: &str, import: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in import.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[test]
fn the_page_comes_under_a_strict_policy() {
    let server = TestServer::shared();
    let page = server.call("GET /");
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    let policy = page.header("content-security-policy").unwrap();
    for rule in [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
    ] {
        assert!(policy.split("; ").any(|given| given == rule), "{rule}: {policy}");
    }
    assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
}

#[test]
fn everything_the_page_and_its_modules_refer_to_is_there() {
    let server = TestServer::shared();
    let page = get(&server, "/").text();
    let mut open: Vec<String> = quoted(&page, "href=\"dashboard", '"')
        .into_iter()
        .chain(quoted(&page, "src=\"dashboard", '"'))
        .map(|path| format!("/dashboard{path}"))
        .collect();
    assert!(open.len() > 5, "{open:?}");
    let mut seen = BTreeSet::new();
    while let Some(path) = open.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let answer = get(&server, &path);
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        let kind = answer.header("content-type").unwrap().to_owned();
        let wanted = match path.rsplit_once('.').unwrap().1 {
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            _ => "image/svg+xml",
        };
        assert_eq!(kind, wanted, "{path}");
        if path.ends_with(".js") {
            let text = answer.text();
            open.extend(quoted(&text, " from '", '\'').into_iter().map(|to| resolved(&path, to)));
        }
    }
    assert!(seen.len() > 40, "{seen:?}");
}

#[test]
fn a_browser_that_has_the_files_is_told_so() {
    let server = TestServer::shared();
    for path in ["/", "/dashboard/core/app.js"] {
        let first = get(&server, path);
        assert_eq!(first.header("cache-control"), Some("no-cache"));
        let tag = first.header("etag").unwrap().to_owned();
        let again = |tags: &str| {
            server.request(&format!("GET {path}")).header("If-None-Match", tags).send()
        };
        again(&tag).is_empty(304);
        assert_eq!(again(&format!("\"other\", {tag}")).header("etag"), Some(&*tag));
        assert_eq!(again("\"other\"").status, 200);
    }
}

#[test]
fn files_are_sent_compressed() {
    let server = TestServer::shared();
    let answer =
        server.request("GET /dashboard/core/app.js").header("Accept-Encoding", "gzip").send();
    assert_eq!((answer.status, answer.header("content-encoding")), (200, Some("gzip")));
}

#[test]
fn other_names_are_not_there() {
    let server = TestServer::shared();
    for line in [
        "GET /dashboard",
        "GET /dashboard/core",
        "GET /dashboard/core/nothing.js",
        "GET /dashboard/core/..%2Findex.html",
        "GET /dashboard/core/app.js/x",
    ] {
        server.call(line).is_empty(404);
    }
    let other_method = server.call("POST /dashboard/core/app.js");
    assert_eq!((other_method.status, other_method.header("allow")), (405, Some("GET")));
}

#[test]
fn switched_off_the_root_says_that_the_server_runs_and_the_files_are_gone() {
    let server = TestServer::start(Setup { dashboard: false, ..Setup::default() });
    server.call("GET /").is(200, json!({"status": "Sonde is running"}));
    server.call("GET /dashboard/core/app.js").is_empty(404);
}

#[test]
fn the_files_need_no_key() {
    let master_key = Some("a-key-of-twenty-bytes");
    let server = TestServer::start(Setup { master_key, ..Setup::default() });
    get(&server, "/");
    get(&server, "/dashboard/core/app.js");
}
