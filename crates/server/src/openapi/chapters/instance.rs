//! What concerns the whole instance.

use model::Code;
use model::features::Feature;
use serde_json::json;

use crate::openapi::components::instance::size;
use crate::openapi::operation::{JSON, Operation, get, patch, post};
use crate::openapi::schema::{always, anything, boolean, map, maybe, named, object, one_of, text};

pub fn all() -> Vec<Operation> {
    vec![
        get("/health", "Whether the instance answers")
            .answers(200, object([always("status", one_of(&["available"]), "")]))
            .answers_as(500, "It must be started again.", JSON, {
                object([always("status", one_of(&["mustRestart"]), "")])
            }),
        get("/version", "Version of the program").answers(
            200,
            object([
                always("commitSha", text(), ""),
                always("commitDate", text(), ""),
                always("pkgVersion", text(), ""),
            ]),
        ),
        post("/snapshots", "Make a snapshot")
            .tells("A file for `--import-snapshot`, or an object in a bucket. See /docs/backup.")
            .enqueues_as(202),
        post("/dumps", "Make a dump")
            .tells("A file for `--import-dump`, of any version. See /docs/backup.")
            .enqueues_as(202),
        export(),
        get("/experimental-features", "Which experimental features are on")
            .answers(200, named("Features")),
        patch("/experimental-features", "Switch experimental features on or off")
            .takes(Feature::ALL.iter().map(|feature| {
                maybe(feature.wire_name(), boolean().or_null(), "Absent or null: as it is.")
            }))
            .writes()
            .answers(200, named("Features")),
    ]
}

fn export() -> Operation {
    let choice = object([
        maybe("filter", anything(), "Which documents; all without it."),
        maybe(
            "overrideSettings",
            boolean().default(json!(false)),
            "Sends settings to an index that is there too.",
        ),
    ]);
    post("/export", "Send indexes to another instance")
        .takes([
            maybe("url", text(), "The other instance.").code(Code::InvalidExportUrl),
            maybe("apiKey", text().or_null(), "A key over there.").code(Code::InvalidExportApiKey),
            maybe("payloadSize", size().or_null(), "Bytes, or a text such as `50 MiB`.")
                .code(Code::InvalidExportPayloadSize),
            maybe("indexes", map(choice).or_null(), "Names, or beginnings with a star; all."),
        ])
        .codes(&[Code::InvalidExportIndexOverrideSettings, Code::InvalidDocumentFilter])
        .enqueues_as(200)
}
