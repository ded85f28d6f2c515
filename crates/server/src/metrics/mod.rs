//! Counts requests, and writes metrics in the Prometheus format. Counting is a few atomic
//! additions; nothing is aggregated before a scrape.

pub mod process;
mod request_span;
pub mod text;
mod traffic;

pub use request_span::RequestSpan;
pub use traffic::{BUCKETS, Traffic};
