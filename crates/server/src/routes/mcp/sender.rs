//! Who sent a message: what is left of a request once its body is read, and all that a tool is
//! called with besides its arguments.

use axum::http::HeaderMap;

use crate::call::Call;
use crate::http::error::Links;
use crate::http::room::Room;

pub struct Sender {
    pub headers: HeaderMap,
    pub payload_limit: u64,
    pub room: Room,
    pub links: Links,
}

impl Sender {
    pub fn of(call: Call) -> Self {
        let Call { headers, payload_limit, room, links, .. } = call;
        Self { headers, payload_limit, room, links }
    }
}
