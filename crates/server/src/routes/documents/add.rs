//! Adds and updates documents: streams the body to the payload store.

use std::io::Write;

use ::tasks::{Method, PayloadWriter};
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode};
use deserr::Deserr;
use document::Format;
use engine::Addition;
use model::features::Feature;
use model::{Code, ServiceError};
use network::ImportedPart;
use telemetry::Event;

use crate::app::App;
use crate::blocking::run_blocking;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::http::body::{BodyReader, FIRST_READ, ReadError, over_budget};
use crate::http::body_memory::FREE;
use crate::http::content_type::{self, Accepted};
use crate::http::field_error::query_code;
use crate::http::limits::Limits;
use crate::http::proxy::{self, Import};
use crate::http::query::QueryError;
use crate::routes::tasks::wire::enqueued;
use crate::routes::usage;

const ACCEPTED: Accepted = Accepted(&["application/json", "application/x-ndjson", "text/csv"]);

/// Bytes of a body that are buffered before they go to the payload store, off the threads that
/// drive connections.
const PIECE: usize = 1 << 20;

/// Limit of documents moved between members, which come in parts of a few megabytes, whatever the
/// limit of clients is.
const MOVED_LIMIT: u64 = 1 << 30;

#[derive(Debug, Deserr)]
#[deserr(error = QueryError, rename_all = camelCase, deny_unknown_fields)]
struct AddParameters {
    #[deserr(default, error = query_code!(InvalidIndexPrimaryKey))]
    primary_key: Option<String>,
    #[deserr(default, error = query_code!(InvalidDocumentCsvDelimiter))]
    csv_delimiter: Option<char>,
    #[deserr(default, error = query_code!(InvalidIndexCustomMetadata))]
    custom_metadata: Option<String>,
    // Read as text, because its error is worded without the name of the parameter.
    #[deserr(default, error = query_code!(InvalidSkipCreation))]
    skip_creation: Option<String>,
}

pub async fn replace(app: App, call: Call) -> Answer {
    add(app, call, Method::Replace, usage::documents_added).await
}

pub async fn update(app: App, call: Call) -> Answer {
    add(app, call, Method::Update, usage::documents_updated).await
}

async fn add(
    app: App,
    call: Call,
    method: Method,
    event: fn(&HeaderMap, Option<&str>, bool) -> Event,
) -> Answer {
    if let Some(import) = proxy::import(&call.headers)? {
        return moved(app, call, import).await;
    }
    let parameters: AddParameters = call.parameters()?;
    let delimiter = parameters.csv_delimiter.map(csv_delimiter).transpose()?;
    let skip_creation = skip_creation(parameters.skip_creation.as_deref())?;
    let uid = call.index_uid()?;
    // Requests that are refused for their content type count too.
    app.record(&call.headers, || {
        event(&call.headers, parameters.primary_key.as_deref(), !app.engine.has_index(&uid))
    });
    let format = format(&call.headers, delimiter)?;

    // Before reading a body that may be refused.
    let sent = call.sent(&app.engine, parameters.custom_metadata)?;
    let writer = app.engine.payload_writer();
    let limit = call.limits.bounds.payload_size;
    let (writer, rest) =
        receive(&call.headers, call.body, limit, &call.limits, format, writer).await?;
    let task = app
        .blocking(move |engine| {
            let payload = finish(writer, &rest)?;
            let addition = Addition {
                method,
                format,
                payload,
                primary_key: parameters.primary_key,
                skip_creation,
            };
            engine.add_documents(uid, addition, sent)
        })
        .await?;
    Ok(enqueued(StatusCode::ACCEPTED, &task))
}

/// Takes documents that another member of the network moves here.
async fn moved(app: App, call: Call, import: Import) -> Answer {
    app.engine.features().check(Feature::network, "Moving documents")?;
    call.access.check_index(&import.index_uid)?;
    let origin = proxy::origin(&call.headers)?.ok_or_else(|| {
        let message = "Documents that are moved come with their sender.";
        ServiceError::new(Code::InconsistentDocumentChangeHeaders, message)
    })?;
    let writer = app.engine.payload_writer();
    let limit = call.limits.bounds.payload_size.max(MOVED_LIMIT);
    let format = Format::Ndjson;
    let (writer, rest) =
        receive(&call.headers, call.body, limit, &call.limits, format, writer).await?;
    app.blocking(move |engine| {
        let body = finish(writer, &rest)?;
        let Import { index_uid, index_count, documents, total_documents, key } = import;
        let part = ImportedPart { index_uid, index_count, documents, total_documents, key, body };
        engine.take_moved_documents(&origin, part)
    })
    .await?;
    Ok(answer::empty(StatusCode::OK))
}

fn skip_creation(text: Option<&str>) -> Result<bool, ServiceError> {
    let Some(text) = text else { return Ok(false) };
    text.to_lowercase().parse().map_err(|_| {
        ServiceError::new(
            Code::InvalidSkipCreation,
            format!("skipCreation must be either `true` or `false`. Found: `{text}`"),
        )
    })
}

fn format(headers: &HeaderMap, delimiter: Option<u8>) -> Result<Format, ServiceError> {
    let Some((shown, kind)) = content_type::of(headers) else { return Err(ACCEPTED.missing()) };
    let Some(kind) = kind else { return Err(ACCEPTED.invalid(&shown)) };
    let format = if kind.is("application", "json") {
        Format::Json
    } else if kind.is("application", "x-ndjson") {
        Format::Ndjson
    } else if kind.is("text", "csv") {
        return Ok(Format::Csv { delimiter: delimiter.unwrap_or(b',') });
    } else {
        return Err(ACCEPTED.invalid(&kind.essence()));
    };
    if delimiter.is_some() {
        return Err(ServiceError::new(
            Code::InvalidContentType,
            format!(
                "The Content-Type `{}` does not support the use of a csv delimiter. \
                 The csv delimiter can only be used with the Content-Type `text/csv`.",
                kind.essence()
            ),
        ));
    }
    Ok(format)
}

fn csv_delimiter(delimiter: char) -> Result<u8, ServiceError> {
    u8::try_from(delimiter).ok().filter(u8::is_ascii).ok_or_else(|| {
        ServiceError::new(
            Code::InvalidDocumentCsvDelimiter,
            format!("csv delimiter must be an ascii character. Found: `{delimiter}`"),
        )
    })
}

/// Streams the body into the writer, piece by piece. Returns the bytes not written yet, so that a
/// small body needs no separate write.
async fn receive(
    headers: &HeaderMap,
    body: Body,
    limit: u64,
    limits: &Limits,
    format: Format,
    mut writer: PayloadWriter,
) -> Result<(PayloadWriter, Vec<u8>), ServiceError> {
    let opened = BodyReader::open(headers, body, limit, limits).await;
    let mut reader = opened.map_err(ReadError::in_upload)?;
    let mut piece = Vec::with_capacity(FIRST_READ);
    let mut is_empty = true;
    // A small body reserves no memory; a large one reserves a piece until it is received.
    let is_large = reader.fill(&mut piece, FREE as usize).await.map_err(ReadError::in_upload)?;
    let _memory = if is_large {
        let memory = limits.uploads.take(PIECE as u64);
        Some(memory.ok_or_else(|| over_budget(&limits.uploads).in_upload())?)
    } else {
        None
    };
    while is_large && reader.fill(&mut piece, PIECE).await.map_err(ReadError::in_upload)? {
        is_empty = false;
        (writer, piece) = run_blocking(move || {
            writer.write_all(&piece).map_err(|error| ServiceError::from_io(&error))?;
            piece.clear();
            Ok((writer, piece))
        })
        .await?;
    }
    if is_empty && piece.is_empty() {
        return Err(ServiceError::new(
            Code::MissingPayload,
            format!("A {} payload is missing.", format.name()),
        ));
    }
    Ok((writer, piece))
}

fn finish(
    mut writer: PayloadWriter,
    rest: &[u8],
) -> Result<::tasks::UnsealedPayload, ServiceError> {
    writer.write_all(rest).map_err(|error| ServiceError::from_io(&error))?;
    Ok(writer.finish()?)
}
