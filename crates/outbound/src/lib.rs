//! Outgoing calls, all of them: to servers that users name in settings.
//!
//! Users who may write settings could otherwise make this process call servers that only it can
//! reach. So every address is checked after resolving its name, and again for every redirect,
//! unless the operator allows it. Answers are bounded in time and size. Nothing here logs, and no
//! error contains a header or a query string.

mod address;
mod background_task;
mod call;
mod client;
mod download;
mod error;
mod header;
mod network;
mod resolver;
mod stream;
mod tls;

pub use address::AddressPolicy;
pub use background_task::{BackgroundTask, block_in_place};
pub use call::{Answer, Call, Method};
pub use client::Client;
pub use error::{NetworkError, OutboundError};
pub use header::{HeaderError, check_header};
pub use stream::AnswerStream;
