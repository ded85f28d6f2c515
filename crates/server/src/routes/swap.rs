//! Swaps the names of indexes, or renames one.

use std::collections::BTreeMap;

use ::tasks::{Content, Swap};
use axum::http::StatusCode;
use deserr::{Deserr, ValuePointerRef};
use model::{Code, IndexUid, ServiceError};

use super::tasks::wire::enqueued;
use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::field_error::{FieldError, body_code};
use crate::http::json::BodyError;
use crate::routes::usage;

#[derive(Debug, Deserr)]
#[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields)]
struct SwapBody {
    #[deserr(error = body_code!(InvalidSwapIndexes), missing_field_error = missing_indexes)]
    indexes: Vec<IndexUid>,
    #[deserr(default, error = body_code!(InvalidSwapRename))]
    rename: bool,
}

fn missing_indexes(field: &str, at: ValuePointerRef<'_>) -> body_code!(MissingSwapIndexes) {
    FieldError::missing(field, at)
}

pub async fn swap(app: App, mut call: Call) -> Answer {
    let body: Vec<SwapBody> = call.json().await?;
    let swaps = body.into_iter().map(pair).collect::<Result<Vec<_>, _>>()?;
    for Swap { indexes: (left, right), .. } in &swaps {
        call.access.check_index(left)?;
        call.access.check_index(right)?;
    }
    check_named_once(&swaps)?;
    app.record(&call.headers, || usage::indexes_swapped(swaps.len()));
    let content = Content::IndexSwap { swaps };
    let sent = call.sent(&app.engine, None)?;
    let task = app.blocking(move |engine| engine.enqueue(content, sent)).await?;
    Ok(enqueued(StatusCode::ACCEPTED, &task))
}

fn pair(body: SwapBody) -> Result<Swap, ServiceError> {
    let names: Vec<String> = body.indexes.into_iter().map(IndexUid::into_string).collect();
    match <[String; 2]>::try_from(names) {
        Ok([left, right]) => Ok(Swap { indexes: (left, right), rename: body.rename }),
        Err(names) => Err(ServiceError::new(
            Code::InvalidSwapIndexes,
            format!(
                "Two indexes must be given for each swap. The list `{names:?}` contains {} indexes.",
                names.len()
            ),
        )),
    }
}

fn check_named_once(swaps: &[Swap]) -> Result<(), ServiceError> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for Swap { indexes: (left, right), .. } in swaps {
        *times.entry(left).or_default() += 1;
        *times.entry(right).or_default() += 1;
    }
    let repeated: Vec<String> = times
        .iter()
        .filter(|(_, times)| **times > 1)
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    let verb = match repeated.len() {
        0 => return Ok(()),
        1 => "was",
        _ => "were",
    };
    Err(ServiceError::new(
        Code::InvalidSwapDuplicateIndexFound,
        format!(
            "Indexes must be declared only once during a swap. {} {verb} specified several times.",
            repeated.join(", ")
        ),
    ))
}
