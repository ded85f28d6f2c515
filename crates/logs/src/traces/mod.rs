//! Trace export, OTLP over HTTP: a layer that records spans, the encoding of the protocol, and a
//! background sender.
//!
//! The few messages are encoded by hand: libraries for all of the protocol bring a runtime, a
//! client and a code generator.

mod exporter;
mod layer;
mod message;
mod parent;
mod span;
mod wire;

pub(crate) use exporter::Exporter;
pub(crate) use layer::TraceLayer;
