//! Requests of which it only counts that there were some.

use crate::entry::Tally;
use crate::sheet::Sheet;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Happened;

#[derive(Debug, Default)]
pub(crate) struct Happenings;

impl Tally for Happenings {
    type Event = Happened;

    fn add(&mut self, Happened: Happened) {}

    fn tell(&self, _sheet: &mut Sheet) {}
}

#[derive(Debug, Default)]
pub(crate) struct WebhooksCreated(u64);

impl Tally for WebhooksCreated {
    type Event = Happened;

    fn add(&mut self, Happened: Happened) {
        self.0 += 1;
    }

    fn tell(&self, sheet: &mut Sheet) {
        sheet.put("webhooks_created", self.0, "Webhooks that were made.");
    }
}

#[derive(Debug, Default)]
pub(crate) struct WebhooksUpdated(u64);

impl Tally for WebhooksUpdated {
    type Event = Happened;

    fn add(&mut self, Happened: Happened) {
        self.0 += 1;
    }

    fn tell(&self, sheet: &mut Sheet) {
        sheet.put("webhooks.updated", self.0, "Webhooks that were changed or deleted.");
    }
}
