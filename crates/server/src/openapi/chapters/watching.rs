//! Webhooks, metrics, logs and usage figures.

use model::Code;
use model::features::Feature;
use serde_json::json;

use crate::openapi::operation::{NDJSON, Operation, TEXT, delete, get, patch, post};
use crate::openapi::schema::{
    Member, always, boolean, integer, list, map, maybe, named, object, object_and_more, one_of,
    text,
};

pub fn all() -> Vec<Operation> {
    let mut operations = webhooks();
    operations.extend([
        get("/metrics", "Figures for Prometheus").needs(Feature::metrics).answers_as(
            200,
            "The text form of Prometheus.",
            TEXT,
            text(),
        ),
        post("/logs/stream", "Lines of the log as they are written")
            .tells("One reader at a time. `json` and `profile` answer one object a line.")
            .takes([
                target(),
                maybe("mode", one_of(&["human", "json", "profile"]).default(json!("human")), ""),
                maybe("profileMemory", boolean().default(json!(false)), "With `profile` alone."),
            ])
            .codes(&[Code::InvalidSettingsTypoTolerance])
            .needs(Feature::logs_route)
            .answers_as(200, "Lines, without an end.", TEXT, text())
            .answers_as(200, "", NDJSON, text()),
        delete("/logs/stream", "End the stream of log lines")
            .needs(Feature::logs_route)
            .answers_nothing(204, "It has ended."),
        post("/logs/stderr", "Change what goes to stderr")
            .takes([target()])
            .needs(Feature::logs_route)
            .answers_nothing(204, "Until the next start."),
        get("/telemetry/preview", "Usage figures as they would be sent").answers(
            200,
            object([
                always("enabled", boolean(), ""),
                always("hasCollector", boolean(), "Whether they are sent to anybody."),
                always("lostEvents", integer(), ""),
                always("bundles", list(object_and_more([])), ""),
            ]),
        ),
    ]);
    operations
}

fn target() -> Member {
    maybe("target", text().default(json!("info")), "A level, or levels by module.")
}

fn webhooks() -> Vec<Operation> {
    let members = || {
        [
            maybe("url", text().or_null(), "").code(Code::InvalidWebhookUrl),
            maybe("headers", map(text().or_null()).or_null(), "Null takes a header away.")
                .code(Code::InvalidWebhookHeaders),
        ]
    };
    const OF_BODY: &[Code] = &[Code::ImmutableWebhookUuid, Code::ImmutableWebhookIsEditable];
    const OF_UUID: &[Code] = &[Code::InvalidWebhookUuid, Code::WebhookNotFound];
    vec![
        get("/webhooks", "List webhooks")
            .answers(200, object([always("results", list(named("Webhook")), "By uuid.")])),
        post("/webhooks", "Make a webhook")
            .tells("It is called when a batch has finished, with one task a line.")
            .takes(members())
            .codes(OF_BODY)
            .codes(&[Code::InvalidWebhooks])
            .writes()
            .answers(201, named("Webhook")),
        get("/webhooks/{uuid}", "Read a webhook").codes(OF_UUID).answers(200, named("Webhook")),
        patch("/webhooks/{uuid}", "Change a webhook")
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
            .answers_nothing(204, "It is gone."),
    ]
}
