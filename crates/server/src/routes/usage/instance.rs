//! Figures of what concerns the whole instance: tasks, swaps, exports, features, the network.

use ::network::Network;
use model::Features;
use model::features::Feature;
use serde_json::{Map, Value};
use telemetry::{Figure, Fold, Reading};

use super::outcome;
use crate::routes::tasks::filter::TaskFilter;

telemetry::figures! {
    swap(operations: usize) {
        "swap_operation_number", "The most swaps of one request.", Largest, operations;
    }

    task_choice(filter: &TaskFilter) {
        "per_task_uid", "Whether tasks were named.", Any, filter.uids.is_some();
        "per_index_uid", "Whether indexes were.", Any, filter.index_uids.is_some();
        "filtered_by_uid", "Whether `uids` was used.", Any, filter.uids.is_some();
        "filtered_by_index_uid", "Whether `indexUids` was used.", Any, filter.index_uids.is_some();
        "filtered_by_type", "Whether `types` was used.", Any, filter.types.is_some();
        "filtered_by_status", "Whether `statuses` was used.", Any, filter.statuses.is_some();
        "filtered_by_canceled_by", "Whether `canceledBy` was used.", Any, filter.canceled_by.is_some();
        "filtered_by_before_enqueued_at", "Whether `beforeEnqueuedAt` was used.", Any, filter.before_enqueued_at.is_some();
        "filtered_by_after_enqueued_at", "Whether `afterEnqueuedAt` was used.", Any, filter.after_enqueued_at.is_some();
        "filtered_by_before_started_at", "Whether `beforeStartedAt` was used.", Any, filter.before_started_at.is_some();
        "filtered_by_after_started_at", "Whether `afterStartedAt` was used.", Any, filter.after_started_at.is_some();
        "filtered_by_before_finished_at", "Whether `beforeFinishedAt` was used.", Any, filter.before_finished_at.is_some();
        "filtered_by_after_finished_at", "Whether `afterFinishedAt` was used.", Any, filter.after_finished_at.is_some();
    }

    export(has_api_key: bool, payload_size: Option<u64>, patterns: &Map<String, Value>) {
        "export.total_received", "Exports that were asked for.", Sum, true;
        "export.has_api_key", "Whether one has a key.", Any, has_api_key;
        "export.avg_index_patterns", "Patterns, on average.", Average, patterns.len();
        "export.avg_patterns_with_filter", "Patterns that have a filter, on average.", Average,
            patterns.values().filter(|choice| !choice["filter"].is_null()).count();
        "export.avg_payload_size", "Bytes of `payloadSize`, on average.", Average, payload_size;
    }

    network(network: &Network) {
        "network_size", "The most remotes that there were.", Largest, network.remotes.len();
        "network_has_self", "Whether the instance was given a name.", Any, network.name.is_some();
    }

    created_webhook() {
        "webhooks_created", "Webhooks that were made.", Sum, true;
    }

    updated_webhook() {
        "webhooks.updated", "Webhooks that were changed or deleted.", Sum, true;
    }

    chat(model: &str) {
        ..outcome();
        "models", "The different names of models.", Names, telemetry::name(model);
    }
}

/// The features, as they are after the request. Their rows come from the table of features.
pub mod features {
    use super::*;

    pub const ROWS: usize = Feature::ALL.len();

    pub fn figures(list: &mut Vec<Figure>) {
        let meaning = "Whether it was on after a change.";
        let figure = |feature: &Feature| Figure { path: feature.name(), meaning, fold: Fold::Any };
        list.extend(Feature::ALL.iter().map(figure));
    }

    pub fn read(readings: &mut Vec<Reading>, features: Features) {
        readings.extend(Feature::ALL.iter().map(|&feature| features.is_on(feature).into()));
    }
}
