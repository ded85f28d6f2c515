use serde_json::{Value, json};

use crate::dynamic_search_rules::{list, patch, pin, server_with_rules};
use crate::harness::INVALID_UID;

fn wrong_type(at: &str, expected: &str, found: &str) -> String {
    format!("Invalid value type at `{at}`: expected {expected}, but found {found}")
}

#[test]
fn rejects_invalid_list_parameters() {
    let server = server_with_rules();
    for (body, member, message) in [
        (
            json!({ "offset": -1 }),
            "offset",
            wrong_type(".offset", "a positive integer", "a negative integer: `-1`"),
        ),
        (json!({ "offset": null }), "offset", wrong_type(".offset", "a positive integer", "null")),
        (
            json!({ "limit": "a" }),
            "limit",
            wrong_type(".limit", "a positive integer", "a string: `\"a\"`"),
        ),
        (json!({ "filter": [] }), "filter", wrong_type(".filter", "an object", "an array: `[]`")),
        (
            json!({ "filter": { "query": 3 } }),
            "filter_query",
            wrong_type(".filter.query", "a string", "a positive integer: `3`"),
        ),
        (
            json!({ "filter": { "active": "yes" } }),
            "filter_active",
            wrong_type(".filter.active", "a boolean", "a string: `\"yes\"`"),
        ),
        (
            json!({ "filter": { "x": 1 } }),
            "filter",
            "Unknown field `x` inside `.filter`: expected one of `query`, `active`".to_owned(),
        ),
    ] {
        let code = format!("invalid_dynamic_search_rule_{member}");
        list(&server, body).is_error(400, &code, &message);
    }
    list(&server, json!({ "x": 1 })).is_error(
        400,
        "bad_request",
        "Unknown field `x`: expected one of `offset`, `limit`, `filter`",
    );
    list(&server, json!([])).is_error(
        400,
        "bad_request",
        "Invalid value type: expected an object, but found an array: `[]`",
    );
    server.call("POST /dynamic-search-rules").is_error(
        415,
        "missing_content_type",
        "A Content-Type header is missing. Accepted values for the Content-Type header are: \
         `application/json`",
    );
}

#[test]
fn rejects_invalid_rules() {
    let server = server_with_rules();
    for (body, member, message) in [
        (
            json!({ "description": 3 }),
            "description",
            wrong_type(".description", "a string", "a positive integer: `3`"),
        ),
        (
            json!({ "precedence": -1 }),
            "priority",
            wrong_type(".precedence", "a positive integer", "a negative integer: `-1`"),
        ),
        (
            json!({ "active": "yes" }),
            "active",
            wrong_type(".active", "a boolean", "a string: `\"yes\"`"),
        ),
    ] {
        let code = format!("invalid_dynamic_search_rule_{member}");
        patch(&server, "r", body).is_error(400, &code, &message);
    }
    let members = "`description`, `precedence`, `active`, `conditions`, `actions`";
    for name in ["uid", "lastUpdatedAt"] {
        patch(&server, "r", json!({ name: null })).is_error(
            400,
            "bad_request",
            &format!("Unknown field `{name}`: expected one of {members}"),
        );
    }
    patch(&server, "r", json!([])).is_error(
        400,
        "bad_request",
        "Invalid value type: expected an object, but found an array: `[]`",
    );
    for uid in ["a%20b", "a.b"] {
        let message = format!("`{}` {INVALID_UID}", uid.replace("%20", " "));
        patch(&server, uid, json!({})).is_error(400, "invalid_index_uid", &message);
        for line in ["GET /dynamic-search-rules", "DELETE /dynamic-search-rules"] {
            server.call(&format!("{line}/{uid}")).is_error(400, "invalid_index_uid", &message);
        }
    }
    assert_eq!(server.call("GET /tasks").json()["total"], 0);
}

#[test]
fn rejects_invalid_conditions() {
    let server = server_with_rules();
    let not_a_date = |text: &str| {
        format!(
            "Invalid value at `.conditions.time.start`: `{text}` is not a valid date. It should \
             follow the RFC 3339 format to represents a date or datetime in the future or \
             specified as a null value. e.g. 'YYYY-MM-DD' or 'YYYY-MM-DD HH:MM:SS'.\n"
        )
    };
    let wrong = |at: &str, expected: &str, found: &str| {
        wrong_type(&format!(".conditions{at}"), expected, found)
    };
    let unknown = |name: &str, at: &str, expected: &str| {
        format!("Unknown field `{name}` inside `.conditions{at}`: {expected}")
    };
    for (conditions, message) in [
        (json!([]), wrong("", "an object", "an array: `[]`")),
        (json!({ "x": 1 }), unknown("x", "", "expected one of `time`, `query`, `filter`")),
        (
            json!({ "query": { "words": 3 } }),
            wrong(".query.words", "a string", "a positive integer: `3`"),
        ),
        (
            json!({ "query": { "isEmpty": 0 } }),
            wrong(".query.isEmpty", "a boolean", "a positive integer: `0`"),
        ),
        (
            json!({ "query": { "word": "a" } }),
            unknown("word", ".query", "did you mean `words`? expected one of `isEmpty`, `words`"),
        ),
        (json!({ "time": { "start": "soon" } }), not_a_date("soon")),
        (json!({ "time": { "start": "2030-01-01" } }), not_a_date("2030-01-01")),
        (
            json!({ "time": { "start": 3 } }),
            wrong(".time.start", "a string", "a positive integer: `3`"),
        ),
        (
            json!({ "time": { "from": null } }),
            unknown("from", ".time", "expected one of `start`, `end`"),
        ),
        (json!({ "filter": {} }), "Missing field `values` inside `.conditions.filter`".to_owned()),
        (
            json!({ "filter": { "values": [] } }),
            wrong(".filter.values", "an object", "an array: `[]`"),
        ),
        (
            json!({ "filter": { "values": { "kind": [1] } } }),
            wrong(".filter.values.kind", "a boolean, a number, or a string", "an array: `[1]`"),
        ),
    ] {
        patch(&server, "r", json!({ "conditions": conditions })).is_error(
            400,
            "invalid_dynamic_search_rule_conditions",
            &message,
        );
    }
}

#[test]
fn conditions_that_exclude_each_other_are_a_bad_request() {
    let server = server_with_rules();
    let refused = |conditions: Value, message: &str| {
        let answer = patch(&server, "r", json!({ "conditions": conditions }));
        answer.is_error(400, "bad_request", &format!("Invalid value at `.conditions.{message}"));
    };
    refused(
        json!({ "query": { "isEmpty": true, "words": "a" } }),
        "query`: either `isEmpty` or `words` can be used, not both at once",
    );
    for day in ["2020-01-01", "2030-01-01"] {
        let end = format!("{day}T00:00:00Z");
        refused(
            json!({ "time": { "start": "2030-01-01T00:00:00Z", "end": end } }),
            &format!(
                "time`: `end` (`{day} 0:00:00.0 +00:00:00`) should be later than `start` \
                 (`2030-01-01 0:00:00.0 +00:00:00`)"
            ),
        );
    }
}

#[test]
fn rejects_invalid_actions() {
    let server = server_with_rules();
    let on = |selector: Value, action: Value| json!([{ "selector": selector, "action": action }]);
    let (one, at_0) = (json!({ "id": "1" }), json!({ "type": "pin", "position": 0 }));
    let missing = |name: &str, at: &str| format!("Missing field `{name}` inside `.actions[0]{at}`");
    let unknown = |at: &str, known: &str| {
        format!("Unknown field `x` inside `.actions[0]{at}`: expected one of {known}")
    };
    for (actions, message) in [
        (json!({}), wrong_type(".actions", "an array", "an object: `{}`")),
        (json!([{}]), missing("selector", "")),
        (json!([{ "selector": one }]), missing("action", "")),
        (on(json!({}), at_0.clone()), missing("id", ".selector")),
        (
            json!([pin("1", 0), { "selector": { "id": 1 }, "action": at_0 }]),
            wrong_type(".actions[1].selector.id", "a string", "a positive integer: `1`"),
        ),
        (
            on(json!({ "id": "1", "indexUid": "a b" }), at_0.clone()),
            format!("Invalid value at `.actions[0].selector.indexUid`: `a b` {INVALID_UID}"),
        ),
        (on(json!({ "id": "1", "x": 1 }), at_0.clone()), unknown(".selector", "`indexUid`, `id`")),
        (
            on(one.clone(), json!({ "type": "hide", "position": 0 })),
            "Invalid value at `.actions[0].action`: Incorrect tag value".to_owned(),
        ),
        (on(one.clone(), json!({ "position": 0 })), missing("type", ".action")),
        (on(one.clone(), json!({ "type": "pin" })), missing("position", ".action")),
        (
            on(one.clone(), json!({ "type": "pin", "position": 0, "x": 1 })),
            unknown(".action", "`position`"),
        ),
        (
            on(one.clone(), json!({ "type": "pin", "position": -1 })),
            wrong_type(
                ".actions[0].action.position",
                "a positive integer",
                "a negative integer: `-1`",
            ),
        ),
        (json!([{ "selector": one, "action": at_0, "x": 1 }]), unknown("", "`selector`, `action`")),
    ] {
        patch(&server, "r", json!({ "actions": actions })).is_error(
            400,
            "invalid_dynamic_search_rule_actions",
            &message,
        );
    }
}
