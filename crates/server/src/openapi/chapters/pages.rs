//! Pages for browsers: the dashboard, the documentation, and this document.

use crate::openapi::operation::{HTML, JSON, Operation, get};
use crate::schema::{always, object, open, text};

const KNOWN: &str = "Not modified since the browser cached it.";

pub fn all() -> Vec<Operation> {
    vec![
        get("/", "Open the dashboard")
            .about("Returns a status object if the dashboard is switched off.")
            .answers_as(200, "The page.", HTML, text())
            .answers(200, object([always("status", text(), "Message that the server is running.")]))
            .answers_nothing(304, KNOWN),
        get("/dashboard/{folder}/{file}", "Get a file of the dashboard")
            .answers_as(200, "The file.", "*/*", text())
            .answers_nothing(304, KNOWN)
            .answers_nothing(404, "The file does not exist, or the dashboard is switched off."),
        get("/docs", "Open the documentation")
            .answers_as(200, "The page.", HTML, text())
            .answers_nothing(304, KNOWN),
        get("/docs/{page}", "Open a page of the documentation")
            .answers_as(200, "The page.", HTML, text())
            .answers_nothing(304, KNOWN)
            .answers_as(404, "The page does not exist.", HTML, text()),
        get("/docs/assets/{file}", "Get a file of the documentation")
            .answers_as(200, "The file.", "*/*", text())
            .answers_nothing(304, KNOWN)
            .answers_nothing(404, "The file does not exist."),
        get("/openapi.json", "Get this OpenAPI document")
            .answers_as(200, "OpenAPI 3.1 document.", JSON, open())
            .answers_nothing(304, KNOWN),
    ]
}
