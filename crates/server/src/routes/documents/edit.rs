//! Edits documents by a function.

use axum::http::StatusCode;
use deserr::{Deserr, ValuePointerRef};
use document::edit::EditFunction;
use engine::Edition;
use model::features::Feature;
use model::{Code, ServiceError};
use serde_json::{Map, Value};

use super::{Metadata, empty_filter};
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::field_error::{FieldError, body_code};
use crate::http::json::BodyError;
use crate::routes::tasks::wire::enqueued;
use crate::routes::usage;

#[derive(Debug, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
struct EditionBody {
    #[deserr(default, error = body_code!(InvalidDocumentFilter))]
    filter: Option<Value>,
    #[deserr(default, error = body_code!(InvalidDocumentEditionContext))]
    context: Option<Value>,
    #[deserr(
        error = body_code!(InvalidDocumentEditionFunctionFilter),
        missing_field_error = missing_function
    )]
    function: String,
}

fn missing_function(
    field: &str,
    at: ValuePointerRef<'_>,
) -> body_code!(MissingDocumentEditionFunction) {
    FieldError::missing(field, at)
}

pub async fn edit(app: App, mut call: Call) -> Answer {
    let metadata: Metadata = call.parameters()?;
    let EditionBody { filter, context, function } = call.json().await?;
    app.engine
        .features()
        .check(Feature::edit_documents_by_function, "Using the documents edit route")?;
    let uid = call.index_uid()?;
    app.record(&call.headers, || {
        usage::documents_edited(filter.is_some(), !app.engine.has_index(&uid))
    });
    let sent = call.sent(&app.engine, metadata.custom_metadata)?;
    let task = app
        .blocking(move |engine| {
            // Errors are reported in this order: the function, the filter, the context.
            EditFunction::compile(&function, None)?;
            if let Some(filter) = &filter
                && !engine.is_filtering(filter).map_err(|error| error.in_index(&uid))?
            {
                return Err(empty_filter());
            }
            let context = context.map(object).transpose()?;
            let edition = Edition { function, filter, context };
            engine.edit_documents(uid, edition, sent)
        })
        .await?;
    Ok(enqueued(StatusCode::ACCEPTED, &task))
}

fn object(context: Value) -> Result<Map<String, Value>, ServiceError> {
    match context {
        Value::Object(context) => Ok(context),
        _ => Err(ServiceError::new(
            Code::InvalidDocumentEditionContext,
            "The context must be an object",
        )),
    }
}
