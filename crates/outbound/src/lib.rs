//! The one way out: calls to servers that users name in settings.
//!
//! Whoever may write settings could otherwise make this process talk to what only it can reach.
//! So every address is checked after its name was resolved, and again for every redirect, unless
//! the operator allows it. Answers are bounded in time and size. Nothing here logs, and no error
//! holds a header or a query string.

mod address;
mod call;
mod client;
mod download;
mod error;
mod header;
mod network;
mod pending;
mod resolver;
mod stream;
mod tls;

pub use address::AddressPolicy;
pub use call::{Answer, Call, Method};
pub use client::Client;
pub use error::{NetworkError, OutboundError};
pub use header::{HeaderFault, check_header};
pub use pending::{Pending, apart};
pub use stream::Streamed;
