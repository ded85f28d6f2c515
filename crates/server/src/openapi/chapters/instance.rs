//! Routes about the whole instance.

use model::Code;
use model::features::Feature;
use serde_json::json;

use crate::openapi::components::instance::size;
use crate::openapi::operation::{JSON, Operation, get, patch, post};
use crate::schema::{always, anything, boolean, map, maybe, named, object, one_of, text};

pub fn all() -> Vec<Operation> {
    vec![
        get("/health", "Get the health of the instance")
            .answers(200, object([always("status", one_of(&["available"]), "")]))
            .answers_as(500, "The instance must be restarted.", JSON, {
                object([always("status", one_of(&["mustRestart"]), "")])
            }),
        get("/version", "Get the version").answers(
            200,
            object([
                always("commitSha", text(), ""),
                always("commitDate", text(), ""),
                always("pkgVersion", text(), ""),
            ]),
        ),
        post("/snapshots", "Create a snapshot")
            .about("Writes a file for `--import-snapshot`, or a bucket object. See /docs/backup.")
            .enqueues_as(202),
        post("/dumps", "Create a dump")
            .about("Writes a file for `--import-dump` of any version. See /docs/backup.")
            .enqueues_as(202),
        export(),
        get("/experimental-features", "Get experimental features").answers(200, named("Features")),
        patch("/experimental-features", "Enable or disable experimental features")
            .takes(Feature::ALL.iter().map(|feature| {
                maybe(feature.wire_name(), boolean().or_null(), "Null changes nothing.")
            }))
            .writes()
            .answers(200, named("Features")),
    ]
}

fn export() -> Operation {
    let choice = object([
        maybe("filter", anything(), "Documents to export. Defaults to all documents."),
        maybe("overrideSettings", boolean().default(json!(false)), "Overwrites existing settings."),
    ]);
    post("/export", "Export indexes to another instance")
        .takes([
            maybe("url", text(), "URL of the other instance.").code(Code::InvalidExportUrl),
            maybe("apiKey", text().or_null(), "API key of the other instance.")
                .code(Code::InvalidExportApiKey),
            maybe("payloadSize", size().or_null(), "Maximum size, such as `50 MiB`, or in bytes.")
                .code(Code::InvalidExportPayloadSize),
            maybe("indexes", map(choice).or_null(), "Names, or prefixes such as `shop_*`."),
        ])
        .codes(&[Code::InvalidExportIndexOverrideSettings, Code::InvalidDocumentFilter])
        .enqueues_as(200)
}
