//! What is measured of requests, and how figures are written down for Prometheus. Counting is a few
//! atomic additions; nothing is gathered before somebody asks.

pub mod process;
pub mod text;
mod traffic;
mod watch;

pub use traffic::{BUCKETS, Traffic};
pub use watch::Watch;
