//! Webhooks, metrics, logs and usage figures.

use model::Code;
use model::features::Feature;
use serde_json::json;

use crate::openapi::operation::{NDJSON, Operation, TEXT, delete, get, patch, post};
use crate::schema::{
    Member, always, boolean, integer, list, map, maybe, named, object, object_and_more, one_of,
    text,
};

pub fn all() -> Vec<Operation> {
    let mut operations = webhooks();
    operations.extend([
        get("/metrics", "Get metrics for Prometheus").needs(Feature::metrics).answers_as(
            200,
            "Metrics in the Prometheus text format.",
            TEXT,
            text(),
        ),
        post("/logs/stream", "Stream the log")
            .about("Allows one reader at a time. `json` and `profile` return one object per line.")
            .takes([
                target(),
                maybe("mode", one_of(&["human", "json", "profile"]).default(json!("human")), ""),
                maybe("profileMemory", boolean().default(json!(false)), "Only with `profile`."),
            ])
            .codes(&[Code::InvalidSettingsTypoTolerance])
            .needs(Feature::logs_route)
            .answers_as(200, "Endless stream of log lines.", TEXT, text())
            .answers_as(200, "", NDJSON, text()),
        delete("/logs/stream", "Stop the log stream")
            .needs(Feature::logs_route)
            .answers_nothing(204, "The stream was stopped."),
        post("/logs/stderr", "Change the log level of stderr")
            .takes([target()])
            .needs(Feature::logs_route)
            .answers_nothing(204, "The level was changed until the next start."),
        get("/telemetry/preview", "Preview the telemetry data").answers(
            200,
            object([
                always("enabled", boolean(), ""),
                always("hasCollector", boolean(), "Whether telemetry data is sent to a collector."),
                always("lostEvents", integer(), ""),
                always("bundles", list(object_and_more([])), ""),
            ]),
        ),
    ]);
    operations
}

fn target() -> Member {
    maybe("target", text().default(json!("info")), "Log level, or levels by module.")
}

fn webhooks() -> Vec<Operation> {
    let members = || {
        [
            maybe("url", text().or_null(), "").code(Code::InvalidWebhookUrl),
            maybe("headers", map(text().or_null()).or_null(), "HTTP headers; null removes one.")
                .code(Code::InvalidWebhookHeaders),
        ]
    };
    const OF_BODY: &[Code] = &[Code::ImmutableWebhookUuid, Code::ImmutableWebhookIsEditable];
    const OF_UUID: &[Code] = &[Code::InvalidWebhookUuid, Code::WebhookNotFound];
    vec![
        get("/webhooks", "List webhooks").answers(
            200,
            object([always("results", list(named("Webhook")), "Webhooks, sorted by UUID.")]),
        ),
        post("/webhooks", "Create a webhook")
            .about("The URL is called when a batch has finished, with one task per line.")
            .takes(members())
            .codes(OF_BODY)
            .codes(&[Code::InvalidWebhooks])
            .writes()
            .answers(201, named("Webhook")),
        get("/webhooks/{uuid}", "Get a webhook").codes(OF_UUID).answers(200, named("Webhook")),
        patch("/webhooks/{uuid}", "Update a webhook")
            .takes(members())
            .codes(OF_BODY)
            .codes(OF_UUID)
            .codes(&[Code::ImmutableWebhook])
            .writes()
            .answers(200, named("Webhook")),
        delete("/webhooks/{uuid}", "Delete a webhook")
            .codes(OF_UUID)
            .codes(&[Code::ImmutableWebhook])
            .writes()
            .answers_nothing(204, "The webhook was deleted."),
    ]
}
