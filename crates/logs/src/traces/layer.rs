//! Records spans as they begin and end. Its filter passes only one target.

use std::time::SystemTime;

use tracing::Subscriber;
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

use super::exporter::SpanQueue;
use super::parent;
use super::span::{OpenSpan, SpanContext};
use crate::fields::Fields;

#[derive(Debug)]
pub(crate) struct TraceLayer {
    queue: SpanQueue,
}

impl TraceLayer {
    pub fn new(queue: SpanQueue) -> Self {
        Self { queue }
    }
}

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for TraceLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let told = fields.take("traceparent");
        let above = span
            .parent()
            .and_then(|parent| parent.extensions().get::<OpenSpan>().map(|parent| parent.context));
        let above = above.or_else(|| parent::parse(&told?));
        let open = OpenSpan {
            context: above.map_or_else(SpanContext::new_root, SpanContext::below),
            parent: above.map(|above| above.span),
            name: span.name(),
            begun: SystemTime::now(),
            fields,
        };
        span.extensions_mut().insert(open);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<OpenSpan>() {
            values.record(&mut open.fields);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let open = span.extensions_mut().remove::<OpenSpan>();
        if let Some(open) = open {
            self.queue.put(open.end());
        }
    }
}
