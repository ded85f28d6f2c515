//! What browsers are shown: the dashboard, the documentation, and this document.

use crate::openapi::operation::{HTML, JSON, Operation, get};
use crate::openapi::schema::{always, object, open, text};

const KNOWN: &str = "The browser has it already.";

pub fn all() -> Vec<Operation> {
    vec![
        get("/", "The dashboard")
            .tells("Where it is switched off: that the server runs.")
            .answers_as(200, "The page.", HTML, text())
            .answers(200, object([always("status", text(), "That the server runs.")]))
            .answers_nothing(304, KNOWN),
        get("/dashboard/{folder}/{file}", "A file of the dashboard")
            .answers_as(200, "The file.", "*/*", text())
            .answers_nothing(304, KNOWN)
            .answers_nothing(404, "There is none of that name, or no dashboard."),
        get("/docs", "The documentation")
            .answers_as(200, "The page.", HTML, text())
            .answers_nothing(304, KNOWN),
        get("/docs/{page}", "A page of the documentation")
            .answers_as(200, "The page.", HTML, text())
            .answers_nothing(304, KNOWN)
            .answers_as(404, "There is none of that name.", HTML, text()),
        get("/docs/assets/{file}", "A file of the documentation")
            .answers_as(200, "The file.", "*/*", text())
            .answers_nothing(304, KNOWN)
            .answers_nothing(404, "There is none of that name."),
        get("/openapi.json", "This document")
            .answers_as(200, "OpenAPI 3.1.", JSON, open())
            .answers_nothing(304, KNOWN),
    ]
}
