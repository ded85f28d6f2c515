//! `/mcp`: the Model Context Protocol.

use crate::openapi::operation::{JSON, Operation, post};
use crate::schema::{
    Schema, always, any_of, anything, list, maybe, named, number, object, one_of, open, text,
};

pub fn all() -> Vec<Operation> {
    vec![
        post("/mcp", "Send MCP messages")
            .about(
                "Model Context Protocol over streamable HTTP, in the revisions 2026-07-28, \
                 2025-11-25, 2025-06-18 and 2025-03-26. Its tools search, and read documents, \
                 indexes and settings, with the permissions of the API key. Tool results, \
                 including errors, are returned with status 200.",
            )
            .takes_json(any_of([message(), list(message())]))
            .answers(200, any_of([reply(), list(reply())]))
            .answers_nothing(202, "The messages need no reply.")
            .answers_as(400, "The message is invalid.", JSON, any_of([reply(), named("Error")]))
            .answers_as(403, "The key allows no tool.", JSON, any_of([reply(), named("Error")]))
            .answers_as(404, "Unknown method.", JSON, reply()),
    ]
}

fn version() -> Schema {
    one_of(&["2.0"])
}

fn id() -> Schema {
    any_of([text(), number()])
}

fn message() -> Schema {
    object([
        always("jsonrpc", version(), ""),
        maybe("id", id(), "Absent in notifications."),
        always(
            "method",
            text(),
            "One of `server/discover`, `initialize`, `ping`, `tools/list` and `tools/call`.",
        ),
        maybe("params", open(), ""),
    ])
}

fn reply() -> Schema {
    object([
        always("jsonrpc", version(), ""),
        maybe("id", id(), "ID of the message that this replies to."),
        maybe("result", open(), ""),
        maybe(
            "error",
            object([
                always("code", anything(), "Error code of JSON-RPC or MCP."),
                always("message", text(), ""),
                maybe("data", anything(), ""),
            ]),
            "",
        ),
    ])
}
