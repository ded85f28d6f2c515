//! After a migration, the target has everything that the source has.

use serde_json::{Value, json};

use crate::cli::instance::{CommandOutput, Instance};

const KEY: &str = "the master key of the first";
const OTHER_KEY: &str = "the master key of another";

fn fill(instance: &Instance) {
    let features = json!({"chatCompletions": true, "dynamicSearchRules": true});
    instance.send("PATCH", "/experimental-features", Some(&features));
    instance.write_and_wait("POST", "/indexes", &json!({"uid": "films", "primaryKey": "id"}));
    instance.write_and_wait(
        "PATCH",
        "/indexes/films/settings",
        &json!({
            "filterableAttributes": ["year"], "sortableAttributes": ["year"],
            "rankingRules": ["words", "typo", "year:desc"], "stopWords": ["the"],
            "synonyms": {"film": ["movie"]}, "distinctAttribute": "title",
            "typoTolerance": {"minWordSizeForTypos": {"oneTypo": 4}},
            "embedders": {
                "given": {"source": "userProvided", "dimensions": 2},
                "remote": {"source": "rest", "url": "http://127.0.0.1:9/", "dimensions": 2, "apiKey": "a secret of the provider",
                    "request": {"input": "{{text}}"}, "response": {"data": "{{embedding}}"}}
            }
        }),
    );
    let documents: Vec<Value> = (0..250)
        .map(|id| {
            let vector = json!([f64::from(id) / 250.0, 0.5]);
            json!({"id": id, "title": format!("Film {id}"), "year": 1900 + id % 100, "big": 12345678901234567890_u64,
                "_vectors": {"given": vector, "remote": {"embeddings": [[0.25, 0.5]], "regenerate": false}}})
        })
        .collect();
    instance.write_and_wait("POST", "/indexes/films/documents", &documents.into());
    instance.write_and_wait(
        "POST",
        "/indexes/shop_eu/documents?primaryKey=sku",
        &json!([{"sku": "a-b", "id": 1, "uid": 2}]),
    );
    instance.write_and_wait("POST", "/indexes", &json!({"uid": "empty"}));
    let key = json!({"name": "shop", "description": "reads", "actions": ["search"], "indexes": ["shop_*"], "expiresAt": "2099-01-01"});
    instance.send("POST", "/keys", Some(&key));
    let chat = json!({"source": "mistral", "apiKey": "a secret of the provider", "prompts": {"system": "Be brief."}});
    instance.send("PATCH", "/chats/help/settings", Some(&chat));
    let rule = json!({"description": "first", "precedence": 3, "conditions": {"query": {"words": "new"}},
        "actions": [{"selector": {"indexUid": "films", "id": "7"}, "action": {"type": "pin", "position": 0}}]});
    instance.write_and_wait("PATCH", "/dynamic-search-rules/newest", &rule);
}

fn migrate(from: &Instance, to: &Instance, more: &[&str]) -> CommandOutput {
    let from_url = from.url();
    let arguments = [&["migrate", "--from", &from_url, "--from-key", KEY], more].concat();
    to.run(&arguments)
}

/// Without what belongs to the moment.
fn without(mut value: Value, fields: &[&str]) -> Value {
    match &mut value {
        Value::Object(object) => {
            for field in fields {
                object.shift_remove(*field);
            }
            object.values_mut().for_each(|inner| *inner = without(inner.take(), fields));
        }
        Value::Array(items) => {
            items.iter_mut().for_each(|inner| *inner = without(inner.take(), fields));
        }
        _ => {}
    }
    value
}

fn check_equal(from: &Instance, to: &Instance) {
    let get = |path: &str, but: &[&str]| {
        assert_eq!(without(to.get(path), but), without(from.get(path), but), "{path}");
    };
    get("/indexes", &["createdAt", "updatedAt"]);
    for index in ["films", "shop_eu", "empty"] {
        // Secrets are shown in part, and cannot be copied.
        get(&format!("/indexes/{index}/settings"), &["apiKey"]);
        assert_eq!(to.documents(index), from.documents(index), "{index}");
    }
    get("/chats", &[]);
    get("/chats/help/settings", &["apiKey"]);
    let rules = |instance: &Instance| {
        without(
            instance.send("POST", "/dynamic-search-rules", Some(&json!({}))),
            &["lastUpdatedAt"],
        )
    };
    assert_eq!(rules(to), rules(from));
    let there = from.get("/keys?limit=100");
    for key in there["results"].as_array().expect("keys") {
        let path = format!("/keys/{}", key["uid"].as_str().expect("a uid"));
        get(&path, &["createdAt", "updatedAt"]);
    }
}

#[test]
fn everything_is_copied_and_a_second_time_changes_nothing() {
    let from = Instance::with_key(KEY);
    fill(&from);
    let to = Instance::with_key(KEY);
    let ran = migrate(&from, &to, &[]).succeeded();
    for line in [
        "features: switched on dynamicSearchRules, chatCompletions",
        "films: the API key of embedders.remote cannot be read from the source",
        "keys: 5 keys, with the same values",
        "chat workspace help: its API key cannot be read from the source",
        "1 search rule: copied",
    ] {
        assert!(ran.err.contains(line), "{line}: {ran:?}");
    }
    let table = "index    documents there  documents here\n\
                 empty                  0               0  equal\n\
                 films                250             250  equal\n\
                 shop_eu                1               1  equal\n";
    assert_eq!(ran.out, table);
    check_equal(&from, &to);
    let again = migrate(&from, &to, &[]).succeeded();
    assert_eq!(again.out, table);
    check_equal(&from, &to);

    let chosen = Instance::with_key(OTHER_KEY);
    let ran = migrate(&from, &chosen, &["--index", "shop_*"]).succeeded();
    assert!(ran.out.contains("shop_eu") && !ran.out.contains("films"), "{ran:?}");
    assert!(!ran.err.contains("keys"), "{ran:?}");
    assert_eq!(chosen.get("/indexes")["total"], 1);
    let ran = migrate(&from, &chosen, &[]).succeeded();
    assert!(ran.err.contains("keys: 5 keys, 5 of them with other values"), "{ran:?}");

    // An index of the same name that is another one stays what it is.
    chosen.write_and_wait("DELETE", "/indexes/shop_eu", &Value::Null);
    chosen.write_and_wait(
        "POST",
        "/indexes/shop_eu/documents?primaryKey=id",
        &json!([{"id": 1}, {"id": 2}]),
    );
    let ran = migrate(&from, &chosen, &["--index", "shop_eu"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("with the primary key `id` instead of `sku`"), "{ran:?}");
    assert!(ran.out.contains("different"), "{ran:?}");
    let ran = migrate(&from, &chosen, &["--index", "nothing"]);
    assert!(ran.code == 1 && ran.err.contains("has no such index"), "{ran:?}");
}
