//! Launch options: the table that defines them, the three sources they are read from, and the
//! configuration they add up to.

pub mod address;
mod bounds;
pub mod command_line;
pub mod config;
pub mod document;
mod dumps;
pub mod environment;
pub mod error;
pub mod example;
mod file;
pub mod gather;
pub mod option;
pub mod raw;
mod snapshots;
pub mod table;
pub mod telemetry;
pub mod tls;
pub mod value;
