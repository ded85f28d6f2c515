//! The plumbing between bytes on a connection and typed requests and answers. It knows HTTP and
//! validation, and no route.

pub mod answer;
pub mod body;
pub mod browsers;
pub mod compression;
pub mod content_type;
pub mod cors;
pub mod error;
pub mod guard;
pub mod head;
pub mod json;
pub mod limits;
pub mod list;
pub mod negotiate;
pub mod pace;
pub mod paths;
pub mod proxy;
pub mod query;
pub mod refused;
pub mod room;
pub mod switch;
