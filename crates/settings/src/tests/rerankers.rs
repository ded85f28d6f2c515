//! Rerankers: what each source takes, how changes are laid over each other, and their secrets.

use model::{Code, ServiceError};
use serde_json::{Value, json};

use super::setting;
use crate::{Change, RerankerSource, Settings};

/// Returns the stored rerankers after these changes, applied in order.
fn try_stored<const N: usize>(changes: [Value; N]) -> Result<Value, ServiceError> {
    let setting = setting("rerankers");
    changes.into_iter().try_fold(Value::Null, |stored, change| {
        Change::of_one(setting, change)?.apply_checked(&stored)
    })
}

#[track_caller]
fn stored<const N: usize>(changes: [Value; N]) -> Value {
    try_stored(changes).expect("changes that fit")["rerankers"].clone()
}

#[track_caller]
fn refused<const N: usize>(changes: [Value; N]) -> String {
    let error = try_stored(changes).expect_err("a change that does not fit");
    assert_eq!(error.code, Code::InvalidSettingsRerankers);
    error.message
}

/// Returns the error of a change before it is applied.
#[track_caller]
fn refused_at_once(members: Value) -> String {
    let change = Change::of_one(setting("rerankers"), json!({"r": members})).expect("its types");
    let error = change.check_whole(&model::Features::default()).expect_err("a mistake");
    assert_eq!(error.code, Code::InvalidSettingsRerankers);
    error.message
}

fn cohere() -> Value {
    json!({"source": "cohere", "model": "m", "apiKey": "a-secret-that-nobody-may-read"})
}

fn rest() -> Value {
    json!({
        "source": "rest",
        "url": "http://localhost:9/rerank",
        "request": {"query": "{{query}}", "texts": ["{{text}}", "{{..}}"]},
        "response": [{"index": "{{index}}", "score": "{{score}}"}, "{{..}}"],
    })
}

#[test]
fn members_are_laid_over_those_that_are_stored() {
    let after = stored([
        json!({"a": cohere(), "b": rest()}),
        json!({"a": {"timeoutMs": 300}, "b": null}),
        json!({"a": {"model": "n"}}),
    ]);
    let expected = json!({"a": {"source": "cohere", "model": "n",
        "apiKey": "a-secret-that-nobody-may-read", "timeoutMs": 300}});
    assert_eq!(after, expected);
    // Another source: what belongs to the provider goes, what belongs to the documents stays.
    let moved = stored([
        json!({"a": {"source": "voyage", "model": "m", "url": "http://x.example", "documentTemplate": "t"}}),
        json!({"a": {"source": "huggingFace", "model": "o/m"}}),
    ]);
    let expected = json!({"a": {"source": "huggingFace", "model": "o/m", "documentTemplate": "t"}});
    assert_eq!(moved, expected);
}

#[test]
fn secrets_are_shown_as_masks_which_stand_for_them() {
    let with_header = {
        let mut rest = rest();
        rest["headers"] = json!({"Authorization": "Bearer 0123456789012345", "Accept": "*/*"});
        rest
    };
    let stored_once = stored([json!({"c": cohere(), "r": with_header})]);
    let shown = setting("rerankers").read(&json!({"rerankers": stored_once}));
    let text = shown.to_string();
    assert!(!text.contains("nobody-may-read") && !text.contains("0123456789012345"), "{text}");
    assert_eq!(shown["r"]["headers"]["Accept"], "*/*");
    let change = Change::of_one(setting("rerankers"), json!({"c": cohere()})).unwrap();
    assert!(!format!("{change:?}").contains("nobody-may-read"));
    // What is shown can be sent back.
    let again = stored([json!({"c": cohere(), "r": with_header}), shown.clone()]);
    assert_eq!(again["c"]["apiKey"], cohere()["apiKey"]);
    assert_eq!(again["r"]["headers"], with_header["headers"]);
    let message = refused([json!({"x": shown["c"]})]);
    assert!(message.starts_with("`.rerankers.x.apiKey`: `a-"), "{message}");
}

#[test]
fn each_source_has_its_members() {
    assert_eq!(
        refused([json!({"r": {"source": "jina"}})]),
        "`.rerankers.r`: Missing field `model` (note: this field is mandatory for source `jina`)"
    );
    assert!(refused([json!({"r": {"model": "m"}})]).contains("Missing field `source`"));
    let mut without_url = rest();
    without_url["url"] = Value::Null;
    assert!(refused([json!({"r": without_url})]).contains("Missing field `url`"));
    assert_eq!(
        refused_at_once(json!({"source": "huggingFace", "model": "m", "apiKey": "k"})),
        "`.rerankers.r`: Field `apiKey` unavailable for source `huggingFace`.\n  - note: available \
         fields for source `huggingFace`: `source`, `model`, `revision`, `documentTemplate`, \
         `documentTemplateMaxBytes`, `timeoutMs`"
    );
    // A key does not get lost unseen.
    let message =
        refused([json!({"r": cohere()}), json!({"r": {"source": "huggingFace", "model": "m"}})]);
    assert!(message.contains("Field `apiKey` unavailable"), "{message}");
    let many: serde_json::Map<_, _> = (0..33).map(|n| (n.to_string(), cohere())).collect();
    assert!(refused([Value::Object(many)]).starts_with("Too many rerankers"));
}

#[test]
fn values_are_judged_at_once() {
    for (members, start) in [
        (json!({"url": "x"}), "`.rerankers.r.url`: could not parse `x`"),
        (json!({"documentTemplate": "{{"}), "`.rerankers.r.documentTemplate`: Invalid template"),
        (
            json!({"documentTemplateMaxBytes": 0}),
            "`.rerankers.r.documentTemplateMaxBytes`: expected 1 to 65536, got 0",
        ),
        (json!({"timeoutMs": 30_001}), "`.rerankers.r.timeoutMs`: expected 1 to 30000, got 30001"),
        (
            json!({"request": {"q": "{{query}}"}}),
            "`.rerankers.r.request`: in `request`: \"{{text}}\"",
        ),
        (
            json!({"response": {}}),
            "`.rerankers.r.response`: in `response`: \"{{score}}\" not found",
        ),
    ] {
        let message = refused_at_once(members);
        assert!(message.starts_with(start), "{message}");
    }
}

#[test]
fn stored_settings_are_read_back() {
    let settings = Settings::from_stored(&json!({"rerankers": stored([json!({"r": rest()})])}));
    let RerankerSource::Rest(read) = &settings.rerankers["r"].source else { panic!("another") };
    assert_eq!(
        (read.url.as_str(), &read.request),
        ("http://localhost:9/rerank", &rest()["request"])
    );
    assert!(!settings.rerankers["r"].source.is_local());
    let incomplete = json!({"rerankers": {"r": {"source": "rest"}, "s": {"source": "none"}}});
    assert!(Settings::from_stored(&incomplete).rerankers.is_empty());
}
