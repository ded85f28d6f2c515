//! Exports to another instance.

use crate::event_totals::Tally;
use crate::fields::Fields;
use crate::metrics::Average;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Export {
    pub has_api_key: bool,
    pub index_patterns: u64,
    pub patterns_with_filter: u64,
    /// Bytes, if the request has them.
    pub payload_size: Option<u64>,
}

#[derive(Debug, Default)]
pub(crate) struct ExportTally {
    received: u64,
    has_api_key: bool,
    index_patterns: Average,
    patterns_with_filter: Average,
    payload_size: Average,
}

impl Tally for ExportTally {
    type Event = Export;

    fn add(&mut self, export: Export) {
        self.received += 1;
        self.has_api_key |= export.has_api_key;
        self.index_patterns.add(export.index_patterns);
        self.patterns_with_filter.add(export.patterns_with_filter);
        if let Some(bytes) = export.payload_size {
            self.payload_size.add(bytes);
        }
    }

    fn report(&self, fields: &mut Fields) {
        fields.put("export.total_received", self.received, "Exports that were asked for.");
        fields.put("export.has_api_key", self.has_api_key, "Whether one has a key.");
        fields.put("export.avg_index_patterns", &self.index_patterns, "Patterns, on average.");
        fields.put(
            "export.avg_patterns_with_filter",
            &self.patterns_with_filter,
            "Patterns that have a filter, on average.",
        );
        fields.put(
            "export.avg_payload_size",
            &self.payload_size,
            "Bytes of `payloadSize`, on average.",
        );
    }
}
