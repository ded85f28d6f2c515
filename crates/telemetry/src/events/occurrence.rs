//! Requests that are only counted.

use crate::event_totals::Tally;
use crate::fields::Fields;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Occurrence;

#[derive(Debug, Default)]
pub(crate) struct OccurrenceTally;

impl Tally for OccurrenceTally {
    type Event = Occurrence;

    fn add(&mut self, Occurrence: Occurrence) {}

    fn report(&self, _sheet: &mut Fields) {}
}

#[derive(Debug, Default)]
pub(crate) struct CreatedWebhooksTally(u64);

impl Tally for CreatedWebhooksTally {
    type Event = Occurrence;

    fn add(&mut self, Occurrence: Occurrence) {
        self.0 += 1;
    }

    fn report(&self, fields: &mut Fields) {
        fields.put("webhooks_created", self.0, "Webhooks that were made.");
    }
}

#[derive(Debug, Default)]
pub(crate) struct UpdatedWebhooksTally(u64);

impl Tally for UpdatedWebhooksTally {
    type Event = Occurrence;

    fn add(&mut self, Occurrence: Occurrence) {
        self.0 += 1;
    }

    fn report(&self, fields: &mut Fields) {
        fields.put("webhooks.updated", self.0, "Webhooks that were changed or deleted.");
    }
}
