//! `/mcp`: the Model Context Protocol.

use crate::openapi::operation::{JSON, Operation, post};
use crate::openapi::schema::{
    Schema, always, any_of, anything, list, maybe, named, number, object, one_of, open, text,
};

pub fn all() -> Vec<Operation> {
    vec![
        post("/mcp", "Talk to an assistant")
            .tells(
                "The Model Context Protocol over streamable HTTP, in its revisions 2026-07-28, \
                 2025-11-25, 2025-06-18 and 2025-03-26. Its tools search, and read documents, \
                 indexes and settings, as routes with the same key would. What tools answer, \
                 their errors too, comes as 200.",
            )
            .takes_json(any_of([message(), list(message())]))
            .answers(200, any_of([reply(), list(reply())]))
            .answers_nothing(202, "There was nothing to answer.")
            .answers_as(400, "The message cannot be read.", JSON, any_of([reply(), named("Error")]))
            .answers_as(403, "The key allows no tool.", JSON, any_of([reply(), named("Error")]))
            .answers_as(404, "There is no such method.", JSON, reply()),
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
        maybe("id", id(), "Notifications have none."),
        always(
            "method",
            text(),
            "`server/discover`, `initialize`, `ping`, `tools/list`, `tools/call`.",
        ),
        maybe("params", open(), ""),
    ])
}

fn reply() -> Schema {
    object([
        always("jsonrpc", version(), ""),
        maybe("id", id(), "That of the message."),
        maybe("result", open(), ""),
        maybe(
            "error",
            object([
                always("code", anything(), "A number of JSON-RPC, or of the protocol."),
                always("message", text(), ""),
                maybe("data", anything(), ""),
            ]),
            "",
        ),
    ])
}
