//! Templates of documents, fragments, requests and responses.

use std::num::NonZeroUsize;

use serde_json::{Map, Value, json};
use template::{
    DocumentTemplate, Fragment, OwnFields, Placeholder, RequestTemplate, ResponseTemplate,
    Variables,
};

/// Fails where the target would.
pub fn run(text: &[u8]) {
    let text = crate::text(text);
    let document = document();
    match DocumentTemplate::parse(text) {
        Ok(template) => {
            let rendered = template.render(&document, &OwnFields, NonZeroUsize::new(100));
            assert!(rendered.is_ok_and(|text| text.len() <= 100) || text.contains('{'));
        }
        Err(error) => drop(error.to_string()),
    }
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    if let Ok(fragment) = Fragment::parse(&value, "f") {
        let _ = fragment.render(&Variables::of_document(&document));
    }
    let Ok(request) = RequestTemplate::parse(&value, Placeholder::Text) else { return };
    let filled = request.inject(&[json!("a"), json!("b")]);
    if let Ok(response) = ResponseTemplate::parse(&value, &request) {
        let _ = response.extract(&filled);
    }
}

fn document() -> Map<String, Value> {
    match json!({"id": 1, "title": "Salt", "list": [1, "a", null], "nested": {"a": {"b": "c"}}}) {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
