//! The experimental features an operator can switch on at run time.

use serde::{Deserialize, Serialize};

use crate::{Code, ServiceError};

macro_rules! features {
    ($($field:ident = $wire:literal, $words:literal, $discussion:literal;)*) => {
        /// One switch per feature, all off by default. Member order is the wire order.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Features { $(#[serde(rename = $wire)] pub $field: bool),* }

        /// A feature, for checks and for switching.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(non_camel_case_types)]
        pub enum Feature { $($field),* }

        impl Feature {
            pub const ALL: &'static [Feature] = &[$(Feature::$field),*];

            /// Returns the member of `/experimental-features`.
            pub fn wire_name(self) -> &'static str {
                match self { $(Feature::$field => $wire),* }
            }

            /// Returns the name of the field in `Features`.
            pub fn name(self) -> &'static str {
                match self { $(Feature::$field => stringify!($field)),* }
            }

            fn words(self) -> &'static str {
                match self { $(Feature::$field => $words),* }
            }

            fn link(self) -> &'static str {
                match self { $(Feature::$field => concat!("https://github.com/", $discussion)),* }
            }
        }

        impl Features {
            pub fn is_on(&self, feature: Feature) -> bool {
                match feature { $(Feature::$field => self.$field),* }
            }

            pub fn set(&mut self, feature: Feature, on: bool) {
                match feature { $(Feature::$field => self.$field = on),* }
            }
        }
    };
}

// The discussion links are part of the messages.
features! {
    metrics = "metrics", "metrics", "meilisearch/product/discussions/625";
    logs_route = "logsRoute", "logs route", "orgs/meilisearch/discussions/721";
    edit_documents_by_function = "editDocumentsByFunction", "edit documents by function", "orgs/meilisearch/discussions/762";
    contains_filter = "containsFilter", "contains filter", "orgs/meilisearch/discussions/763";
    dynamic_search_rules = "dynamicSearchRules", "dynamic search rules", "orgs/meilisearch/discussions/884";
    network = "network", "network", "orgs/meilisearch/discussions/805";
    get_task_documents_route = "getTaskDocumentsRoute", "get task documents route", "orgs/meilisearch/discussions/808";
    task_queue_compaction_route = "taskQueueCompactionRoute", "task queue compaction route", "orgs/meilisearch/discussions/883";
    composite_embedders = "compositeEmbedders", "composite embedders", "orgs/meilisearch/discussions/816";
    chat_completions = "chatCompletions", "chat completions", "orgs/meilisearch/discussions/835";
    multimodal = "multimodal", "multimodal", "orgs/meilisearch/discussions/846";
    foreign_keys = "foreignKeys", "foreign_keys", "orgs/meilisearch/discussions/873";
    disable_documents_fetch_queue = "disableDocumentsFetchQueue", "disable documents fetch queue", "orgs/meilisearch/discussions/889";
    legacy_search = "legacySearch", "legacy search", "orgs/meilisearch/discussions/890";
    render_route = "renderRoute", "render_route", "orgs/meilisearch/discussions/888";
}

impl Features {
    /// Fails unless the feature is on; `tried` names what was attempted.
    pub fn check(&self, feature: Feature, tried: &str) -> Result<(), ServiceError> {
        if self.is_on(feature) {
            return Ok(());
        }
        Err(ServiceError::new(
            Code::FeatureNotEnabled,
            format!(
                "{tried} requires enabling the `{}` experimental feature. See {}",
                feature.words(),
                feature.link()
            ),
        ))
    }
}
