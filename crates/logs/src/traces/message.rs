//! Encodes finished spans as an OTLP export request. Field numbers are those of
//! `opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest` and its parts.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::span::EndedSpan;
use super::wire::Message;

const SERVICE: &str = "sonde";
const VERSION: &str = env!("CARGO_PKG_VERSION");
const STATUS_ERROR: u64 = 2;

pub(super) fn export(spans: &[EndedSpan]) -> Vec<u8> {
    let mut request = Message::default();
    request.message(1, |resource_spans| {
        resource_spans.message(1, |resource| {
            for (name, value) in [("service.name", SERVICE), ("service.version", VERSION)] {
                attribute(resource, 1, name, &Value::from(value));
            }
        });
        resource_spans.message(2, |scope_spans| {
            scope_spans.message(1, |scope| {
                scope.bytes(1, SERVICE.as_bytes());
                scope.bytes(2, VERSION.as_bytes());
            });
            for span in spans {
                scope_spans.message(2, |message| write(message, span));
            }
        });
    });
    request.into_bytes()
}

fn write(message: &mut Message, span: &EndedSpan) {
    message.bytes(1, &span.context.trace);
    message.bytes(2, &span.context.span);
    if let Some(parent) = &span.parent {
        message.bytes(4, parent);
    }
    message.bytes(5, span.name.as_bytes());
    message.number(6, span.kind as u64);
    message.fixed64(7, nanoseconds(span.begun));
    message.fixed64(8, nanoseconds(span.ended));
    for (name, value) in &span.attributes.0 {
        attribute(message, 9, name, value);
    }
    if span.failed {
        message.message(15, |status| status.number(3, STATUS_ERROR));
    }
}

fn attribute(message: &mut Message, field: u64, name: &str, value: &Value) {
    message.message(field, |pair| {
        pair.bytes(1, name.as_bytes());
        pair.message(2, |any| match value {
            Value::Bool(is_true) => any.number(2, u64::from(*is_true)),
            Value::Number(number) => match (number.as_i64(), number.as_f64()) {
                // Negative numbers are written as their bits.
                (Some(integer), _) => any.number(3, integer as u64),
                (None, Some(float)) => any.fixed64(4, float.to_bits()),
                (None, None) => any.bytes(1, number.to_string().as_bytes()),
            },
            Value::String(text) => any.bytes(1, text.as_bytes()),
            other => any.bytes(1, other.to_string().as_bytes()),
        });
    });
}

fn nanoseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
