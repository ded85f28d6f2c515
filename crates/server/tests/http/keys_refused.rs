//! `/keys`: bodies and parameters that are refused, and how.

use serde_json::{Value, json};

use super::harness::TestServer;
use super::keys::guarded;

fn body(change: Value) -> Value {
    let mut body = json!({"actions": ["search"], "indexes": ["*"], "expiresAt": null});
    for (name, value) in change.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

#[track_caller]
fn refused(server: &TestServer, change: Value, code: &str, message: &str) {
    server.call_json("POST /keys", body(change)).is_error(400, code, message);
}

#[test]
fn values_of_the_wrong_kind() {
    let server = guarded();
    for (change, code, message) in [
        (
            json!({"actions": null}),
            "invalid_api_key_actions",
            "Invalid value type at `.actions`: expected an array, but found null",
        ),
        (
            json!({"actions": ["search", 1]}),
            "invalid_api_key_actions",
            "Invalid value type at `.actions[1]`: expected a string, but found a positive integer: `1`",
        ),
        (
            json!({"indexes": "*"}),
            "invalid_api_key_indexes",
            "Invalid value type at `.indexes`: expected an array, but found a string: `\"*\"`",
        ),
        (
            json!({"expiresAt": 20991231}),
            "invalid_api_key_expires_at",
            "Invalid value type at `.expiresAt`: expected a string, but found a positive integer: `20991231`",
        ),
        (
            json!({"name": ["a"]}),
            "invalid_api_key_name",
            "Invalid value type at `.name`: expected a string, but found an array: `[\"a\"]`",
        ),
        (
            json!({"description": {"en": "x"}}),
            "invalid_api_key_description",
            "Invalid value type at `.description`: expected a string, but found an object: `{\"en\":\"x\"}`",
        ),
        (
            json!({"uid": null}),
            "invalid_api_key_uid",
            "Invalid value type at `.uid`: expected a string, but found null",
        ),
        (
            json!({"key": "x"}),
            "bad_request",
            "Unknown field `key`: expected one of `description`, `name`, `uid`, `actions`, `indexes`, `expiresAt`",
        ),
        (
            json!({"expires_at": null}),
            "bad_request",
            "Unknown field `expires_at`: did you mean `expiresAt`? expected one of `description`, `name`, `uid`, `actions`, `indexes`, `expiresAt`",
        ),
    ] {
        refused(&server, change, code, message);
    }
    for (body, code, field) in [
        (json!({}), "missing_api_key_actions", "actions"),
        (json!({"actions": []}), "missing_api_key_indexes", "indexes"),
        (json!({"actions": [], "indexes": []}), "missing_api_key_expires_at", "expiresAt"),
    ] {
        let message = format!("Missing field `{field}`");
        server.call_json("POST /keys", body).is_error(400, code, &message);
    }
}

#[test]
fn values_that_mean_nothing() {
    let server = guarded();
    server.call_json("POST /keys", body(json!({"actions": ["serach"]}))).is_error_like(
        400,
        "invalid_api_key_actions",
        "Unknown value `serach` at `.actions[0]`: did you mean `search`? expected one of `*`, `search`, `documents.*`,",
    );
    refused(
        &server,
        json!({"indexes": ["ok", "a**"]}),
        "invalid_api_key_indexes",
        "Invalid value at `.indexes[1]`: `a*` is not a valid index uid pattern. Index uid patterns can be an integer or a string containing only alphanumeric characters, hyphens (-), underscores (_), and optionally end with a star (*).",
    );
    for past in ["2020-01-01", "2020-01-01T00:00:00Z", "tomorrow", "2099-1-1", ""] {
        refused(
            &server,
            json!({"expiresAt": past}),
            "invalid_api_key_expires_at",
            &format!(
                "Invalid value at `.expiresAt`: `{past}` is not a valid date. It should follow the RFC 3339 format to represents a date or datetime in the future or specified as a null value. e.g. 'YYYY-MM-DD' or 'YYYY-MM-DD HH:MM:SS'.\n"
            ),
        );
    }
    server.call_json("POST /keys", body(json!({"uid": "not-a-uuid"}))).is_error_like(
        400,
        "invalid_api_key_uid",
        "Invalid value at `.uid`: invalid character: found `n` at 0",
    );
    refused(
        &server,
        json!({"actions": ["search", "export", "version"], "indexes": ["a"]}),
        "index_scoped_api_key_with_global_action",
        "cannot create index-scoped API key with global action `\"export\"`\n  - Hint: remove action `\"export\"` from the action list, or remove `indexes` to make the key global",
    );
}

#[test]
fn changes_of_what_stays_as_it_is() {
    let server = guarded();
    for (field, code) in [
        ("uid", "uid"),
        ("actions", "actions"),
        ("indexes", "indexes"),
        ("expiresAt", "expires_at"),
        ("createdAt", "created_at"),
        ("updatedAt", "updated_at"),
    ] {
        // The body is looked at before the key.
        server.call_json("PATCH /keys/nobody", json!({field: null})).is_error(
            400,
            &format!("immutable_api_key_{code}"),
            &format!("Immutable field `{field}`: expected one of `description`, `name`"),
        );
    }
    server.call_json("PATCH /keys/nobody", json!({"key": "x"})).is_error(
        400,
        "bad_request",
        "Unknown field `key`: expected one of `description`, `name`",
    );
    server.call_json("PATCH /keys/nobody", json!({"name": 13})).is_error(
        400,
        "invalid_api_key_name",
        "Invalid value type at `.name`: expected a string, but found a positive integer: `13`",
    );
    server.call_json("PATCH /keys/nobody", json!({})).is_error(
        404,
        "api_key_not_found",
        "API key `nobody` not found.",
    );
    server.call("GET /keys?offset=1.5").is_error(
        400,
        "invalid_api_key_offset",
        "Invalid value in parameter `offset`: could not parse `1.5` as a positive integer",
    );
    server.call("GET /keys?limit=-1").is_error(
        400,
        "invalid_api_key_limit",
        "Invalid value in parameter `limit`: could not parse `-1` as a positive integer",
    );
    server.call("GET /keys?page=1").is_error(
        400,
        "bad_request",
        "Unknown parameter `page`: expected one of `offset`, `limit`",
    );
}
