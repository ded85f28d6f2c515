//! The kinds of events, once: the name that is sent, what happened, and what is counted of it.

use std::time::Duration;

use time::OffsetDateTime;

use crate::entry::Entry;
use crate::events::*;
use crate::sheet::Sheet;

macro_rules! kinds {
    ($($kind:ident($event:ty) => $tally:ty, $name:literal, $when:literal;)*) => {
        /// One request, as far as it is counted.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Event { $($kind($event)),* }

        /// What happened since the last time figures were sent, kind by kind.
        #[derive(Debug, Default)]
        #[allow(non_snake_case)]
        pub(crate) struct Ledger { $($kind: Option<Entry<$tally>>),* }

        impl Ledger {
            pub fn add(&mut self, event: Event, agent: Option<&str>, at: OffsetDateTime) {
                match event {
                    $(Event::$kind(event) => {
                        self.$kind.get_or_insert_with(|| Entry::new(at)).add(event, agent, at);
                    })*
                }
            }

            /// Every kind that happened: its name, when it first did, its figures.
            pub fn told(&self) -> Vec<(&'static str, OffsetDateTime, Sheet)> {
                let mut told = Vec::new();
                $(if let Some(entry) = &self.$kind {
                    told.push(($name, entry.first(), entry.sheet()));
                })*
                told
            }

            /// About how much there is to send, in bytes.
            pub fn weight(&self) -> usize {
                let mut weight = 0;
                $(weight += self.$kind.as_ref().map_or(0, Entry::weight);)*
                weight
            }
        }

        /// Every kind: its name, when it happens, and its figures as they are before anything did.
        pub(crate) fn catalogue() -> Vec<(&'static str, &'static str, Sheet)> {
            let epoch = OffsetDateTime::UNIX_EPOCH;
            vec![$(($name, $when, Entry::<$tally>::new(epoch).sheet())),*]
        }
    };
}

kinds! {
    Launched(Happened) => Happenings, "Launched",
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
    DocumentsRendered(Happened) => Happenings, "Documents Rendered",
        "`POST /render-template`";
    IndexCreated(NamedKey) => NamedKeyTally, "Index Created",
        "`POST /indexes`";
    IndexUpdated(NamedKey) => NamedKeyTally, "Index Updated",
        "`PATCH /indexes/{uid}`";
    IndexCompacted(Happened) => Happenings, "Index Compacted",
        "`POST /indexes/{uid}/compact`";
    IndexesSwapped(Swap) => SwapTally, "Indexes Swapped",
        "`POST /swap-indexes`";
    SettingsUpdated(Box<SettingsUpdate>) => SettingsTally, "Settings Updated",
        "Every change and reset of settings, of one or of many.";
    TasksCanceled(TaskChoice) => TaskChoiceTally, "Tasks Canceled",
        "`POST /tasks/cancel`";
    TasksDeleted(TaskChoice) => TaskChoiceTally, "Tasks Deleted",
        "`DELETE /tasks`";
    DumpCreated(Happened) => Happenings, "Dump Created",
        "`POST /dumps`";
    SnapshotCreated(Happened) => Happenings, "Snapshot Created",
        "`POST /snapshots`";
    ExportTriggered(Export) => ExportTally, "Export Triggered",
        "`POST /export`";
    FeaturesUpdated(FeaturesUpdate) => FeaturesTally, "Experimental features Updated",
        "`PATCH /experimental-features`";
    NetworkUpdated(NetworkUpdate) => NetworkTally, "Network Updated",
        "`PATCH /network`";
    WebhookCreated(Happened) => WebhooksCreated, "Webhooks Created",
        "`POST /webhooks`";
    WebhookUpdated(Happened) => WebhooksUpdated, "Webhooks Updated",
        "`PATCH` and `DELETE /webhooks/{uuid}`";
    SearchRuleChanged(Happened) => Happenings, "Dynamic Search Rules Created or Updated",
        "`PATCH /dynamic-search-rules/{uid}`";
    SearchRulesDeleted(Happened) => Happenings, "Dynamic Search Rules Deleted",
        "`DELETE /dynamic-search-rules`, `DELETE /dynamic-search-rules/{uid}`";
    ChatCompleted(Chat) => ChatTally, "Chat Completion POST",
        "`POST /chats/{uid}/chat/completions`";
}

impl Event {
    /// Says how a request ended, where that counts.
    pub(crate) fn end(&mut self, succeeded: bool, degraded: bool, elapsed: Duration) {
        let ending = Ending { succeeded, degraded, elapsed };
        match self {
            Event::SearchedGet(event) | Event::SearchedPost(event) => event.ending = ending,
            Event::MultiSearched(event) => event.ending = ending,
            Event::FacetSearched(event) => event.ending = ending,
            Event::SimilarGet(event) | Event::SimilarPost(event) => event.ending = ending,
            Event::ChatCompleted(event) => event.ending = ending,
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "kinds_tests.rs"]
mod tests;
