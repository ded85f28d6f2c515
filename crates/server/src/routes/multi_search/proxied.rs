//! What another instance may send beside what a client may: the hits that it has put together, so
//! that what is distinct is counted once, and what was decided about a search of all instances.

use engine::search::{HybridMode, Recount};
use model::{Code, ServiceError};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::body::MultiSearchBody;
use crate::call::Call;
use crate::http::json::BodyError;
use crate::http::room::Taken;

#[derive(Debug, Default)]
pub struct Proxied {
    pub recount: Option<Recount>,
    pub hybrid: HybridMode,
}

pub async fn read(call: &mut Call) -> Result<(MultiSearchBody, Proxied, Taken), ServiceError> {
    let (mut body, room) = call.queries_json::<Value>().await?;
    let recount: Option<Recount> = taken(&mut body, "recount")?;
    let hybrid: Option<HybridMode> = taken(&mut body, "hybridCourse")?;
    let body = deserr::deserialize::<MultiSearchBody, _, BodyError>(body)?;
    Ok((body, Proxied { recount, hybrid: hybrid.unwrap_or_default() }, room))
}

fn taken<T: DeserializeOwned>(body: &mut Value, name: &str) -> Result<Option<T>, ServiceError> {
    let member = body.as_object_mut().and_then(|members| members.shift_remove(name));
    serde_json::from_value(member.unwrap_or_default()).map_err(|error| {
        ServiceError::new(Code::BadRequest, format!("Invalid value at `.{name}`: {error}"))
    })
}
