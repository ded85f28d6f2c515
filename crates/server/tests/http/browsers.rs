//! Pages of elsewhere and an instance without a master key.

use serde_json::json;

use super::harness::{Answer, Setup, TestServer};
use super::keys::MASTER_KEY;

fn from(server: &TestServer, line: &str, host: &'static str, origin: &str) -> Answer {
    server.request(line).host(host).header("Origin", origin).send()
}

#[track_caller]
fn is_refused(answer: &Answer) {
    assert_eq!(answer.status, 403, "{}", answer.text());
    assert_eq!(answer.json()["code"], "browser_not_allowed");
    assert!(answer.json()["message"].as_str().unwrap().contains("`--http-allowed-hosts`"));
    assert_eq!(answer.header("access-control-allow-origin"), None);
}

#[test]
fn pages_of_other_machines_reach_no_route() {
    let server = TestServer::shared();
    let evil = "http://evil.example";
    for line in [
        "GET /health",
        "GET /",
        "GET /indexes",
        "POST /dumps",
        "POST /tasks/cancel?uids=*",
        "GET /nope",
    ] {
        is_refused(&from(&server, line, "localhost:7700", evil));
        // The name of the page leads here.
        is_refused(&from(&server, line, "evil.example:7700", "http://evil.example:7700"));
    }
    let preflight = server
        .request("OPTIONS /indexes")
        .host("localhost")
        .header("Origin", evil)
        .header("Access-Control-Request-Method", "POST");
    is_refused(&preflight.send());
    let no_cors = server.request("POST /snapshots").host("localhost");
    is_refused(&no_cors.header("Sec-Fetch-Site", "cross-site").send());
    let plain = server.request("GET /indexes").host("evil.example");
    is_refused(&plain.header("User-Agent", "Mozilla/5.0").header("Accept-Language", "en").send());
    // A hostile name in the error cannot be more than text.
    let odd = from(&server, "GET /health", "localhost", "http://a`b<script>");
    is_refused(&odd);
}

#[test]
fn pages_of_this_machine_and_programs_go_on_working() {
    let server = TestServer::shared();
    for (host, origin) in [
        ("localhost:7700", "http://localhost:3000"),
        ("127.0.0.1:7700", "http://localhost:3000"),
        ("10.1.2.3:7700", "http://10.1.2.3:7700"),
        ("[::1]:7700", "http://[::1]:7700"),
    ] {
        let answer = from(&server, "GET /indexes", host, origin);
        assert_eq!(answer.status, 200, "{host} {origin}");
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    }
    let own = server.request("GET /stats").host("localhost:7700");
    assert_eq!(own.header("Sec-Fetch-Site", "same-origin").send().status, 200);
    // A link of another site opens the dashboard.
    let link = server.request("GET /").host("localhost:7700");
    let link = link.header("Sec-Fetch-Site", "cross-site").header("Sec-Fetch-Mode", "navigate");
    assert_eq!(link.send().status, 200);
    // Containers call by service names.
    assert_eq!(server.request("GET /indexes").host("sonde:7700").send().status, 200);
}

#[test]
fn the_option_and_a_master_key_let_pages_in() {
    let named = Setup { allowed_hosts: &["search.lan", "shop.example"], ..Setup::default() };
    let named = TestServer::start(named);
    assert_eq!(from(&named, "GET /indexes", "search.lan", "https://shop.example").status, 200);
    is_refused(&from(&named, "GET /indexes", "search.lan", "https://other.example"));
    let guarded = TestServer::start(Setup { master_key: Some(MASTER_KEY), ..Setup::default() });
    let answer = from(&guarded, "GET /indexes", "any.example", "https://shop.example");
    assert_eq!(answer.status, 200);
    let body = json!({"q": "x"});
    let request = guarded.request("POST /multi-search").host("any.example").without_key();
    let refused = request.header("Origin", "https://shop.example").json(&body).send();
    assert_eq!(refused.status, 401);
}
