//! From one server to another, both real; and to receivers that behave badly.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use testkit::wait_until;

use crate::harness::{Setup, TestServer};

const SECRET: &str = "a-secret-that-nobody-sees-0123456789";

fn sender() -> TestServer {
    TestServer::start(Setup { allowed_networks: "127.0.0.0/8", ..Setup::default() })
}

fn settle(server: &TestServer) {
    wait_until("the tasks end", || {
        server.call("GET /tasks?statuses=enqueued,processing").json()["total"] == 0
    });
}

fn documents(server: &TestServer, index: &str) -> Value {
    server.call(&format!("GET /indexes/{index}/documents?limit=1000&retrieveVectors=true")).json()
}

fn furnish(server: &TestServer) {
    let settings = json!({
        "filterableAttributes": ["pages"],
        "stopWords": ["the"],
        "embedders": {"mine": {"source": "userProvided", "dimensions": 2}},
    });
    let task = server.call_json("PATCH /indexes/books/settings", settings).task(server);
    assert_eq!(task["status"], "succeeded", "{task}");
    let books: Vec<Value> = (0..50)
        .map(|n| {
            json!({"isbn_id": n, "pages": n * 10, "title": format!("The book {n}"),
                   "_vectors": {"mine": {"embeddings": [[f64::from(n), 1.0]], "regenerate": n % 2 == 0},
                                "other": [0.5, 1.5]}})
        })
        .collect();
    server.with_documents("books", json!(books));
    server.with_documents("teas", json!([{"id": "a", "name": "Sencha"}]));
}

#[test]
fn indexes_arrive_with_settings_documents_and_vectors() {
    let (from, to) = (sender(), TestServer::start(Setup::default()));
    furnish(&from);
    let body = json!({"url": format!("http://{}/", to.address), "payloadSize": 700});
    let answer = from.call_json("POST /export", body);
    assert_eq!(answer.status, 200);
    let task = answer.task(&from);
    assert_eq!(task["status"], "succeeded", "{task}");
    assert_eq!(
        task["details"],
        json!({
            "url": format!("http://{}/", to.address),
            "payloadSize": "700 B",
            "indexes": {
                "books": {"filter": null, "overrideSettings": false, "matched_documents": 50},
                "teas": {"filter": null, "overrideSettings": false, "matched_documents": 1},
            },
        })
    );
    settle(&to);
    let failed = to.call("GET /tasks?statuses=failed").json();
    assert_eq!(failed["total"], 0, "{failed}");
    // In portions that were asked for.
    let additions = to.call("GET /tasks?types=documentAdditionOrUpdate&indexUids=books").json();
    assert!(additions["total"].as_u64().expect("a number") > 5, "{additions}");
    for index in ["books", "teas"] {
        assert_eq!(documents(&to, index), documents(&from, index));
        let of =
            |server: &TestServer| server.call(&format!("GET /indexes/{index}/settings")).json();
        assert_eq!(of(&to), of(&from));
    }
    assert_eq!(to.call("GET /indexes/books").json()["primaryKey"], "isbn_id");
}

#[test]
fn filters_patterns_and_settings_are_heeded() {
    let (from, to) = (sender(), TestServer::start(Setup::default()));
    furnish(&from);
    // The other has an index of that name with settings of its own.
    let there = json!({"stopWords": ["a"], "displayedAttributes": ["title"]});
    to.call_json("PATCH /indexes/books/settings", there).task(&to);
    let url = format!("http://{}", to.address);
    let export = |indexes: Value| {
        let body = json!({"url": url, "indexes": indexes});
        let task = from.call_json("POST /export", body).task(&from);
        settle(&to);
        task
    };
    let task = export(json!({"bo*": {"filter": "pages > 400"}, "books": {"filter": "pages = 0"}}));
    let sent = json!({"books": {"filter": "pages > 400", "overrideSettings": false, "matched_documents": 9}});
    assert_eq!(task["details"]["indexes"], sent);
    assert_eq!(to.call("GET /indexes/books/stats").json()["numberOfDocuments"], 9);
    let stop_words =
        |server: &TestServer| server.call("GET /indexes/books/settings/stop-words").json();
    assert_eq!(stop_words(&to), json!(["a"]));
    assert_eq!(to.call("GET /indexes/teas").status, 404);

    export(json!({"books": {"filter": "pages = 0", "overrideSettings": true}}));
    let of = |server: &TestServer| server.call("GET /indexes/books/settings").json();
    assert_eq!(of(&to), of(&from));

    let task = export(json!({"*": {"filter": "title = x"}}));
    assert_eq!(task["status"], "failed");
    assert_eq!(task["error"]["code"], "invalid_document_filter");
    let task = export(json!({}));
    assert_eq!((&task["status"], &task["details"]["indexes"]), (&json!("succeeded"), &json!({})));
}

#[test]
fn keys_open_the_other_instance_and_are_shown_nowhere() {
    let to = TestServer::start(Setup { master_key: Some(SECRET), ..Setup::default() });
    let from = sender();
    from.with_documents("teas", json!([{"id": 1}]));
    let url = format!("http://{}", to.address);
    let task = from.call_json("POST /export", json!({"url": url})).task(&from);
    assert_eq!(task["status"], "failed");
    assert_eq!(task["error"]["code"], "internal");
    let message = task["error"]["message"].as_str().expect("a message");
    assert!(message.contains("`GET /indexes/teas` was answered with status 401"), "{message}");

    let body = json!({"url": url, "apiKey": SECRET});
    let task = from.call_json("POST /export", body).task(&from);
    assert_eq!(
        (&task["status"], &task["details"]["apiKey"]),
        (&json!("succeeded"), &json!("a-secXXXXXX..."))
    );
    for list in ["tasks", "batches"] {
        let shown = from.call(&format!("GET /{list}")).json().to_string();
        assert!(!shown.contains(SECRET));
    }
}

/// Answers requests one after the other with these statuses, and notes what was asked.
struct Receiver {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Receiver {
    fn start(statuses: Vec<u16>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let notes = Arc::clone(&asked);
        std::thread::spawn(move || {
            for (stream, status) in listener.incoming().flatten().zip(statuses) {
                let line = answer(stream, status);
                notes.lock().expect("notes").push(line);
            }
        });
        Self { url, asked }
    }
}

fn answer(stream: TcpStream, status: u16) -> String {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            break;
        }
        lines.push(line.trim().to_owned());
    }
    let length = lines
        .iter()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    let _ = reader.read_exact(&mut body);
    let said = format!("{{\"message\": \"no, not with {SECRET}\"}}");
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\r\n{said}",
        said.len()
    );
    let _ = reader.get_mut().write_all(head.as_bytes());
    lines.first().cloned().unwrap_or_default()
}

#[test]
fn exports_retry_passing_errors_and_report_lasting_ones() {
    let from = sender();
    from.with_documents("teas", json!([{"id": 1}]));
    // There after two failures, then refuses the documents.
    let receiver = Receiver::start(vec![503, 500, 200, 429, 400]);
    let body = json!({"url": receiver.url, "apiKey": SECRET});
    let task = from.call_json("POST /export", body).task(&from);
    assert_eq!(task["status"], "failed");
    assert_eq!(
        task["error"]["message"],
        "Index `teas`: `POST /indexes/teas/documents` was answered with status 400: no, not with …"
    );
    let asked = receiver.asked.lock().expect("notes").clone();
    let get = "GET /indexes/teas HTTP/1.1";
    let post = "POST /indexes/teas/documents?primaryKey=id HTTP/1.1";
    assert_eq!(asked, [get, get, get, post, post]);
}

#[test]
fn settings_of_our_own_are_left_out_where_they_are_refused() {
    let from = sender();
    from.with_documents("teas", json!([{"id": 1}]));
    let stop_words = json!({"languages": ["en"]});
    from.call_json("PUT /indexes/teas/settings/stop-words", stop_words).task(&from);
    let receiver = Receiver::start(vec![404, 202, 400, 202, 202]);
    let task = from.call_json("POST /export", json!({"url": receiver.url})).task(&from);
    assert_eq!(task["status"], "succeeded", "{task}");
    let asked = receiver.asked.lock().expect("notes").clone();
    let settings = "PATCH /indexes/teas/settings HTTP/1.1";
    assert_eq!(asked[2..4], [settings, settings]);

    let to = TestServer::start(Setup::default());
    let url = format!("http://{}", to.address);
    from.call_json("POST /export", json!({"url": url})).task(&from);
    settle(&to);
    let stop_words = to.call("GET /indexes/teas/settings/stop-words").json();
    assert_eq!(stop_words, json!({"languages": ["en"]}));
}

#[test]
fn an_export_to_nowhere_can_be_canceled() {
    let from = sender();
    from.with_documents("teas", json!([{"id": 1}]));
    let uid =
        from.call_json("POST /export", json!({"url": "http://127.0.0.1:1"})).json()["taskUid"]
            .clone();
    // It reads its indexes in peace: what comes for them waits.
    let waiting = from.call_json("POST /indexes/teas/documents", json!([{"id": 2}]));
    let task = |uid: &Value| from.call(&format!("GET /tasks/{uid}")).json();
    wait_until("the export begins", || task(&uid)["status"] == "processing");
    assert_eq!(task(&waiting.json()["taskUid"])["status"], "enqueued");
    from.call(&format!("POST /tasks/cancel?uids={uid}")).task(&from);
    assert_eq!(task(&uid)["status"], "canceled");
    assert_eq!(waiting.task(&from)["status"], "succeeded");
}

#[test]
fn private_networks_and_bad_addresses_are_refused() {
    let from = TestServer::start(Setup::default());
    from.with_documents("teas", json!([{"id": 1}]));
    for (url, expected) in [
        ("http://127.0.0.1:7700", "rejected IP `127.0.0.1`"),
        ("ftp://example.com", "rejected URI"),
        ("", "invalid URI"),
    ] {
        let task = from.call_json("POST /export", json!({"url": url})).task(&from);
        let message = task["error"]["message"].as_str().expect("a message");
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn bodies_of_exports_are_checked() {
    let server = TestServer::idle();
    for (body, code, message) in [
        (
            json!({"url": null}),
            "invalid_export_url",
            "Invalid value type at `.url`: expected a string, but found null",
        ),
        (
            json!({"apiKey": 3}),
            "invalid_export_api_key",
            "Invalid value type at `.apiKey`: expected a string, but found a positive integer: `3`",
        ),
        (
            json!({"payloadSize": "much"}),
            "invalid_export_payload_size",
            "Invalid value at `.payloadSize`: the character 'm' is not a number",
        ),
        (
            json!({"payloadSize": true}),
            "invalid_export_payload_size",
            "Invalid value type at `.payloadSize`: expected a positive integer or a string, but found a boolean: `true`",
        ),
        (
            json!({"indexes": {"a": {"overrideSettings": 1}}}),
            "invalid_export_index_override_settings",
            "Invalid value type at `.indexes.a.overrideSettings`: expected a boolean, but found a positive integer: `1`",
        ),
        (
            json!({"indexes": {"a": null}}),
            "bad_request",
            "Invalid value type at `.indexes.a`: expected an object, but found null",
        ),
        (
            json!({"indexes": []}),
            "bad_request",
            "Invalid value type at `.indexes`: expected an object, but found an array: `[]`",
        ),
        (
            json!({"indexes": {"a": {"b": 1}}}),
            "bad_request",
            "Unknown field `b` inside `.indexes.a`: expected one of `filter`, `overrideSettings`",
        ),
        (
            json!({"indexes": {"no pe*": {}}}),
            "bad_request",
            "Invalid value at `.indexes`: `no pe` is not a valid index uid pattern. Index uid patterns can be an integer or a string containing only alphanumeric characters, hyphens (-), underscores (_), and optionally end with a star (*).",
        ),
        (
            json!({"x": 1}),
            "bad_request",
            "Unknown field `x`: expected one of `url`, `apiKey`, `payloadSize`, `indexes`",
        ),
    ] {
        let answer = server.call_json("POST /export", body.clone());
        assert_eq!(answer.status, 400, "{body}");
        let error = answer.json();
        assert_eq!(
            (error["code"].as_str(), error["message"].as_str()),
            (Some(code), Some(message)),
            "{body}"
        );
    }
    let uid =
        server.call_json("POST /export", json!({"payloadSize": "24MiB"})).json()["taskUid"].clone();
    let task = server.call(&format!("GET /tasks/{uid}")).json();
    assert_eq!(
        task["details"],
        json!({"url": "", "payloadSize": "24 MiB",
               "indexes": {"*": {"filter": null, "overrideSettings": false}}})
    );
}
