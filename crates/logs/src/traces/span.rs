//! A span for the trace collector.

use std::time::SystemTime;

use crate::fields::Fields;

/// Ids of a span and its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SpanContext {
    pub trace: [u8; 16],
    pub span: [u8; 8],
}

impl SpanContext {
    pub fn new_root() -> Self {
        Self { trace: uuid::Uuid::new_v4().into_bytes(), span: new_id() }
    }

    pub fn below(parent: SpanContext) -> Self {
        Self { trace: parent.trace, span: new_id() }
    }
}

fn new_id() -> [u8; 8] {
    let mut id = [0; 8];
    // The first half of a random uuid contains the version, the last byte of the second does not.
    let random = uuid::Uuid::new_v4().into_bytes();
    id[..2].copy_from_slice(&random[..2]);
    id[2..].copy_from_slice(&random[10..]);
    id
}

/// An open span, stored in the extensions of the `tracing` span.
#[derive(Debug)]
pub(super) struct OpenSpan {
    pub context: SpanContext,
    pub parent: Option<[u8; 8]>,
    pub name: &'static str,
    pub begun: SystemTime,
    pub fields: Fields,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpanKind {
    Internal = 1,
    Server = 2,
}

/// A finished span.
#[derive(Debug)]
pub(super) struct EndedSpan {
    pub context: SpanContext,
    pub parent: Option<[u8; 8]>,
    pub name: String,
    pub kind: SpanKind,
    pub begun: SystemTime,
    pub ended: SystemTime,
    pub failed: bool,
    pub attributes: Fields,
}

impl OpenSpan {
    /// Ends the span. By convention, fields that begin with `otel.` describe the span itself.
    pub fn end(mut self) -> EndedSpan {
        let name = self.fields.take("otel.name").unwrap_or_else(|| self.name.to_owned());
        let kind = match self.fields.take("otel.kind").as_deref() {
            Some("server") => SpanKind::Server,
            _ => SpanKind::Internal,
        };
        let failed = self.fields.take("otel.status_code").as_deref() == Some("ERROR");
        EndedSpan {
            context: self.context,
            parent: self.parent,
            name,
            kind,
            begun: self.begun,
            ended: SystemTime::now().max(self.begun),
            failed,
            attributes: self.fields,
        }
    }
}
