//! Searches that have to wait: whom a full line pushes out, how long one waits, and that nobody
//! waits for a client who has left.

use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use engine::search::{QueueLoad, QueueOptions, Ticket};
use serde_json::json;
use testkit::wait_until;

use super::harness::{Answer, Setup, TestServer};

const SEARCH: &str = "GET /indexes/waiting/search";

/// A server whose only search thread is held until the guard goes.
struct Busy {
    /// Let go before the server, which waits for what runs.
    held: (Sender<()>, Ticket),
    server: TestServer,
}

fn busy(capacity: usize, max_wait: Duration) -> Busy {
    let search_queue = QueueOptions { threads: 1, capacity, max_wait };
    let server = TestServer::start(Setup { search_queue, ..Setup::default() });
    server.with_documents("waiting", json!([{"id": 1}]));
    // Where patience is short and the machine slow, only a later attempt may come to run.
    loop {
        let (release, gate) = channel::<()>();
        let (begin, begun) = channel();
        let work = move |_: engine::search::Turn<'_>| {
            begin.send(()).unwrap();
            let _ = gate.recv();
            Ok(())
        };
        let ticket = server.engine.searcher().queue().submit(work, |_| {});
        if begun.recv().is_ok() {
            return Busy { held: (release, ticket), server };
        }
    }
}

impl Busy {
    fn wait_for(&self, waiting: usize) {
        let expected = QueueLoad { running: 1, waiting };
        wait_until(&format!("{waiting} wait"), || {
            self.server.engine.searcher().queue().load() == expected
        });
    }
}

#[track_caller]
fn is_refused(answer: &Answer, capacity: usize) {
    let message =
        format!("Too many search requests running at the same time: {capacity}. Retry after 10s.");
    let expected = json!({
        "message": message,
        "code": "too_many_search_requests",
        "type": "system",
        "link": "http://sonde.test/docs/errors#too_many_search_requests",
    });
    assert_eq!((answer.status, answer.json()), (503, expected));
    assert_eq!(answer.header("retry-after"), Some("10"));
}

#[test]
fn a_full_line_pushes_out_whoever_waits() {
    let busy = busy(1, Duration::from_secs(60));
    let mut first = busy.server.request(SEARCH).open();
    busy.wait_for(1);
    let mut second = busy.server.request(SEARCH).open();
    is_refused(&Answer::read(&mut first).unwrap(), 1);
    // What is not a search does not wait, nor does what has no place in the line.
    assert_eq!(busy.server.call("GET /health").status, 200);
    let similar = busy.server.call("GET /indexes/waiting/similar?id=1&embedder=e");
    similar.is_error_like(400, "invalid_similar_embedder", "Cannot find embedder");
    let Busy { held, server } = busy;
    drop(held);
    assert_eq!(Answer::read(&mut second).unwrap().status, 200);
    assert_eq!(server.call(SEARCH).status, 200);
}

#[test]
fn without_a_queue_searches_are_refused_after_body_checks() {
    let busy = busy(0, Duration::from_secs(60));
    is_refused(&busy.server.call(SEARCH), 0);
    busy.server.call("GET /indexes/waiting/search?limit=x").is_error_like(
        400,
        "invalid_search_limit",
        "",
    );
    is_refused(&busy.server.call("GET /indexes/nowhere/search"), 0);
}

#[test]
fn waiting_searches_time_out() {
    let busy = busy(10, Duration::from_millis(200));
    is_refused(&busy.server.call(SEARCH), 10);
    busy.wait_for(0);
}

#[test]
fn a_client_that_leaves_frees_its_place() {
    let busy = busy(10, Duration::from_secs(60));
    let leaving = busy.server.request(SEARCH).open();
    let mut staying = busy.server.request(SEARCH).open();
    busy.wait_for(2);
    drop(leaving);
    busy.wait_for(1);
    drop(busy.held);
    assert_eq!(Answer::read(&mut staying).unwrap().status, 200);
}

#[test]
fn several_searches_of_one_request_take_one_place() {
    let waiting = json!({"indexUid": "waiting"});
    let queries = json!([waiting, waiting, waiting]);
    let plain = json!({"queries": queries});
    let federated = json!({"queries": queries, "federation": {}});
    let busy = busy(2, Duration::from_secs(60));
    let asked: Vec<_> = [plain, federated]
        .into_iter()
        .map(|body| {
            let request = busy.server.request("POST /multi-search").json(&body);
            std::thread::spawn(move || request.send())
        })
        .collect();
    busy.wait_for(2);
    drop(busy.held);
    for answer in asked {
        assert_eq!(answer.join().unwrap().status, 200);
    }
}

#[test]
fn reads_of_many_documents_wait_in_the_queue_too() {
    let busy = busy(0, Duration::from_secs(60));
    let facets = json!({"facetName": "a"});
    is_refused(&busy.server.call_json("POST /indexes/waiting/facet-search", facets), 0);
    let queries = json!({"queries": [{"indexUid": "waiting"}]});
    is_refused(&busy.server.call_json("POST /multi-search", queries), 0);
    let fetch = |busy: &Busy| {
        [
            busy.server.call("GET /indexes/waiting/documents"),
            busy.server.call_json("POST /indexes/waiting/documents/fetch", json!({})),
        ]
    };
    for answer in fetch(&busy) {
        is_refused(&answer, 0);
    }
    assert_eq!(busy.server.call("GET /indexes/waiting/documents/1").status, 200);
    let off = json!({"disableDocumentsFetchQueue": true});
    assert_eq!(busy.server.call_json("PATCH /experimental-features", off).status, 200);
    for answer in fetch(&busy) {
        assert_eq!(answer.status, 200);
    }
}
