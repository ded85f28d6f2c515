//! Metadata of a dump: who wrote it, when, and in which format.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

const FORMAT: &str = "sonde-dump";
/// Raised whenever an older program could misread a newer dump.
const FORMAT_VERSION: u32 = 1;

/// Metadata of a dump in our own format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    format: String,
    format_version: u32,
    /// The version of the program that wrote it.
    pub program_version: String,
    #[serde(with = "time::serde::rfc3339")]
    pub dump_date: OffsetDateTime,
    pub instance_uid: Option<Uuid>,
    pub indexes: u64,
    pub tasks: u64,
}

/// The program that wrote a dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Own(Metadata),
    /// Meilisearch from v1.0 on; its version.
    Meilisearch {
        version: String,
    },
}

impl Metadata {
    pub const ENTRY: &str = "metadata.json";

    pub fn new(
        dump_date: OffsetDateTime,
        instance_uid: Option<Uuid>,
        indexes: u64,
        tasks: u64,
    ) -> Self {
        Self {
            format: FORMAT.to_owned(),
            format_version: FORMAT_VERSION,
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
            dump_date,
            instance_uid,
            indexes,
            tasks,
        }
    }
}

impl Origin {
    /// Reads the content of `metadata.json`, or returns why the dump is refused.
    pub fn of(metadata: Value) -> Result<Self, String> {
        if metadata.get("format").is_none() {
            return meilisearch(&metadata);
        }
        let version = metadata.get("formatVersion").and_then(Value::as_u64);
        if metadata.get("format").and_then(Value::as_str) != Some(FORMAT) {
            return Err("was written by a program that is not known".to_owned());
        }
        if version != Some(u64::from(FORMAT_VERSION)) {
            let version = version.map_or("none".to_owned(), |version| version.to_string());
            return Err(format!(
                "has format version {version}, and this program reads version {FORMAT_VERSION}; \
                 use the version of Sonde that wrote it"
            ));
        }
        serde_json::from_value(metadata)
            .map(Origin::Own)
            .map_err(|error| format!("is incomplete: {error}"))
    }
}

fn meilisearch(metadata: &Value) -> Result<Origin, String> {
    let text = |name: &str| metadata.get(name).and_then(Value::as_str);
    let version = text("dbVersion").unwrap_or("an unknown version").to_owned();
    match text("dumpVersion") {
        Some("V6") => Ok(Origin::Meilisearch { version }),
        Some(older @ ("V1" | "V2" | "V3" | "V4" | "V5")) => Err(format!(
            "says that the dump has version {older} and was made by Meilisearch {version}; import \
             it into Meilisearch v1 and make a dump there"
        )),
        _ => Err("does not say which program wrote it".to_owned()),
    }
}
