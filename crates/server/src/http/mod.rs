//! Converts between bytes on a connection and typed requests and answers. It knows HTTP and
//! validation, and no route.

pub mod answer;
pub mod body;
pub mod body_memory;
pub mod browser_guard;
pub mod compression;
pub mod content_type;
pub mod cors;
pub mod error;
pub mod field_error;
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
pub mod selection;
pub mod switch;
