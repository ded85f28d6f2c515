//! Walks the route table to test which keys each route admits. For each route there is a key with
//! exactly its actions, one for each alternative where there are several, one with all other
//! actions, and no key at all.

use std::collections::BTreeMap;

use engine::keys::Action;
use server::{RouteInfo, route_table};

use super::harness::{Answer, Setup, TestServer};
use super::keys::{INVALID, MASTER_KEY, guarded, value_of};

const MISSING: &str =
    "The Authorization header is missing. It must use the bearer authorization method.";

/// A server that accepts tasks and runs none, so that nothing comes of what passes.
fn idle() -> TestServer {
    TestServer::start(Setup {
        master_key: Some(MASTER_KEY),
        processes_tasks: false,
        ..Setup::default()
    })
}

fn send(server: &TestServer, route: &RouteInfo, key: Option<&str>) -> Answer {
    let path = route.pattern.replace("{uid}", "0").replace(['{', '}'], "");
    let request = server.request(&format!("{} {path}", route.method));
    match key {
        Some(key) => request.with_key(key).send(),
        None => request.without_key().send(),
    }
}

fn is_refused(answer: &Answer) -> bool {
    answer.status == 401 || answer.status == 403
}

#[test]
fn every_route_is_open_to_its_action_and_closed_to_all_others() {
    let server = idle();
    let mut keys: BTreeMap<String, (Vec<String>, Vec<String>)> = BTreeMap::new();
    for route in route_table() {
        let Some(action) = route.action else {
            assert!(!is_refused(&send(&server, &route, None)), "{route:?}");
            assert!(!is_refused(&send(&server, &route, Some("wrong"))), "{route:?}");
            continue;
        };
        let (enough, others) = keys.entry(action.to_owned()).or_insert_with(|| {
            // Only the star holds what asks for a wildcard by its name.
            let held = |name| if str::ends_with(name, ".*") { "*" } else { name };
            let ways = action.split('|').map(|way| way.split('+').map(held).collect::<Vec<_>>());
            let enough = ways.map(|way| value_of(&server, &way, &["*"])).collect();
            let lacking = |lacked: &[&str]| {
                let lacked: Vec<Action> =
                    lacked.iter().map(|name| name.parse().expect("an action")).collect();
                let is_other = |own: &&Action| !lacked.iter().any(|lacked| own.includes(*lacked));
                let rest = Action::ALL_ACTIONS.iter().filter(is_other);
                value_of(&server, &rest.map(|own| own.name()).collect::<Vec<_>>(), &["*"])
            };
            let others = match action.contains('|') {
                true => vec![lacking(&action.split('|').collect::<Vec<_>>())],
                false => action.split('+').map(|lacked| lacking(&[lacked])).collect(),
            };
            (enough, others)
        });
        for enough in enough {
            let passed = send(&server, &route, Some(enough));
            assert!(!is_refused(&passed), "{route:?} {}", passed.text());
        }
        for others in others {
            send(&server, &route, Some(others)).is_error(403, "invalid_api_key", INVALID);
        }
        send(&server, &route, None).is_error(401, "missing_authorization_header", MISSING);
        send(&server, &route, Some("wrong")).is_error(403, "invalid_api_key", INVALID);
        assert!(!is_refused(&send(&server, &route, Some(MASTER_KEY))), "{route:?}");
    }
}

#[test]
fn every_route_of_an_index_is_closed_to_keys_of_another() {
    let server = idle();
    let key = value_of(&server, &["*"], &["films", "a*"]);
    let told = r#"The API key cannot acces the index `0`, authorized indexes are ["a*", "films"]."#;
    for route in route_table() {
        let Some(action) = route.action else { continue };
        let answer = send(&server, &route, Some(&key));
        if route.pattern.starts_with("/indexes/{uid}") {
            answer.is_error(403, "invalid_api_key", told);
            continue;
        }
        // What concerns the whole instance is for keys of all indexes.
        let is_global = action
            .split(['+', '|'])
            .any(|name| name.parse::<Action>().unwrap().needs_all_indexes());
        match is_global {
            true => answer.is_error(403, "invalid_api_key", INVALID),
            false => assert!(!is_refused(&answer), "{route:?} {}", answer.text()),
        }
    }
}

#[test]
fn a_key_of_no_index_opens_nothing() {
    let server = idle();
    let key = value_of(&server, &["*"], &[]);
    for route in route_table().into_iter().filter(|route| route.action.is_some()) {
        let answer = send(&server, &route, Some(&key));
        assert_eq!(answer.status, 403, "{route:?}");
    }
}

#[test]
fn keys_are_checked_before_the_request() {
    let server = guarded();
    for line in [
        "GET /indexes/!!bad!!",
        "GET /indexes?limit=abc",
        "POST /indexes",
        "GET /tasks/abc",
        "POST /keys",
        "POST /multi-search",
        "DELETE /tasks",
    ] {
        let request = server.request(line).without_key().body("text/plain", "{");
        request.send().is_error(401, "missing_authorization_header", MISSING);
    }
    // Unknown paths disclose nothing.
    server.request("GET /no-such-route").without_key().send().is_empty(404);
    server.request("PUT /indexes").without_key().send().is_empty(405);
}

#[test]
fn the_header_is_read_to_the_letter() {
    let server = guarded();
    let sent = |value: &str| {
        let request = server.request("GET /version").without_key();
        request.header("Authorization", value).send()
    };
    assert_eq!(sent(&format!("Bearer {MASTER_KEY}")).status, 200);
    for scheme in ["bearer", "BEARER", "Basic", "Token"] {
        sent(&format!("{scheme} {MASTER_KEY}")).is_error(
            401,
            "missing_authorization_header",
            MISSING,
        );
    }
    sent("").is_error(401, "missing_authorization_header", MISSING);
    sent(MASTER_KEY).is_error(401, "missing_authorization_header", MISSING);
    for value in [
        "Bearer",
        "Bearer null",
        &format!("Bearer  {MASTER_KEY}"),
        &format!("Bearer {MASTER_KEY}x"),
    ] {
        sent(value).is_error(403, "invalid_api_key", INVALID);
    }
    // Long ones are refused like others; two of them are not chosen between.
    sent(&format!("Bearer {}", "a".repeat(60_000))).is_error(403, "invalid_api_key", INVALID);
    let twice =
        server.request("GET /version").header("Authorization", &format!("Bearer {MASTER_KEY}"));
    twice.send().is_error(401, "missing_authorization_header", MISSING);
}
