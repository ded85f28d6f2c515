//! Enqueues an export: which indexes to send, where, and in which portions.

use std::collections::BTreeMap;

use ::tasks::Content;
use axum::http::StatusCode;
use deserr::{
    DeserializeError, Deserr, ErrorKind, IntoValue, Value, ValueKind, ValuePointerRef,
    take_cf_content,
};
use engine::WriteContext;
use engine::keys::IndexPattern;
use model::{Code, ServiceError, size};
use serde_json::{Map, json};

use super::tasks::wire::enqueued;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::field_error::{FieldError, Form, body_code};
use crate::http::json::BodyError;
use crate::routes::usage;

#[derive(Debug, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
struct ExportBody {
    #[deserr(default, error = body_code!(InvalidExportUrl))]
    url: String,
    #[deserr(default, error = body_code!(InvalidExportApiKey))]
    api_key: Option<String>,
    #[deserr(default, error = body_code!(InvalidExportPayloadSize))]
    payload_size: Option<PayloadSize>,
    /// All indexes if absent.
    #[deserr(default)]
    indexes: Option<BTreeMap<String, IndexChoice>>,
}

#[derive(Debug, Default, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
struct IndexChoice {
    /// Checked when the task runs, except for conditions that no export supports.
    #[deserr(default)]
    filter: serde_json::Value,
    #[deserr(default, error = body_code!(InvalidExportIndexOverrideSettings))]
    override_settings: bool,
}

/// A number of bytes, or a string with a unit.
#[derive(Debug, Clone, Copy)]
struct PayloadSize(u64);

impl<F: Form, const CODE: u16> Deserr<FieldError<F, CODE>> for PayloadSize {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, FieldError<F, CODE>> {
        match value {
            Value::Integer(bytes) => Ok(Self(bytes)),
            Value::String(text) => {
                read_size(&text).map(Self).map_err(|reason| FieldError::value(reason, at))
            }
            actual => {
                let accepted = &[ValueKind::String, ValueKind::Integer];
                let kind = ErrorKind::IncorrectValueKind { actual, accepted };
                Err(take_cf_content(FieldError::error(None, kind, at)))
            }
        }
    }
}

fn read_size(text: &str) -> Result<u64, String> {
    match text.trim().chars().next() {
        Some(first) if !first.is_ascii_digit() && first != '.' => {
            Err(format!("the character '{first}' is not a number"))
        }
        _ => size::parse(text),
    }
}

pub async fn export(app: App, mut call: Call) -> Answer {
    let ExportBody { url, api_key, payload_size, indexes } = call.json().await?;
    let indexes = indexes.unwrap_or_else(|| [("*".to_owned(), IndexChoice::default())].into());
    let mut patterns = Map::new();
    for (pattern, IndexChoice { filter, override_settings }) in indexes {
        check_pattern(&pattern)?;
        app.engine.check_export_filter(&filter)?;
        let choice = json!({ "filter": filter, "overrideSettings": override_settings });
        patterns.insert(pattern, choice);
    }
    let payload_size = payload_size.map(|PayloadSize(bytes)| bytes);
    app.record(&call.headers, || {
        usage::export_triggered(api_key.is_some(), payload_size, &patterns)
    });
    let content = Content::Export { url, api_key, payload_size, indexes: patterns };
    // Concerns this instance only, whichever member leads the network.
    let task = app.blocking(|engine| engine.enqueue(content, WriteContext::default())).await?;
    Ok(enqueued(StatusCode::OK, &task))
}

fn check_pattern(pattern: &str) -> Result<(), ServiceError> {
    match IndexPattern::new(pattern) {
        Ok(_) => Ok(()),
        Err(error) => Err(ServiceError::new(
            Code::BadRequest,
            format!("Invalid value at `.indexes`: {error}"),
        )),
    }
}
