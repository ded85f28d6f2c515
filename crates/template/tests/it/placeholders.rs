//! Requests and responses: where placeholders may be, every message, and what goes in and out.

use serde_json::{Value, json};
use template::{Placeholder, RequestTemplate, ResponseTemplate};

const TEXT_NOTE: &str = "\n  - Note: this template is using a document template, and so expects to contain the placeholder \"{{text}}\" rather than \"{{fragment}}\"";
const FRAGMENT_NOTE: &str = "\n  - Note: this template is using fragments, and so expects to contain the placeholder \"{{fragment}}\" rathern than \"{{text}}\"";

fn refused_request(request: Value) -> String {
    let error = RequestTemplate::parse(&request, Placeholder::Text).unwrap_err().to_string();
    error.strip_suffix(TEXT_NOTE).expect("every message has the note").to_owned()
}

fn refused_response(request: Value, response: Value) -> String {
    let request = RequestTemplate::parse(&request, Placeholder::Text).unwrap();
    ResponseTemplate::parse(&response, &request).unwrap_err().to_string()
}

#[test]
fn a_request_has_one_placeholder() {
    let missing = "in `request`: \"{{text}}\" not found";
    for request in [
        json!({}),
        json!(3),
        json!({"a": "x {{text}}"}),
        json!("{{embedding}}"),
        json!("{{fragment}}"),
    ] {
        assert_eq!(refused_request(request), missing);
    }
    assert_eq!(
        refused_request(json!({"a": "{{text}}", "b": "{{text}}"})),
        "in `request.b`: Found \"{{text}}\", but it was already present in `request.a`"
    );
    assert_eq!(
        refused_request(json!({"a": ["{{text}}", "{{..}}"], "b": {"c": ["x", "{{text}}"]}})),
        "in `request.b.c[1]`: Found \"{{text}}\", but it was already present in `request.a[0]` (repeated)"
    );
}

#[test]
fn a_request_with_fragments_says_so() {
    let error = RequestTemplate::parse(&json!({"a": "{{text}}"}), Placeholder::Fragment);
    let expected = format!("in `request`: \"{{{{fragment}}}}\" not found{FRAGMENT_NOTE}");
    assert_eq!(error.unwrap_err().to_string(), expected);
}

#[test]
fn a_repetition_is_second_in_an_array() {
    for (request, expected) in [
        (
            json!({"a": ["{{..}}", "{{text}}"]}),
            "in `request.a`: \"{{..}}\" expected at position #1, but found at position #0",
        ),
        (
            json!({"a": ["{{text}}", "x", "{{..}}"]}),
            "in `request.a`: \"{{..}}\" expected at position #1, but found at position #2",
        ),
        (
            json!(["{{text}}", "{{..}}", "{{..}}"]),
            "in `request`: \"{{..}}\" expected at position #1, but found at position #2",
        ),
        (
            json!({"a": "{{..}}", "b": "{{text}}"}),
            "in `request.a`: \"{{..}}\" appears outside of an array",
        ),
        (
            json!([["{{text}}", "{{..}}"], "{{..}}"]),
            "in `request`: \"{{..}}\" appears nested inside of a value that is itself repeated",
        ),
        (
            json!({"a": ["{{text}}", "{{..}}"], "b": ["{{text}}", "{{..}}"]}),
            "in `request.b`: Found \"{{..}}\", but it was already present in `request.a`",
        ),
        (
            json!({"a": [{"b": 1}, "{{..}}"], "c": "{{text}}"}),
            "in `request.a[0]`: Expected \"{{text}}\" inside of the repeated value",
        ),
        (
            json!({"a": ["{{text}}", "{{..}}"], "b": "{{text}}"}),
            "in `request.b`: Found \"{{text}}\", but it was already present in `request.a[0]` (repeated)",
        ),
        (
            json!({"a": "{{text}}", "b": [{"c": "{{text}}"}, "{{..}}"]}),
            "in `request.b[0].c` (repeated): Found \"{{text}}\", but it was already present in `request.a`",
        ),
        (
            json!({"a": [{"b": "{{text}}", "c": [42, "{{text}}"]}, "{{..}}"]}),
            "in `request.a.c[1]`: Found \"{{text}}\", but it was already present in `request.a.b`",
        ),
        (
            json!(["x", "{{..}}"]),
            "in `request[0]`: Expected \"{{text}}\" inside of the repeated value",
        ),
    ] {
        assert_eq!(refused_request(request), expected);
    }
}

#[test]
fn a_response_has_one_placeholder_and_no_note() {
    let missing = "in `response`: \"{{embedding}}\" not found";
    for response in [json!({}), json!({"a": "{{text}}"}), json!({"e": "x"})] {
        assert_eq!(refused_response(json!("{{text}}"), response), missing);
    }
    assert_eq!(
        refused_response(json!("{{text}}"), json!({"a": "{{embedding}}", "b": "{{embedding}}"})),
        "in `response.b`: Found \"{{embedding}}\", but it was already present in `response.a`"
    );
}

#[test]
fn both_repeat_or_none() {
    assert_eq!(
        refused_response(json!({"a": ["{{text}}", "{{..}}"]}), json!({"data": "{{embedding}}"})),
        "in `response`: `response` has a single embedding, but `request` has multiple texts to embed"
    );
    assert_eq!(
        refused_response(json!({"input": "{{text}}"}), json!({"a": ["{{embedding}}", "{{..}}"]})),
        "in `response`: `response` has multiple embeddings, but `request` has only one text to embed"
    );
}

fn inject(request: Value, inputs: &[&str]) -> Value {
    let request = RequestTemplate::parse(&request, Placeholder::Text).unwrap();
    let inputs: Vec<Value> = inputs.iter().map(|input| json!(input)).collect();
    assert!(inputs.len() <= request.inputs_per_request());
    request.inject(&inputs)
}

#[test]
fn texts_take_the_place_of_the_placeholder() {
    assert_eq!(inject(json!("{{text}}"), &["a"]), json!("a"));
    assert_eq!(
        inject(json!({"x": [1, {"input": "{{text}}"}], "n": 3}), &["a \"b\""]),
        json!({"x": [1, {"input": "a \"b\""}], "n": 3})
    );
    assert_eq!(
        inject(json!({"input": ["{{text}}", "{{..}}", "gone"]}), &["a", "b", "c"]),
        json!({"input": ["a", "b", "c"]})
    );
    assert_eq!(
        inject(json!([{"q": {"t": "{{text}}", "k": null}}, "{{..}}"]), &["a", "b"]),
        json!([{"q": {"t": "a", "k": null}}, {"q": {"t": "b", "k": null}}])
    );
}

#[test]
fn a_batch_is_ten_texts() {
    let parse = |request| RequestTemplate::parse(&request, Placeholder::Text).unwrap();
    assert_eq!(parse(json!(["{{text}}", "{{..}}"])).inputs_per_request(), 10);
    assert_eq!(parse(json!({"a": "{{text}}"})).inputs_per_request(), 1);
}

#[test]
fn fragments_are_any_json() {
    let request =
        RequestTemplate::parse(&json!({"in": "{{fragment}}"}), Placeholder::Fragment).unwrap();
    assert_eq!(request.inject(&[json!({"image": [1, null]})]), json!({"in": {"image": [1, null]}}));
}

fn extract(response: Value, answer: Value) -> Result<Vec<Vec<f32>>, String> {
    let repeats = response.to_string().contains("{{..}}");
    let request = if repeats { json!(["{{text}}", "{{..}}"]) } else { json!("{{text}}") };
    let request = RequestTemplate::parse(&request, Placeholder::Text).unwrap();
    let response = ResponseTemplate::parse(&response, &request).unwrap();
    response.extract(&answer).map_err(|error| error.to_string())
}

#[test]
fn embeddings_come_out_of_answers() {
    let single = json!({"data": [{"v": "{{embedding}}"}]});
    assert_eq!(extract(json!("{{embedding}}"), json!([1, 0.5])).unwrap(), [[1.0, 0.5]]);
    assert_eq!(extract(single, json!({"data": [{"v": [1, 2]}], "x": 1})).unwrap(), [[1.0, 2.0]]);
    let several = json!({"a": [{"e": "{{embedding}}", "k": null}, "{{..}}"]});
    assert_eq!(
        extract(several.clone(), json!({"a": [{"e": [1]}, {"e": [2]}, {"e": [3]}]})).unwrap(),
        [[1.0], [2.0], [3.0]]
    );
    assert!(extract(several, json!({"a": []})).unwrap().is_empty());
}

#[test]
fn an_answer_with_an_embedding_elsewhere_says_where() {
    let single = "while extracting a single \"{{embedding}}\"";
    for (response, answer, expected) in [
        (
            json!({"output": [{"embeddings": {"data": "{{embedding}}"}}]}),
            json!({"output": [{"text": "x", "embedding": [1, 2]}]}),
            format!(
                "in `response.output[0]`, {single}, configuration expects key \"embeddings\", which is missing in response\n  - Hint: item #0 inside `output` has key `embedding`, did you mean `response.output[0].embedding` in embedder configuration?"
            ),
        ),
        (
            json!({"data": "{{embedding}}"}),
            json!({"embedding": [1, 2]}),
            format!(
                "in `response`, {single}, configuration expects key \"data\", which is missing in response\n  - Hint: `response` has key `embedding`, did you mean `response.embedding` in embedder configuration?"
            ),
        ),
        (
            json!({"data": "{{embedding}}"}),
            json!({"model": "m", "result": {"vectors": [[1, 2]]}}),
            format!(
                "in `response`, {single}, configuration expects key \"data\", which is missing in response\n  - Hint: `response.result.vectors[0]` looks like an embedding, did you mean that in embedder configuration?"
            ),
        ),
    ] {
        assert_eq!(extract(response, answer).unwrap_err(), expected);
    }
}

#[test]
fn answers_of_another_form_are_explained() {
    let several = json!({"data": [{"e": "{{embedding}}"}, "{{..}}"]});
    let array = "the array of \"{{embedding}}\"s";
    let single = "a single \"{{embedding}}\"";
    for (response, answer, expected) in [
        (
            several.clone(),
            json!({"error": "no"}),
            format!(
                "in `response`, while extracting {array}, configuration expects key \"data\", which is missing in response"
            ),
        ),
        (
            several.clone(),
            json!([1]),
            format!(
                "in `response`, while extracting {array}, configuration expects `response` to be an object with key `data` but server sent an array of size 1"
            ),
        ),
        (
            several.clone(),
            json!({"data": "x"}),
            format!(
                "in `response.data`, while extracting {array}, configuration expects `data` to be an array with at least 1 item(s) but server sent a string"
            ),
        ),
        (
            several,
            json!({"data": [{"e": [1]}, {"e": [1, null]}]}),
            format!(
                "in `response.e`, while extracting item #1 from {array}, expected `e` to be an array of numbers, but failed to parse server response:\n  - invalid type: null, expected f32"
            ),
        ),
        (
            json!({"a": [1, "{{embedding}}"]}),
            json!({"a": [[1]]}),
            format!(
                "in `response.a`, while extracting {single}, configuration expects `a` to be an array with at least 2 item(s) but server sent an array of size 1"
            ),
        ),
        (
            json!("{{embedding}}"),
            json!({"a": 1}),
            format!(
                "in `response`, while extracting {single}, expected `response` to be an array of numbers, but failed to parse server response:\n  - invalid type: map, expected a sequence"
            ),
        ),
        (
            json!("{{embedding}}"),
            json!([1, 1e60]),
            format!(
                "in `response`, while extracting {single}, expected `response` to be an array of numbers, but server sent the number {} at position #1, which is out of the range of 32-bit floats",
                json!(1e60)
            ),
        ),
    ] {
        assert_eq!(extract(response, answer).unwrap_err(), expected);
    }
}
