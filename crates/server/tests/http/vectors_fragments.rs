//! Documents of which several fragments are embedded, each with a vector of its own.

use serde_json::{Value, json};

use crate::harness::{change_settings, ids, search};
use crate::provider::{Colours, KEY, Mood, vector};

/// Fragments `note` and `title`, of documents that have them.
fn fragments() -> Colours {
    let colours = Colours::without_embedder();
    let line = "PATCH /experimental-features";
    assert_eq!(colours.server.call_json(line, json!({"multimodal": true})).status, 200);
    assert!(colours.embedded_by_change(embedder(&colours)).is_empty());
    colours
}

fn embedder(colours: &Colours) -> Value {
    let mut embedder = colours.provider.embedder("", KEY);
    embedder.as_object_mut().unwrap().remove("documentTemplate");
    embedder["request"] = json!({"input": ["{{fragment}}", "{{..}}"]});
    embedder["indexingFragments"] =
        json!({"note": {"value": "{{doc.note}}"}, "title": {"value": "{{doc.title}}"}});
    embedder["searchFragments"] = json!({"text": {"value": "{{q}}"}});
    embedder
}

/// The ids of documents that have a vector of a fragment.
fn with(colours: &Colours, fragment: &str) -> Vec<u64> {
    let filter = format!("_vectors.e.fragments.{fragment} EXISTS");
    ids(&search(&colours.server, "colours", json!({ "filter": filter })))
}

fn made_of(texts: &[&str]) -> (Vec<Vec<f64>>, bool) {
    (texts.iter().map(|text| vector(text).to_vec()).collect(), true)
}

#[test]
fn only_fragments_that_changed_are_embedded() {
    let colours = fragments();
    let both = json!([{"id": 1, "title": "red", "note": "blue"}]);
    assert_eq!(colours.embedded_by(both), ["blue", "red"]);
    assert_eq!(colours.embedded_by(json!([{"id": 1, "title": "red red"}])), ["red red"]);
    assert_eq!(colours.vectors(1), made_of(&["blue", "red red"]));
    // Of a field that no fragment shows, and of one that comes and goes.
    assert!(colours.embedded_by(json!([{"id": 1, "n": 7}])).is_empty());
    let line = "POST /indexes/colours/documents";
    let replace = |document: Value| {
        let task = || colours.server.call_json(line, json!([document])).task(&colours.server);
        let (task, asked) = colours.provider.during(task);
        assert_eq!(task["status"], "succeeded", "{task}");
        asked.into_iter().flat_map(|asked| asked.texts).collect::<Vec<_>>()
    };
    assert!(replace(json!({"id": 1, "title": "red red"})).is_empty());
    assert_eq!(colours.vectors(1), made_of(&["red red"]));
    assert_eq!(with(&colours, "note"), Vec::<u64>::new());
    assert_eq!(replace(json!({"id": 1, "title": "red red", "note": "x"})), ["x"]);
    assert_eq!(colours.vectors(1), made_of(&["x", "red red"]));
    assert_eq!((with(&colours, "note"), with(&colours, "title")), (vec![1], vec![1]));
}

#[test]
fn of_fragments_that_change_several_times_in_a_batch_the_last_counts() {
    let colours = fragments();
    colours.embedded_by(json!([{"id": 1, "title": "red", "note": "blue"}]));
    let (server, line) = (&colours.server, "PUT /indexes/colours/documents");
    colours.provider.set_mood(Mood::Holding);
    let first = server.call_json(line, json!([{"id": 9, "title": "x"}]));
    while server.call("GET /tasks?statuses=processing").json()["total"] == 0 {
        std::thread::yield_now();
    }
    let (tasks, asked) = colours.provider.during(|| {
        let answers: Vec<_> = [
            json!([{"id": 1, "title": "red red"}, {"id": 1, "note": "blue blue"}]),
            json!([{"id": 1, "title": "red blue"}]),
        ]
        .into_iter()
        .map(|documents| server.call_json(line, documents))
        .collect();
        colours.provider.set_mood(Mood::Willing);
        answers.iter().map(|answer| answer.task(server)).collect::<Vec<_>>()
    });
    assert_eq!(first.task(server)["status"], "succeeded");
    assert_eq!(tasks[0]["batchUid"], tasks[1]["batchUid"]);
    assert_eq!(colours.vectors(1), made_of(&["blue blue", "red blue"]));
    let asked: Vec<String> = asked.into_iter().flat_map(|asked| asked.texts).collect();
    assert!(!asked.iter().any(|text| text == "red red" || text == "blue"), "{asked:?}");
}

#[test]
fn only_fragments_whose_settings_changed_are_embedded() {
    let colours = fragments();
    colours.embedded_by(json!([
        {"id": 1, "title": "red", "note": "blue"},
        {"id": 2, "title": "x"},
        {"id": 3, "title": "y", "_vectors": {"e": [1, 2, 3]}},
    ]));
    let change = json!({"indexingFragments": {"note": {"value": "a {{doc.note}}"}}});
    assert_eq!(colours.embedded_by_change(change), ["a blue"]);
    assert_eq!(colours.vectors(1), made_of(&["a blue", "red"]));
    // One that goes, and another that comes.
    assert!(colours.embedded_by_change(json!({"indexingFragments": {"note": null}})).is_empty());
    assert_eq!(colours.vectors(1), made_of(&["red"]));
    let mut asked =
        colours.embedded_by_change(json!({"indexingFragments": {"all": {"value": "{{doc.id}}"}}}));
    asked.sort();
    assert_eq!(asked, ["1", "2"]);
    assert_eq!(colours.vectors(1), made_of(&["red", "1"]));
    assert_eq!(colours.vectors(3), (vec![vec![1.0, 2.0, 3.0]], false));
}

#[test]
fn embeddings_are_in_the_order_in_which_fragments_were_created() {
    let colours = fragments();
    colours.embedded_by(json!([{"id": 1, "title": "red", "note": "blue"}]));
    assert_eq!(colours.vectors(1), made_of(&["blue", "red"]));
    let add = json!({"indexingFragments": {"all": {"value": "x {{doc.id}}"}}});
    assert_eq!(colours.embedded_by_change(add), ["x 1"]);
    assert_eq!(colours.vectors(1), made_of(&["blue", "red", "x 1"]));
    // Only what changes is embedded again, whatever the order.
    assert_eq!(colours.embedded_by(json!([{"id": 1, "title": "red red"}])), ["red red"]);
    assert_eq!(colours.vectors(1), made_of(&["blue", "red red", "x 1"]));
    // A fragment that goes and comes back is a new one.
    assert!(colours.embedded_by_change(json!({"indexingFragments": {"note": null}})).is_empty());
    let again = json!({"indexingFragments": {"note": {"value": "{{doc.note}}"}}});
    assert_eq!(colours.embedded_by_change(again), ["blue"]);
    assert_eq!(colours.vectors(1), made_of(&["red red", "x 1", "blue"]));
    assert_eq!(colours.embedded_by(json!([{"id": 1, "note": "blue blue"}])), ["blue blue"]);
    assert_eq!(colours.vectors(1), made_of(&["red red", "x 1", "blue blue"]));
    let shown = colours.server.call("GET /indexes/colours/settings/embedders").json();
    let names: Vec<&String> = shown["e"]["indexingFragments"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["all", "note", "title"]);
}

#[test]
fn a_filter_with_a_typo_is_told_which_name_is_likely() {
    let colours = fragments();
    for (filter, told) in [
        (
            "_vectors.e.fragments.titel EXISTS",
            "The fragment `titel` does not exist on embedder `e`. Available fragments on this \
             embedder are: `note`, `title`. Did you mean `title`?\n",
        ),
        (
            "_vectors.e.fragments.picture EXISTS",
            "The fragment `picture` does not exist on embedder `e`. Available fragments on this \
             embedder are: `note`, `title`.\n",
        ),
        (
            "_vectors.E EXISTS",
            "The embedder `E` does not exist. Available embedders are: `e`. Did you mean `e`?\n",
        ),
    ] {
        let line = "POST /indexes/colours/search";
        let answer = colours.server.call_json(line, json!({ "filter": filter }));
        let begin = format!("Index `colours`: {told}");
        answer.is_error_like(400, "invalid_search_filter", &begin);
    }
}

#[test]
fn fragments_that_do_not_fit_together_fail_the_task_and_nothing_changes() {
    let colours = fragments();
    let line = "PATCH /indexes/colours/settings/embedders";
    let before = colours.server.call("GET /indexes/colours/settings/embedders").json();
    for (change, part) in [
        (json!({"searchFragments": {"text": null}}), "`searchFragments` is empty"),
        (json!({"searchFragments": null}), "`searchFragments` is empty"),
        (json!({"indexingFragments": null}), "`indexingFragments` is empty"),
        (json!({"dimensions": null}), "cannot infer `dimensions`"),
    ] {
        let answer = colours.server.call_json(line, json!({ "e": change }));
        let task = answer.task(&colours.server);
        assert_eq!(task["error"]["code"], "vector_embedding_error", "{change}: {task}");
        let message = task["error"]["message"].as_str().unwrap();
        assert!(message.contains(part), "{change}: {message}");
    }
    assert_eq!(colours.server.call("GET /indexes/colours/settings/embedders").json(), before);
    assert_eq!(colours.embedded_by(json!([{"id": 1, "title": "red"}])), ["red"]);
    change_settings(&colours.server, "colours", json!({"embedders": {"e": null}}));
}

#[test]
fn quantising_forgets_nothing_about_fragments() {
    let colours = fragments();
    colours
        .embedded_by(json!([{"id": 1, "title": "red", "note": "blue"}, {"id": 2, "title": "x"}]));
    for quantised in [false, true] {
        if quantised {
            assert!(colours.embedded_by_change(json!({"binaryQuantized": true})).is_empty());
        }
        assert_eq!(
            (with(&colours, "note"), with(&colours, "title")),
            (vec![1], vec![1, 2]),
            "{quantised}"
        );
        assert_eq!(colours.vectors(1).0.len(), 2);
    }
}
