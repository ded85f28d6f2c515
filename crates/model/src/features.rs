//! The experimental features an operator can switch on at run time.

use serde::{Deserialize, Serialize};

use crate::{Code, ServiceError};

macro_rules! features {
    ($($field:ident = $wire:literal, $words:literal, $discussion:literal;)*) => {
        /// One switch per feature, all off at first. Member order is the wire order.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Features { $(#[serde(rename = $wire)] pub $field: bool),* }

        /// A feature by name, for gates and for switching.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(non_camel_case_types)]
        pub enum Feature { $($field),* }

        impl Feature {
            pub const ALL: &'static [Feature] = &[$(Feature::$field),*];

            /// The member of `/experimental-features`.
            pub fn wire_name(self) -> &'static str {
                match self { $(Feature::$field => $wire),* }
            }

            /// The member of `Features`.
            pub fn name(self) -> &'static str {
                match self { $(Feature::$field => stringify!($field)),* }
            }

            fn words(self) -> &'static str {
                match self { $(Feature::$field => $words),* }
            }

            fn discussion(self) -> u32 {
                match self { $(Feature::$field => $discussion),* }
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

// Discussion numbers are part of the recorded messages' links.
features! {
    metrics = "metrics", "metrics", 625;
    logs_route = "logsRoute", "logs route", 721;
    edit_documents_by_function = "editDocumentsByFunction", "edit documents by function", 762;
    contains_filter = "containsFilter", "contains filter", 763;
    dynamic_search_rules = "dynamicSearchRules", "dynamic search rules", 884;
    network = "network", "network", 805;
    get_task_documents_route = "getTaskDocumentsRoute", "get task documents route", 808;
    task_queue_compaction_route = "taskQueueCompactionRoute", "task queue compaction route", 883;
    composite_embedders = "compositeEmbedders", "composite embedders", 816;
    chat_completions = "chatCompletions", "chat completions", 835;
    multimodal = "multimodal", "multimodal", 846;
    foreign_keys = "foreignKeys", "foreign_keys", 873;
    disable_documents_fetch_queue = "disableDocumentsFetchQueue", "disable documents fetch queue", 889;
    legacy_search = "legacySearch", "legacy search", 890;
    render_route = "renderRoute", "render_route", 891;
}

impl Features {
    /// Refuses what was tried unless the feature is on.
    pub fn check(&self, feature: Feature, tried: &str) -> Result<(), ServiceError> {
        if self.is_on(feature) {
            return Ok(());
        }
        Err(ServiceError::new(
            Code::FeatureNotEnabled,
            format!(
                "{tried} requires enabling the `{}` experimental feature. See https://github.com/orgs/meilisearch/discussions/{}",
                feature.words(),
                feature.discussion()
            ),
        ))
    }
}
