//! Figures for Prometheus.

use serde_json::json;

use crate::chat_provider::{Desk, Reply, calls, end, words};
use crate::harness::{Setup, TestServer, change_settings};

fn enabled() -> TestServer {
    let server = TestServer::start(Setup::default());
    server.call_json("PATCH /experimental-features", json!({"metrics": true}));
    server
}

fn metrics(server: &TestServer) -> String {
    let answer = server.call("GET /metrics");
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.text()
}

/// The value of the sample that is written like this.
#[track_caller]
fn value(text: &str, sample: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {sample} in\n{text}")).parse().expect("a number")
}

#[test]
fn metrics_need_their_feature() {
    let server = TestServer::start(Setup::default());
    let refused = || {
        server.call("GET /metrics").is_error_like(
            400,
            "feature_not_enabled",
            "Getting metrics requires enabling the `metrics` experimental feature.",
        );
    };
    refused();
    server.call_json("PATCH /experimental-features", json!({"metrics": true}));
    let answer = server.call("GET /metrics?x=1");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4"));
    server.call_json("PATCH /experimental-features", json!({"metrics": false}));
    refused();
    // Counted all the same.
    server.call_json("PATCH /experimental-features", json!({"metrics": true}));
    let text = metrics(&server);
    let of_metrics = |status| {
        format!(
            "meilisearch_http_requests_total{{method=\"GET\",path=\"/metrics\",status=\"{status}\"}}"
        )
    };
    assert_eq!((value(&text, &of_metrics(400)), value(&text, &of_metrics(200))), (2.0, 1.0));
}

#[test]
fn every_metric_of_the_interface_is_there_with_its_type() {
    let text = metrics(&enabled());
    for (name, kind) in [
        ("http_requests_total", "counter"),
        ("http_response_time_seconds", "histogram"),
        ("degraded_search_requests", "gauge"),
        ("personalized_search_requests", "gauge"),
        ("chat_searches_total", "counter"),
        ("chat_prompt_tokens_total", "counter"),
        ("chat_completion_tokens_total", "counter"),
        ("chat_tokens_total", "counter"),
        ("db_size_bytes", "gauge"),
        ("used_db_size_bytes", "gauge"),
        ("index_count", "gauge"),
        ("index_docs_count", "gauge"),
        ("nb_tasks", "gauge"),
        ("batch_running_progress_trace", "gauge"),
        ("last_finished_batches_progress_trace_ms", "gauge"),
        ("last_indexed_documents_count", "gauge"),
        ("last_indexed_documents_duration_ms", "gauge"),
        ("last_update", "gauge"),
        ("is_indexing", "gauge"),
        ("search_queue_size", "gauge"),
        ("searches_running", "gauge"),
        ("searches_waiting_to_be_processed", "gauge"),
        ("task_queue_latency_seconds", "gauge"),
        ("task_queue_max_size", "gauge"),
        ("task_queue_used_size", "gauge"),
        ("task_queue_size_until_stop_registering", "gauge"),
    ] {
        let line = format!("# TYPE meilisearch_{name} {kind}\n");
        assert_eq!(text.matches(&line).count(), 1, "{line} in\n{text}");
    }
    if cfg!(target_os = "linux") {
        assert!(value(&text, "process_resident_memory_bytes") > 1e6);
        assert!(value(&text, "process_open_fds") > 1.0);
        assert!(value(&text, "process_start_time_seconds") > 1.6e9);
    }
}

#[test]
fn requests_are_counted_by_route_and_status() {
    let server = enabled();
    for _ in 0..3 {
        server.call("GET /indexes/none");
    }
    server.call("GET /indexes/other");
    server.call("DELETE /metrics");
    server.call("GET /nowhere/at/all");
    let text = metrics(&server);
    let labels = "method=\"GET\",path=\"/indexes/{index_uid}\"";
    let counted = format!("meilisearch_http_requests_total{{{labels},status=\"404\"}}");
    assert_eq!(value(&text, &counted), 4.0);
    let time = "meilisearch_http_response_time_seconds";
    assert_eq!(value(&text, &format!("{time}_count{{{labels}}}")), 4.0);
    assert_eq!(value(&text, &format!("{time}_bucket{{{labels},le=\"+Inf\"}}")), 4.0);
    assert!(value(&text, &format!("{time}_bucket{{{labels},le=\"0.005\"}}")) <= 4.0);
    assert!(value(&text, &format!("{time}_sum{{{labels}}}")) > 0.0);
    let refused = "method=\"DELETE\",path=\"/metrics\",status=\"405\"";
    assert_eq!(value(&text, &format!("meilisearch_http_requests_total{{{refused}}}")), 1.0);
    assert!(!text.contains("nowhere") && !text.contains("none\""), "{text}");
}

#[test]
fn indexes_tasks_and_batches_are_counted() {
    let server = enabled();
    server.with_documents("books", json!([{"id": 1, "title": "a"}, {"id": 2, "title": "b"}]));
    server.call("DELETE /indexes/none").task(&server);
    let text = metrics(&server);
    for (sample, expected) in [
        ("index_count", 1.0),
        ("index_docs_count{index=\"books\"}", 2.0),
        ("nb_tasks{kind=\"statuses\",value=\"succeeded\"}", 1.0),
        ("nb_tasks{kind=\"statuses\",value=\"failed\"}", 1.0),
        ("nb_tasks{kind=\"statuses\",value=\"enqueued\"}", 0.0),
        ("nb_tasks{kind=\"types\",value=\"documentAdditionOrUpdate\"}", 1.0),
        ("nb_tasks{kind=\"indexes\",value=\"books\"}", 1.0),
        ("last_indexed_documents_count{batch_uid=\"0\",index=\"books\"}", 2.0),
        ("is_indexing", 0.0),
        ("task_queue_latency_seconds", 0.0),
        ("search_queue_size", 1000.0),
        ("searches_running", 0.0),
        ("searches_waiting_to_be_processed", 0.0),
    ] {
        assert_eq!(value(&text, &format!("meilisearch_{sample}")), expected, "{sample}");
    }
    assert!(value(&text, "meilisearch_db_size_bytes") > 0.0);
    assert!(value(&text, "meilisearch_last_update") > 1.6e9);
    let (used, until) = ("task_queue_used_size", "task_queue_size_until_stop_registering");
    let of = |name: &str| value(&text, &format!("meilisearch_{name}"));
    assert!(of(used) > 0.0);
    assert_eq!(of(used) + of(until), of("task_queue_max_size"));
    let took = "last_indexed_documents_duration_ms{batch_uid=\"0\",index=\"books\"}";
    assert!(of(took) > 0.0);
    let steps = "meilisearch_last_finished_batches_progress_trace_ms{batch_uid=\"0\",step_name=\"";
    assert!(text.contains(steps), "{text}");
}

#[test]
fn waiting_tasks_grow_old() {
    let server = TestServer::idle();
    server.call_json("PATCH /experimental-features", json!({"metrics": true}));
    server.call_json("POST /indexes", json!({"uid": "books"}));
    let text = metrics(&server);
    assert!(value(&text, "meilisearch_task_queue_latency_seconds") > 0.0);
    assert_eq!(value(&text, "meilisearch_nb_tasks{kind=\"statuses\",value=\"enqueued\"}"), 1.0);
}

#[test]
fn searches_that_are_cut_off_are_counted() {
    let server = enabled();
    let documents: Vec<_> = (0..50).map(|id| json!({"id": id, "t": "some words"})).collect();
    server.with_documents("books", json!(documents));
    change_settings(&server, "books", json!({"searchCutoffMs": 0}));
    server.call_json("POST /indexes/books/search", json!({"q": "some words"}));
    let of = |text: &str| value(text, "meilisearch_degraded_search_requests");
    assert_eq!(of(&metrics(&server)), 1.0);
}

#[test]
fn conversations_are_counted_with_their_tokens() {
    let usage = |prompt: u64, completion: u64| {
        let usage = json!({"prompt_tokens": prompt, "completion_tokens": completion,
            "total_tokens": prompt + completion});
        json!({"choices": [], "usage": usage}).to_string()
    };
    let search = r#"{"index_uid":"teas","q":"sencha","filter":null}"#;
    let Reply::Events(mut first) = calls(&[("c1", "_meiliSearchInIndex", search)]) else {
        panic!("a call is a stream of events")
    };
    first.push(usage(10, 1));
    // Told twice for one answer; the last one counts.
    let second = vec![words("Sencha."), end("stop"), usage(20, 1), usage(20, 2)];
    let desk = Desk::new([Reply::Events(first), Reply::Events(second)]);
    desk.ask(json!({}));
    desk.server.call_json("PATCH /experimental-features", json!({"metrics": true}));
    let text = metrics(&desk.server);
    let workspace = desk.line.split('/').nth(2).unwrap();
    let of = |name: &str| {
        let labels = format!("workspace=\"{workspace}\",model=\"gpt-4o\"");
        value(&text, &format!("meilisearch_chat_{name}_total{{{labels}}}"))
    };
    assert_eq!((of("prompt_tokens"), of("completion_tokens"), of("tokens")), (30.0, 3.0, 33.0));
    assert!(value(&text, "meilisearch_chat_searches_total{type=\"internal\"}") >= 1.0);
}
