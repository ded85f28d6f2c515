//! Extra members that only another instance may send: the merged hits, so that distinct values are
//! counted once, and the hybrid decision of a search over all instances.

use engine::search::{HybridMode, Recount};
use model::{Code, ServiceError};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::body::MultiSearchBody;
use crate::call::Call;
use crate::http::body_memory::BodyMemory;
use crate::http::json::BodyError;

#[derive(Debug, Default)]
pub struct ProxiedQuery {
    pub recount: Option<Recount>,
    pub hybrid: HybridMode,
}

pub async fn read(
    call: &mut Call,
) -> Result<(MultiSearchBody, ProxiedQuery, BodyMemory), ServiceError> {
    let (mut body, memory) = call.queries_json::<Value>().await?;
    let recount: Option<Recount> = take(&mut body, "recount")?;
    let hybrid: Option<HybridMode> = take(&mut body, "hybridCourse")?;
    let body = deserr::deserialize::<MultiSearchBody, _, BodyError>(body)?;
    Ok((body, ProxiedQuery { recount, hybrid: hybrid.unwrap_or_default() }, memory))
}

fn take<T: DeserializeOwned>(body: &mut Value, name: &str) -> Result<Option<T>, ServiceError> {
    let member = body.as_object_mut().and_then(|members| members.shift_remove(name));
    serde_json::from_value(member.unwrap_or_default()).map_err(|error| {
        ServiceError::new(Code::BadRequest, format!("Invalid value at `.{name}`: {error}"))
    })
}
