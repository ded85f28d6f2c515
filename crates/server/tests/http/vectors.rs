//! The vectors of documents: which are made by a provider and when, which stay, and which go.

use serde_json::{Value, json};

use crate::harness::change_settings;
use crate::provider::{Colours, KEY, Mood, vector};

fn generated(title: &str) -> (Vec<Vec<f64>>, bool) {
    (vec![vector(title).to_vec()], true)
}

fn batch_of(colours: &Colours, task: &Value) -> Value {
    colours.server.call(&format!("GET /batches/{}", task["batchUid"])).json()
}

#[test]
fn documents_are_embedded_when_they_come_and_when_their_text_changes() {
    let colours = Colours::start();
    // Two of them read alike, which is embedded once.
    let title = |id: u32| if id < 3 { "red".to_owned() } else { format!("red {id}") };
    let documents: Vec<Value> = (1..=30).map(|id| json!({"id": id, "title": title(id)})).collect();
    let (task, asked) = colours.put(json!(documents));
    assert_eq!(task["status"], "succeeded", "{task}");
    assert_eq!(asked.iter().map(|asked| asked.texts.len()).sum::<usize>(), 29);
    assert!(asked.len() < 30, "several texts make one request");
    assert!(asked.iter().all(|asked| asked.key.as_deref() == Some(&*format!("Bearer {KEY}"))));
    for id in [1, 2, 3, 30] {
        assert_eq!(colours.vectors(u64::from(id)), generated(&title(id)));
    }
    assert_eq!(
        batch_of(&colours, &task)["stats"]["embedderRequests"],
        json!({"total": asked.len(), "failed": 0})
    );

    // What the template does not show, and what is the same.
    assert!(colours.embedded_by(json!([{"id": 1, "n": 7}])).is_empty());
    let (task, asked) = colours.put(json!([{"id": 1, "title": "red"}]));
    assert!(asked.is_empty());
    assert!(
        batch_of(&colours, &task)["stats"]
            .get("embedderRequests")
            .is_none_or(|requests| { *requests == json!({}) })
    );
    let (_, asked) = colours.put(json!([{"id": 1, "title": "blue"}, {"id": 2, "title": "red"}]));
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].texts, ["blue"]);
    assert_eq!(colours.vectors(1), generated("blue"));
    assert_eq!(colours.vectors(2), generated("red"));
    let line = "DELETE /indexes/colours/documents/1";
    let task = colours.server.call(line).task(&colours.server);
    assert_eq!(task["status"], "succeeded", "{task}");
    assert_eq!(colours.embedded_by(json!([{"id": 1, "title": "blue"}])), ["blue"]);
}

#[test]
fn vectors_that_were_given_stay() {
    let colours = Colours::start();
    let given = json!([{"id": 1, "title": "red", "_vectors": {"e": [1, 2, 3]}}]);
    assert!(colours.embedded_by(given).is_empty());
    assert!(colours.embedded_by(json!([{"id": 1, "title": "blue"}])).is_empty());
    assert_eq!(colours.vectors(1), (vec![vec![1.0, 2.0, 3.0]], false));
    // Nor does another template replace them.
    assert!(colours.embedded_by_change(json!({"documentTemplate": "a {{doc.title}}"})).is_empty());
    assert_eq!(colours.vectors(1), (vec![vec![1.0, 2.0, 3.0]], false));

    // One that wants none gets none.
    let none = json!([{"id": 2, "title": "red", "_vectors": {"e": null}}]);
    assert!(colours.embedded_by(none).is_empty());
    assert!(colours.embedded_by(json!([{"id": 2, "title": "blue"}])).is_empty());
    assert_eq!(colours.vectors(2), (vec![], false));
    // Unless it asks.
    let ask = json!([{"id": 2, "_vectors": {"e": {"regenerate": true}}}]);
    assert_eq!(colours.embedded_by(ask), ["a blue"]);
    assert_eq!(colours.vectors(2), generated("a blue"));
}

#[test]
fn vectors_that_may_be_replaced_are_when_the_text_changes() {
    let colours = Colours::start();
    let once = json!({"regenerate": true, "embeddings": [9, 9, 9]});
    let document = json!([{"id": 1, "title": "red", "_vectors": {"e": once}}]);
    assert!(colours.embedded_by(document).is_empty());
    assert_eq!(colours.vectors(1), (vec![vec![9.0; 3]], true));
    assert!(colours.embedded_by(json!([{"id": 1, "title": "red", "n": 1}])).is_empty());
    assert_eq!(colours.vectors(1), (vec![vec![9.0; 3]], true));
    assert_eq!(colours.embedded_by(json!([{"id": 1, "title": "blue"}])), ["blue"]);
    assert_eq!(colours.vectors(1), generated("blue"));
}

#[test]
fn a_provider_that_refuses_fails_the_task_and_nothing_changes() {
    let colours = Colours::start();
    colours.embedded_by(json!([{"id": 1, "title": "red"}]));
    colours.provider.set_mood(Mood::Refusing);
    let given = json!({"id": 3, "title": "x", "_vectors": {"e": [1, 1, 1]}});
    let (task, asked) =
        colours.put(json!([{"id": 1, "title": "blue"}, {"id": 2, "title": "red"}, given]));
    assert_eq!(asked.len(), 1, "it would refuse again");
    assert_eq!(task["status"], "failed", "{task}");
    assert_eq!(task["error"]["code"], "vector_embedding_error");
    let message = task["error"]["message"].as_str().unwrap();
    let begin = "Index `colours`: While embedding documents for embedder `e`: user error: ";
    assert!(message.starts_with(begin), "{message}");
    assert!(message.contains("no such colour"), "{message}");
    assert_eq!(colours.server.call("GET /indexes/colours/documents").json()["total"], 1);
    assert_eq!(colours.document(1)["title"], "red");
    assert_eq!(colours.vectors(1), generated("red"));

    // Nor does a setting for which everything would have to be embedded.
    let change = json!({"embedders": {"e": {"documentTemplate": "a {{doc.title}}"}}});
    let line = "PATCH /indexes/colours/settings";
    let task = colours.server.call_json(line, change).task(&colours.server);
    assert_eq!(task["error"]["code"], "vector_embedding_error", "{task}");
    let settings = colours.server.call("GET /indexes/colours/settings/embedders").json();
    assert_eq!(settings["e"]["documentTemplate"], "{{doc.title}}");

    colours.provider.set_mood(Mood::Willing);
    assert_eq!(colours.embedded_by(json!([{"id": 1, "title": "blue"}])), ["blue"]);
}

#[test]
fn a_request_that_fails_is_made_again_and_counted() {
    let colours = Colours::start();
    colours.provider.set_mood(Mood::Stumbling);
    let (task, asked) = colours.put(json!([{"id": 1, "title": "red"}]));
    assert_eq!(task["status"], "succeeded", "{task}");
    assert_eq!(asked.len(), 2);
    let requests = batch_of(&colours, &task)["stats"]["embedderRequests"].clone();
    assert_eq!((&requests["total"], &requests["failed"]), (&json!(2), &json!(1)), "{requests}");
    let last_error = requests["lastError"].as_str().unwrap_or_default();
    assert!(last_error.contains("it fell"), "{requests}");
}

#[test]
fn of_a_document_that_comes_several_times_in_a_batch_the_last_counts() {
    let colours = Colours::start();
    let server = &colours.server;
    let line = "PUT /indexes/colours/documents";
    // While this one waits for the provider, the others gather in one batch.
    colours.provider.set_mood(Mood::Holding);
    let first = server.call_json(line, json!([{"id": 9, "title": "x"}]));
    while server.call("GET /tasks?statuses=processing").json()["total"] == 0 {
        std::thread::yield_now();
    }
    let (last, asked) = colours.provider.during(|| {
        let mut answers: Vec<_> = [
            json!([{"id": 1, "title": "red"}, {"id": 2, "title": "a"}, {"id": 3, "title": "blue"}]),
            json!([{"id": 1, "_vectors": {"e": [1, 2, 3]}}, {"id": 2, "title": "b red"}]),
        ]
        .into_iter()
        .map(|documents| server.call_json(line, documents))
        .collect();
        answers.push(server.call("DELETE /indexes/colours/documents/3"));
        answers.push(server.call_json(line, json!([{"id": 4, "title": "blue"}])));
        colours.provider.set_mood(Mood::Willing);
        answers.iter().map(|answer| answer.task(server)).collect::<Vec<_>>()
    });
    assert_eq!(first.task(server)["status"], "succeeded");
    for task in &last {
        assert_eq!(task["status"], "succeeded", "{task}");
        assert_eq!(task["batchUid"], last[0]["batchUid"]);
    }
    assert_eq!(colours.vectors(1), (vec![vec![1.0, 2.0, 3.0]], false));
    assert_eq!(colours.vectors(2), generated("b red"));
    // It may have the number of the one that is gone.
    assert_eq!(colours.vectors(4), generated("blue"));
    let texts: Vec<&str> =
        asked.iter().flat_map(|asked| asked.texts.iter().map(String::as_str)).collect();
    assert!(!texts.contains(&"red") && !texts.contains(&"a"), "{texts:?}");
    let stats = server.call("GET /indexes/colours/stats").json();
    assert_eq!(stats["numberOfEmbeddings"], 4, "{stats}");
}

#[test]
fn another_template_embeds_only_what_reads_differently() {
    let colours = Colours::start();
    colours.embedded_by(json!([{"id": 1, "title": "red"}, {"id": 2, "title": "blue", "n": 7}]));
    let template = "{{doc.title}}{% if doc.n %} {{doc.n}}{% endif %}";
    assert_eq!(colours.embedded_by_change(json!({"documentTemplate": template})), ["blue 7"]);
    assert_eq!(colours.vectors(1), generated("red"));
    assert_eq!(colours.vectors(2), generated("blue 7"));
    assert_eq!(colours.embedded_by(json!([{"id": 1, "n": 1}])), ["red 1"]);
}

#[test]
fn another_key_embeds_nothing_and_is_used_from_then_on() {
    let colours = Colours::start();
    colours.embedded_by(json!([{"id": 1, "title": "red"}]));
    assert!(colours.embedded_by_change(json!({"apiKey": "another-key-5839271046"})).is_empty());
    let (_, asked) = colours.put(json!([{"id": 1, "title": "blue"}]));
    assert_eq!(asked[0].key.as_deref(), Some("Bearer another-key-5839271046"));
}

#[test]
fn a_new_embedder_takes_over_what_there_is_and_embeds_the_rest() {
    let colours = Colours::without_embedder();
    let given = json!({"id": 1, "title": "red", "_vectors": {"e": [1, 2, 3]}});
    assert!(colours.embedded_by(json!([given, {"id": 2, "title": "blue"}])).is_empty());
    let embedder = colours.provider.embedder("{{doc.title}}", KEY);
    assert_eq!(colours.embedded_by_change(embedder), ["blue"]);
    assert_eq!(colours.vectors(1), (vec![vec![1.0, 2.0, 3.0]], false));
    assert_eq!(colours.vectors(2), generated("blue"));
}

#[test]
fn an_embedder_that_goes_leaves_what_was_given_in_the_documents() {
    let colours = Colours::start();
    colours.embedded_by(json!([
        {"id": 1, "title": "red", "_vectors": {"e": [1, 2, 3]}},
        {"id": 2, "title": "blue"},
        {"id": 3, "title": "x", "_vectors": {"e": {"regenerate": true, "embeddings": [4, 4, 4]}}},
    ]));
    assert!(colours.embedded_by_change(Value::Null).is_empty());
    assert_eq!(colours.vectors(1), (vec![vec![1.0, 2.0, 3.0]], false));
    assert_eq!(colours.document(2)["_vectors"], json!({}));
    assert_eq!(colours.vectors(3), (vec![vec![4.0; 3]], true));
    let stats = colours.server.call("GET /indexes/colours/stats").json();
    assert_eq!(stats["numberOfEmbeddings"], 0);

    // With the embedder they come back.
    let embedder = colours.provider.embedder("{{doc.title}}", KEY);
    assert_eq!(colours.embedded_by_change(embedder), ["blue"]);
    assert_eq!(colours.vectors(1), (vec![vec![1.0, 2.0, 3.0]], false));
    assert_eq!(colours.vectors(3), (vec![vec![4.0; 3]], true));
    let stats = colours.server.call("GET /indexes/colours/stats").json();
    assert_eq!(stats["numberOfEmbeddings"], 3);
    assert_eq!(stats["numberOfEmbeddedDocuments"], 3);
}

#[test]
fn the_key_of_a_provider_is_shown_nowhere() {
    let colours = Colours::start();
    colours.embedded_by(json!([{"id": 1, "title": "red"}]));
    colours.provider.set_mood(Mood::Refusing);
    let (task, _) = colours.put(json!([{"id": 1, "title": "blue"}]));
    assert_eq!(task["status"], "failed");
    let embedder = colours.provider.embedder("{{doc.other}}", KEY);
    let change = json!({"embedders": {"e": embedder}});
    let line = "PATCH /indexes/colours/settings";
    colours.server.call_json(line, change).task(&colours.server);
    colours.provider.set_mood(Mood::Willing);
    change_settings(&colours.server, "colours", json!({"embedders": {"e": {"apiKey": KEY}}}));
    for line in [
        "GET /tasks",
        "GET /batches",
        "GET /indexes/colours/settings",
        "GET /indexes/colours/settings/embedders",
    ] {
        let shown = colours.server.call(line).text();
        assert!(shown.contains("XXXX"), "{line}: {shown}");
        assert!(!shown.contains("5839271046"), "{line}: {shown}");
    }
}

#[test]
fn quantising_together_with_another_template_quantises_what_stays() {
    let colours = Colours::start();
    colours.embedded_by(json!([
        {"id": 1, "title": "red"},
        {"id": 2, "title": "blue", "n": 7},
        {"id": 3, "title": "x", "_vectors": {"e": [5, -5, 5]}},
    ]));
    let template = "{{doc.title}}{% if doc.n %} {{doc.n}}{% endif %}";
    let change = json!({"documentTemplate": template, "binaryQuantized": true});
    assert_eq!(colours.embedded_by_change(change), ["blue 7"]);
    assert_eq!(colours.vectors(1), (vec![vec![1.0, 0.0, 1.0]], true));
    assert_eq!(colours.vectors(2), (vec![vec![0.0, 1.0, 1.0]], true));
    assert_eq!(colours.vectors(3), (vec![vec![1.0, 0.0, 1.0]], false));
}
