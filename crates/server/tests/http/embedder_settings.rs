//! Embedders that change: what is kept of secrets, and what is found out before anything is stored.

use engine::FailureModes;
use serde_json::{Value, json};

use crate::harness::{TestServer, change_settings, ids, search};
use crate::provider::{Colours, KEY, Mood, vector};

const EMBEDDERS: &str = "PATCH /indexes/colours/settings/embedders";

#[test]
fn settings_that_were_read_can_be_sent_back() {
    let colours = Colours::start();
    let read = colours.server.call("GET /indexes/colours/settings").json();
    assert_ne!(read["embedders"]["e"]["apiKey"], KEY);
    let (_, asked) =
        colours.provider.during(|| change_settings(&colours.server, "colours", read.clone()));
    assert!(asked.is_empty());
    assert_eq!(colours.server.call("GET /indexes/colours/settings").json(), read);
    let (_, asked) = colours.put(json!([{"id": 1, "title": "red"}]));
    assert_eq!(asked[0].key.as_deref(), Some(&*format!("Bearer {KEY}")));
}

#[test]
fn dimensions_that_were_learnt_can_be_wrong() {
    let colours = Colours::without_embedder();
    let mut embedder = colours.provider.embedder("{{doc.title}}", KEY);
    embedder.as_object_mut().unwrap().remove("dimensions");
    assert_eq!(colours.embedded_by_change(embedder), ["test"]);
    colours.embedded_by(json!([{"id": 1, "title": "red"}]));
    // The same as learnt changes nothing; the provider does not have others.
    assert!(colours.embedded_by_change(json!({"dimensions": 3})).is_empty());
    assert!(colours.embedded_by_change(json!({"dimensions": null})).is_empty());
    let task = colours.server.call_json(EMBEDDERS, json!({"e": {"dimensions": 2}}));
    let task = task.task(&colours.server);
    assert_eq!(task["error"]["code"], "vector_embedding_error", "{task}");
    let message = task["error"]["message"].as_str().unwrap();
    assert!(message.contains("was expecting embeddings of dimension `2`"), "{message}");
    let body = json!({"q": "red", "hybrid": {"embedder": "e", "semanticRatio": 1.0}});
    assert_eq!(ids(&search(&colours.server, "colours", body)), [1]);
}

#[test]
fn a_change_of_the_provider_replaces_what_may_be_replaced() {
    let colours = Colours::start();
    colours.embedded_by(json!([
        {"id": 1, "title": "red"},
        {"id": 2, "title": "blue", "_vectors": {"e": {"regenerate": true, "embeddings": [1, 2, 3]}}},
        {"id": 3, "title": "x", "_vectors": {"e": [1, 2, 3]}},
        {"id": 4, "title": "y", "_vectors": {"e": null}},
    ]));
    let response = json!({"data": ["{{embedding}}", "{{..}}"], "more": 1});
    let mut asked = colours.embedded_by_change(json!({ "response": response }));
    asked.sort();
    assert_eq!(asked, ["blue", "red"]);
    assert_eq!(colours.vectors(2), (vec![vector("blue").to_vec()], true));
    assert_eq!(colours.vectors(3), (vec![vec![1.0, 2.0, 3.0]], false));
    assert_eq!(colours.vectors(4), (vec![], false));
}

#[test]
fn composite_embedders_are_compared_whichever_part_changes() {
    let colours = Colours::without_embedder();
    let line = "PATCH /experimental-features";
    assert_eq!(colours.server.call_json(line, json!({"compositeEmbedders": true})).status, 200);
    let indexing = colours.provider.embedder("{{doc.title}}", KEY);
    let mut searching = indexing.clone();
    searching.as_object_mut().unwrap().remove("documentTemplate");
    let composite = json!({"source": "composite", "searchEmbedder": searching,
        "indexingEmbedder": indexing});
    // Three texts by each of them.
    assert_eq!(colours.embedded_by_change(composite).len(), 6);
    colours.embedded_by(json!([{"id": 1, "title": "red"}]));
    let read = |part: &str| {
        colours.server.call("GET /indexes/colours/settings/embedders").json()["e"][part].clone()
    };
    let before = read("searchEmbedder");
    for (mood, change, part) in [
        (Mood::Willing, json!({"dimensions": 2}), "Search time dimensions: 2"),
        (Mood::Refusing, json!({"headers": {"a": "b"}}), "embedder at search time"),
    ] {
        colours.provider.set_mood(mood);
        let change = json!({"e": {"searchEmbedder": change}});
        let task = colours.server.call_json(EMBEDDERS, change).task(&colours.server);
        assert_eq!(task["error"]["code"], "vector_embedding_error", "{task}");
        assert!(task["error"]["message"].as_str().unwrap().contains(part), "{task}");
        assert_eq!(read("searchEmbedder"), before);
    }
    colours.provider.set_mood(Mood::Willing);
    let headers = json!({"searchEmbedder": {"headers": {"a": "b"}}});
    assert_eq!(colours.embedded_by_change(headers).len(), 6);
    assert_eq!(read("searchEmbedder")["headers"], json!({"a": "b"}));
}

/// The latest batch, once it has asked a provider; it still runs.
fn batch_that_asks(server: &TestServer) -> Value {
    loop {
        let batch = server.call("GET /batches?limit=1").json()["results"][0].clone();
        if batch["stats"]["embedderRequests"]["total"].as_u64().is_some_and(|total| total > 0) {
            assert_eq!(batch["finishedAt"], Value::Null, "{batch}");
            return batch;
        }
        std::thread::yield_now();
    }
}

#[test]
fn batches_show_provider_requests_and_failures() {
    let colours = Colours::start();
    let server = &colours.server;
    colours.provider.set_mood(Mood::Holding);
    let documents: Vec<Value> = (0..25).map(|id| json!({"id": id, "title": "red"})).collect();
    let sent = server.call_json("PUT /indexes/colours/documents", json!(documents));
    let running = batch_that_asks(server);
    assert_eq!(running["stats"]["embedderRequests"]["failed"], 0);
    let steps = running["progress"]["steps"].to_string();
    assert!(steps.contains("embedding documents with `e`"), "{steps}");
    colours.provider.set_mood(Mood::Willing);
    assert_eq!(sent.task(server)["status"], "succeeded");

    colours.provider.set_mood(Mood::Refusing);
    let (task, asked) = colours.put(json!([{"id": 1, "title": "blue"}]));
    assert_eq!((&task["status"], asked.len()), (&json!("failed"), 1));
    let batch = server.call(&format!("GET /batches/{}", task["batchUid"])).json();
    let requests = &batch["stats"]["embedderRequests"];
    assert_eq!((&requests["total"], &requests["failed"]), (&json!(1), &json!(1)), "{batch}");
    assert!(requests["lastError"].as_str().unwrap().contains("no such colour"), "{requests}");
}

/// Which may take long: dimensions are learnt from a provider that does not answer.
#[test]
fn the_making_of_an_embedder_is_seen_and_can_be_canceled() {
    let colours = Colours::without_embedder();
    let server = &colours.server;
    let mut embedder = colours.provider.embedder("{{doc.title}}", KEY);
    embedder.as_object_mut().unwrap().remove("dimensions");
    let change = json!({ "e": embedder });
    colours.provider.set_mood(Mood::Holding);
    let sent = server.call_json(EMBEDDERS, change.clone());
    let running = batch_that_asks(server);
    let steps = running["progress"]["steps"].to_string();
    assert!(steps.contains("preparing embedder `e`"), "{steps}");
    server.call(&format!("POST /tasks/cancel?uids={}", sent.json()["taskUid"]));
    let task = sent.task(server);
    assert_eq!(task["status"], "canceled", "{task}");

    colours.provider.set_mood(Mood::Away);
    let task = server.call_json(EMBEDDERS, change).task(server);
    assert_eq!(task["status"], "failed", "{task}");
    let batch = server.call(&format!("GET /batches/{}", task["batchUid"])).json();
    let requests = &batch["stats"]["embedderRequests"];
    assert_eq!((&requests["total"], &requests["failed"]), (&json!(10), &json!(10)));
    let error = requests["lastError"].as_str().unwrap_or_default();
    assert!(error.contains("could not reach embedding server"), "{requests}");
}

#[test]
fn calls_are_counted_where_no_vector_changes() {
    let colours = Colours::without_embedder();
    let mut embedder = colours.provider.embedder("{{doc.title}}", KEY);
    embedder.as_object_mut().unwrap().remove("dimensions");
    let task = colours.server.call_json(EMBEDDERS, json!({"e": embedder})).task(&colours.server);
    assert_eq!(task["status"], "succeeded", "{task}");
    let batch = colours.server.call(&format!("GET /batches/{}", task["batchUid"])).json();
    assert_eq!(batch["stats"]["embedderRequests"], json!({"total": 1, "failed": 0}), "{batch}");
}

#[test]
fn a_mask_is_refused_where_it_stands_for_nothing() {
    let colours = Colours::without_embedder();
    let server = &colours.server;
    let embedder = colours.provider.embedder("{{doc.title}}", "kqzXXXXX...");
    let task = server.call_json(EMBEDDERS, json!({"e": embedder})).task(server);
    assert_eq!(task["error"]["code"], "invalid_settings_embedders", "{task}");
    let message = task["error"]["message"].as_str().unwrap();
    let expected = "Index `colours`: `.embedders.e.apiKey`: `kqzXXXXX...` is how a secret is shown";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn failures_can_be_ignored_and_cost_no_more_than_they_must() {
    let ignoring =
        FailureModes { ignore_document_template_failures: true, ignore_embedder_failures: true };
    let colours = Colours::failing_with(ignoring);
    colours.embedded_by_change(colours.provider.embedder("{{doc.title}}", KEY));
    colours.provider.set_mood(Mood::Picky);
    let title = |id: u64| if id == 3 { "green".to_owned() } else { format!("red {id}") };
    let mut documents: Vec<Value> =
        (0..25).map(|id| json!({"id": id, "title": title(id)})).collect();
    documents.push(json!({"id": 25, "name": "no title"}));
    let (task, _) = colours.put(json!(documents));
    assert_eq!(task["status"], "succeeded", "{task}");
    // Ten documents are one call.
    let stats = colours.server.call("GET /indexes/colours/stats").json();
    assert_eq!(
        (&stats["numberOfDocuments"], &stats["numberOfEmbeddings"]),
        (&json!(26), &json!(15))
    );
    assert_eq!(colours.vectors(3), (vec![], true));
    assert_eq!(colours.vectors(25), (vec![], true));
    // They get theirs when they change.
    colours.provider.set_mood(Mood::Willing);
    assert_eq!(colours.embedded_by(json!([{"id": 3, "title": "blue"}])), ["blue"]);
}
