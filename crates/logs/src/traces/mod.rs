//! Spans for a collector of traces, in the form of OTLP over HTTP: a layer that notes them, the
//! bytes of the protocol, and what sends them in the background.
//!
//! The protocol is a handful of messages, written here by hand: the libraries that know all of it
//! bring a runtime, a client and a generator of code with them.

mod exporter;
mod layer;
mod message;
mod parent;
mod span;
mod wire;

pub(crate) use exporter::Exporter;
pub(crate) use layer::TraceLayer;
