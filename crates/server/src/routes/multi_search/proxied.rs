//! What another instance may send beside what a client may: the hits that it has put together, so
//! that what is distinct is counted once.

use engine::search::Recount;
use model::{Code, ServiceError};
use serde_json::Value;

use super::body::MultiSearchBody;
use crate::call::Call;
use crate::http::json::BodyError;

pub async fn read(call: &mut Call) -> Result<(MultiSearchBody, Option<Recount>), ServiceError> {
    let mut body: Value = call.json().await?;
    let recount = body.as_object_mut().and_then(|members| members.shift_remove("recount"));
    let recount = recount.map(serde_json::from_value).transpose().map_err(|error| {
        ServiceError::new(Code::BadRequest, format!("Invalid value at `.recount`: {error}"))
    })?;
    let body = deserr::deserialize::<MultiSearchBody, _, BodyError>(body)?;
    Ok((body, recount.flatten()))
}
