//! The table of event kinds: the name that is sent, its meaning, and its tally.

use std::time::Duration;

use time::OffsetDateTime;

use crate::event_totals::EventTotals;
use crate::events::*;
use crate::fields::Fields;

macro_rules! kinds {
    ($($kind:ident($event:ty) => $tally:ty, $name:literal, $when:literal;)*) => {
        /// A request, reduced to what is counted.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Event { $($kind($event)),* }

        /// Totals since figures were last sent, by kind.
        #[derive(Debug, Default)]
        #[allow(non_snake_case)]
        pub(crate) struct Totals { $($kind: Option<EventTotals<$tally>>),* }

        impl Totals {
            pub fn add(&mut self, event: Event, agent: Option<&str>, at: OffsetDateTime) {
                match event {
                    $(Event::$kind(event) => {
                        self.$kind.get_or_insert_with(|| EventTotals::new(at)).add(event, agent, at);
                    })*
                }
            }

            /// Returns name, first time and figures of every kind that happened.
            pub fn reports(&self) -> Vec<(&'static str, OffsetDateTime, Fields)> {
                let mut reports = Vec::new();
                $(if let Some(entry) = &self.$kind {
                    reports.push(($name, entry.first(), entry.fields()));
                })*
                reports
            }

            /// Returns the approximate bytes to send.
            pub fn weight(&self) -> usize {
                let mut weight = 0;
                $(weight += self.$kind.as_ref().map_or(0, EventTotals::weight);)*
                weight
            }
        }

        /// Returns every kind: its name, its trigger, and its empty figures.
        pub(crate) fn catalogue() -> Vec<(&'static str, &'static str, Fields)> {
            let epoch = OffsetDateTime::UNIX_EPOCH;
            vec![$(($name, $when, EventTotals::<$tally>::new(epoch).fields())),*]
        }
    };
}

kinds! {
    Launched(Occurrence) => OccurrenceTally, "Launched",
        "The first start with this database.";
    SearchedGet(Search) => SearchTally, "Documents Searched GET",
        "`GET /indexes/{uid}/search`";
    SearchedPost(Search) => SearchTally, "Documents Searched POST",
        "`POST /indexes/{uid}/search`";
    MultiSearched(MultiSearch) => MultiSearchTally, "Documents Searched by Multi-Search POST",
        "`POST /multi-search`";
    FacetSearched(FacetSearch) => FacetSearchTally, "Facet Searched POST",
        "`POST /indexes/{uid}/facet-search`";
    SimilarGet(Similar) => SimilarTally, "Similar GET",
        "`GET /indexes/{uid}/similar`";
    SimilarPost(Similar) => SimilarTally, "Similar POST",
        "`POST /indexes/{uid}/similar`";
    DocumentsAdded(Addition) => AdditionTally, "Documents Added",
        "`POST /indexes/{uid}/documents`";
    DocumentsUpdated(Addition) => AdditionTally, "Documents Updated",
        "`PUT /indexes/{uid}/documents`";
    DocumentsEdited(Edition) => EditionTally, "Documents Edited By Function",
        "`POST /indexes/{uid}/documents/edit`";
    DocumentsDeleted(Deletion) => DeletionTally, "Documents Deleted",
        "`DELETE /indexes/{uid}/documents`, `DELETE …/documents/{id}`, `POST …/documents/delete`, `POST …/documents/delete-batch`";
    FetchedGet(Fetch) => FetchTally, "Documents Fetched GET",
        "`GET /indexes/{uid}/documents`, `GET …/documents/{id}`";
    FetchedPost(Fetch) => FetchTally, "Documents Fetched POST",
        "`POST /indexes/{uid}/documents/fetch`";
    DocumentsRendered(Occurrence) => OccurrenceTally, "Documents Rendered",
        "`POST /render-template`";
    IndexCreated(NamedKey) => NamedKeyTally, "Index Created",
        "`POST /indexes`";
    IndexUpdated(NamedKey) => NamedKeyTally, "Index Updated",
        "`PATCH /indexes/{uid}`";
    IndexCompacted(Occurrence) => OccurrenceTally, "Index Compacted",
        "`POST /indexes/{uid}/compact`";
    IndexesSwapped(Swap) => SwapTally, "Indexes Swapped",
        "`POST /swap-indexes`";
    SettingsUpdated(Box<SettingsUpdate>) => SettingsTally, "Settings Updated",
        "Every change and reset of settings, of one or of many.";
    TasksCanceled(TaskChoice) => TaskChoiceTally, "Tasks Canceled",
        "`POST /tasks/cancel`";
    TasksDeleted(TaskChoice) => TaskChoiceTally, "Tasks Deleted",
        "`DELETE /tasks`";
    DumpCreated(Occurrence) => OccurrenceTally, "Dump Created",
        "`POST /dumps`";
    SnapshotCreated(Occurrence) => OccurrenceTally, "Snapshot Created",
        "`POST /snapshots`";
    ExportTriggered(Export) => ExportTally, "Export Triggered",
        "`POST /export`";
    FeaturesUpdated(FeaturesUpdate) => FeaturesTally, "Experimental features Updated",
        "`PATCH /experimental-features`";
    NetworkUpdated(NetworkUpdate) => NetworkTally, "Network Updated",
        "`PATCH /network`";
    WebhookCreated(Occurrence) => CreatedWebhooksTally, "Webhooks Created",
        "`POST /webhooks`";
    WebhookUpdated(Occurrence) => UpdatedWebhooksTally, "Webhooks Updated",
        "`PATCH` and `DELETE /webhooks/{uuid}`";
    SearchRuleChanged(Occurrence) => OccurrenceTally, "Dynamic Search Rules Created or Updated",
        "`PATCH /dynamic-search-rules/{uid}`";
    SearchRulesDeleted(Occurrence) => OccurrenceTally, "Dynamic Search Rules Deleted",
        "`DELETE /dynamic-search-rules`, `DELETE /dynamic-search-rules/{uid}`";
    ChatCompleted(Chat) => ChatTally, "Chat Completion POST",
        "`POST /chats/{uid}/chat/completions`";
}

impl Event {
    /// Sets the outcome of a request, if it has one.
    pub(crate) fn end(&mut self, succeeded: bool, degraded: bool, elapsed: Duration) {
        let outcome = RequestOutcome { succeeded, degraded, elapsed };
        match self {
            Event::SearchedGet(event) | Event::SearchedPost(event) => event.outcome = outcome,
            Event::MultiSearched(event) => event.outcome = outcome,
            Event::FacetSearched(event) => event.outcome = outcome,
            Event::SimilarGet(event) | Event::SimilarPost(event) => event.outcome = outcome,
            Event::ChatCompleted(event) => event.outcome = outcome,
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "kinds_tests.rs"]
mod tests;
