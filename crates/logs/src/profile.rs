//! Profile stream: one JSON line for each finished span.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::json;
use tracing::Subscriber;
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

use crate::fields::Fields;
use crate::lines::Lines;

#[derive(Debug)]
pub(crate) struct Profile {
    lines: Lines,
    with_memory: bool,
}

/// Timing of an open span.
struct SpanTiming {
    begun_at: SystemTime,
    begun: Instant,
    /// Time in which the span was entered, and since when it is.
    busy: Duration,
    entered: Option<Instant>,
    fields: Fields,
}

impl Profile {
    pub fn new(lines: Lines, with_memory: bool) -> Self {
        Self { lines, with_memory }
    }
}

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Profile {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        span.extensions_mut().insert(SpanTiming {
            begun_at: SystemTime::now(),
            begun: Instant::now(),
            busy: Duration::ZERO,
            entered: None,
            fields,
        });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(timing) = span.extensions_mut().get_mut::<SpanTiming>() {
            values.record(&mut timing.fields);
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(timing) = span.extensions_mut().get_mut::<SpanTiming>() {
            timing.entered = Some(Instant::now());
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(timing) = span.extensions_mut().get_mut::<SpanTiming>()
            && let Some(entered) = timing.entered.take()
        {
            timing.busy += entered.elapsed();
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        // Spans older than the stream have no timing.
        let Some(timing) = span.extensions_mut().remove::<SpanTiming>() else { return };
        let since_epoch = timing.begun_at.duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut line = json!({
            "name": span.name(),
            "target": span.metadata().target(),
            "id": id.into_u64(),
            "parentId": span.parent().map(|parent| parent.id().into_u64()),
            "thread": std::thread::current().name(),
            "startNs": nanoseconds(since_epoch),
            "durationNs": nanoseconds(timing.begun.elapsed()),
            "busyNs": nanoseconds(timing.busy),
            "fields": timing.fields.0,
        });
        if self.with_memory {
            line["residentBytes"] = json!(resident_bytes());
        }
        self.lines.push(format!("{line}\n").as_bytes());
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Returns the resident memory of the process, if the system reports it.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
