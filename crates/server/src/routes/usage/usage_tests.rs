//! Tests the list of events: that it is documented, and what the smaller ones count.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::json;
use telemetry::{Instance, Options, Profile, Stats, Telemetry};

use super::*;

/// Everything behind this line of docs/telemetry.md is made from the tables.
const BEGIN: &str =
    "<!-- What follows is made from crates/telemetry by its test `documentation`. -->\n\n";

struct Empty;

impl Instance for Empty {
    fn stats(&self) -> Stats {
        Stats::default()
    }

    fn features(&self) -> Features {
        Features::default()
    }
}

fn counting() -> Telemetry {
    let options = Options::new(uuid::Uuid::nil(), Profile::default(), Box::new(Empty));
    Telemetry::start(options).unwrap()
}

fn only_event(telemetry: &Telemetry) -> Value {
    telemetry.preview()["bundles"][0]["batch"][1]["properties"].clone()
}

/// Returns the figures after one event.
pub fn properties(event: impl FnOnce() -> Event) -> Value {
    let telemetry = counting();
    telemetry.record(None, event);
    only_event(&telemetry)
}

/// Returns the figures of an event without those that all have.
fn own(event: impl FnOnce() -> Event) -> Value {
    let mut figures = properties(event);
    let members = figures.as_object_mut().unwrap();
    assert_eq!(members.remove("user-agent"), Some(json!(["unknown"])));
    assert_eq!(members.remove("requests"), Some(json!({"total_received": 1})));
    figures
}

/// To renew the tables: `UPDATE_DOCS=1 cargo test -p server --lib usage`
#[test]
fn the_page_lists_what_is_collected() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/telemetry.md");
    let text = fs::read_to_string(&page).expect("the page");
    let (written, tables) = text.split_once(BEGIN).expect("the line before the tables");
    let expected = telemetry::markdown(KINDS);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&page, format!("{written}{BEGIN}{expected}")).expect("the page can be written");
        return;
    }
    assert!(tables == expected, "docs/telemetry.md is out of date: see the head of this test");
}

#[test]
fn every_kind_has_a_name_and_every_figure_one_place() {
    // The first launch is not a request.
    assert_eq!(KINDS.len(), 30);
    let names: BTreeSet<&str> = KINDS.iter().map(|kind| kind.name).collect();
    assert_eq!(names.len(), KINDS.len());
    for kind in KINDS {
        let figures = kind.figures();
        let paths: BTreeSet<&str> = figures.iter().map(|figure| figure.path).collect();
        assert_eq!(paths.len(), figures.len(), "{}", kind.name);
    }
}

#[test]
fn names_chosen_by_clients_leave_every_message_short() {
    let telemetry = counting();
    let headers = |number: u32| {
        let value = format!("type/{number}").parse().expect("a header");
        HeaderMap::from_iter([(header::CONTENT_TYPE, value)])
    };
    for number in 0..4000 {
        let agent = format!("{number} {}", "x".repeat(150));
        let key = format!("key {number}");
        telemetry.record(Some(agent.as_bytes()), || match number % 4 {
            0 => documents_added(&headers(number), Some(&key), true),
            1 => index_created(Some(&key)),
            2 => chat_completed(&key),
            _ => searched_post(
                &deserr::deserialize::<_, _, crate::http::json::BodyError>(json!({})).unwrap(),
            ),
        });
        if number % 50 == 49 {
            telemetry.preview();
        }
    }
    let preview = telemetry.preview();
    let messages = preview["bundles"][0]["batch"].as_array().expect("messages");
    assert_eq!(messages.len(), 5);
    for message in messages {
        assert!(message.to_string().len() < 32 << 10, "{}", message["event"]);
    }
}

#[test]
fn timed_events_count_their_outcome() {
    let telemetry = counting();
    telemetry.begin(None, || chat_completed("m")).succeeded();
    drop(telemetry.begin(None, || chat_completed("m")));
    let figures = only_event(&telemetry);
    assert_eq!(figures["models"], json!(["m"]));
    let requests = &figures["requests"];
    assert_eq!(requests["total_received"], 2);
    assert_eq!((&requests["total_succeeded"], &requests["total_failed"]), (&json!(1), &json!(1)));
    assert!(requests["99th_response_time"].is_number());
}

#[test]
fn writes_and_reads_of_documents_are_counted() {
    let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, "text/csv".parse().unwrap())]);
    let added =
        json!({"payload_type": ["text/csv"], "primary_key": ["id"], "index_creation": true});
    assert_eq!(own(|| documents_added(&headers, Some("id"), true)), added);
    let updated = json!({"payload_type": [], "primary_key": [], "index_creation": false});
    assert_eq!(own(|| documents_updated(&HeaderMap::new(), None, false)), updated);
    let edited = json!({"per_filter": true, "index_creation": false});
    assert_eq!(own(|| documents_edited(true, false)), edited);
    for (scope, name) in [
        (DeletionScope::One, "per_document_id"),
        (DeletionScope::Batch, "per_batch"),
        (DeletionScope::Filter, "per_filter"),
        (DeletionScope::All, "clear_all"),
    ] {
        let mut expected = json!({
            "per_document_id": false, "per_batch": false, "per_filter": false, "clear_all": false,
        });
        expected[name] = json!(true);
        assert_eq!(own(|| documents_deleted(scope)), expected);
    }
    let view = DocumentView { fields: None, retrieve_vectors: true };
    let one = json!({
        "per_document_id": true, "per_filter": false, "with_vector_filter": false,
        "vector": {"retrieve_vectors": true}, "pagination": {"max_limit": null, "max_offset": null},
    });
    assert_eq!(own(|| fetched_get(&view, None)), one);
}

#[test]
fn requests_of_the_instance_are_counted() {
    assert_eq!(own(dump_created), json!({}));
    assert_eq!(own(webhook_created), json!({"webhooks_created": 1}));
    assert_eq!(own(webhook_updated), json!({"webhooks": {"updated": 1}}));
    assert_eq!(own(|| indexes_swapped(3)), json!({"swap_operation_number": 3}));
    let patterns = json!({"a*": {"filter": "a = 1"}, "b": {"filter": null}});
    let export = json!({"export": {
        "total_received": 1, "has_api_key": true, "avg_index_patterns": 2.0,
        "avg_patterns_with_filter": 1.0, "avg_payload_size": null,
    }});
    assert_eq!(own(|| export_triggered(true, None, patterns.as_object().unwrap())), export);
    let features = own(|| features_updated(Features { network: true, ..Features::default() }));
    let on = features.as_object().unwrap().iter().filter(|(_, is_on)| **is_on == true);
    assert_eq!(on.map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["network"]);
    assert_eq!(
        own(|| network_updated(&Network::default())),
        json!({"network_size": 0, "network_has_self": false})
    );
}
