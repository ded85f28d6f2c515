//! `GET /metrics`: metrics for Prometheus, with the names and labels that existing dashboards use.

use axum::http::{HeaderValue, StatusCode};
use engine::{InstanceMetrics, InstanceStats};
use model::features::Feature;
use time::OffsetDateTime;

use crate::app::App;
use crate::call::{Answer, Call};
use crate::http::answer;
use crate::metrics::text::{Family, MetricsText, number};
use crate::metrics::{BUCKETS, Traffic, process};

const CONTENT_TYPE: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4");

pub async fn get(app: App, _call: Call) -> Answer {
    app.engine.features().check(Feature::metrics, "Getting metrics")?;
    let (stats, observed) = app.blocking(|engine| Ok((engine.stats()?, engine.observe()?))).await?;
    let mut metrics = MetricsText::default();
    write_traffic(&mut metrics, &app.options.traffic);
    write_indexes(&mut metrics, &stats);
    write_tasks(&mut metrics, &observed);
    write_batches(&mut metrics, &observed);
    write_searches(&mut metrics, &observed);
    write_chats(&mut metrics, &observed);
    process::write(&mut metrics);
    Ok(answer::with_type(StatusCode::OK, CONTENT_TYPE, metrics.into_string()))
}

fn write_traffic(metrics: &mut MetricsText, traffic: &Traffic) {
    let mut requests = metrics.counter("http_requests_total", "Requests by route and status.");
    traffic.for_each(|pattern, method, counts| {
        let path = path_label(pattern);
        for (status, count) in counts.statuses() {
            let status = status.to_string();
            let labels = [("method", method), ("path", path.as_str()), ("status", &status)];
            requests.add(&labels, number(count));
        }
    });
    let mut times = metrics
        .histogram("http_response_time_seconds", "Time to the head of the answer, in seconds.");
    traffic.for_each(|pattern, method, counts| {
        let path = path_label(pattern);
        let labels = [("method", method), ("path", path.as_str())];
        let cumulated = counts.cumulated();
        for (bound, count) in BUCKETS.iter().zip(cumulated) {
            times.sample("_bucket", &with_bound(labels, &bound.to_string()), number(count));
        }
        let all = number(cumulated[BUCKETS.len()]);
        times.sample("_bucket", &with_bound(labels, "+Inf"), all);
        times.sample("_sum", &labels, counts.seconds());
        times.sample("_count", &labels, all);
    });
}

fn with_bound<'l>(labels: [(&'l str, &'l str); 2], bound: &'l str) -> [(&'l str, &'l str); 3] {
    [labels[0], labels[1], ("le", bound)]
}

/// Returns the path label, in which dashboards expect this name for the index.
fn path_label(pattern: &str) -> String {
    pattern.replacen("/indexes/{uid}", "/indexes/{index_uid}", 1)
}

fn write_indexes(metrics: &mut MetricsText, stats: &InstanceStats) {
    metrics.gauge("db_size_bytes", "Size of the database.").set(number(stats.database_size));
    metrics
        .gauge("used_db_size_bytes", "Size of the database without unused space.")
        .set(number(stats.used_database_size));
    let indexes = stats.indexes.len() + stats.damaged.len();
    metrics.gauge("index_count", "Indexes.").set(number(indexes as u64));
    let mut documents = metrics.gauge("index_docs_count", "Documents by index.");
    for (uid, index) in &stats.indexes {
        documents.add(&[("index", uid)], number(index.number_of_documents));
    }
    let updated = stats.last_update.map_or(0, OffsetDateTime::unix_timestamp);
    metrics.gauge("last_update", "Last change of an index, in Unix seconds.").set(updated as f64);
}

fn write_tasks(metrics: &mut MetricsText, observed: &InstanceMetrics) {
    let mut tasks = metrics.gauge("nb_tasks", "Tasks by status, type and index.");
    for (status, count) in &observed.tasks.by_status {
        tasks.add(&[("kind", "statuses"), ("value", status.name())], number(*count));
    }
    for (kind, count) in &observed.tasks.by_type {
        tasks.add(&[("kind", "types"), ("value", kind.name())], number(*count));
    }
    for (index, count) in &observed.tasks.by_index {
        tasks.add(&[("kind", "indexes"), ("value", index)], number(*count));
    }
    metrics
        .gauge("task_queue_latency_seconds", "Age of the oldest unfinished task, in seconds.")
        .set(observed.latency.as_seconds_f64());
    let store = observed.task_store;
    metrics
        .gauge("task_queue_max_size", "Bytes that the task queue may hold.")
        .set(number(store.limit));
    metrics
        .gauge("task_queue_used_size", "Bytes that the task queue holds.")
        .set(number(store.used));
    metrics
        .gauge("task_queue_size_until_stop_registering", "Bytes until no task is accepted.")
        .set(number(store.limit.saturating_sub(store.used)));
}

fn write_batches(metrics: &mut MetricsText, observed: &InstanceMetrics) {
    metrics
        .gauge("is_indexing", "Whether a batch is being processed.")
        .set(u8::from(observed.is_indexing));
    let mut running =
        metrics.gauge("batch_running_progress_trace", "How far each step has come, from 0 to 1.");
    for batch in &observed.running_batches {
        let uid = batch.uid.to_string();
        for step in batch.progress.iter().flat_map(|progress| &progress.steps) {
            let share = f64::from(step.finished) / f64::from(step.total.max(1));
            running.add(&[("batch_uid", &uid), ("step_name", &step.current_step)], share);
        }
    }
    let mut finished = metrics
        .gauge("last_finished_batches_progress_trace_ms", "Time of each step, in milliseconds.");
    for batch in &observed.last_batches {
        let uid = batch.uid.to_string();
        for (step, shown) in &batch.stats.progress_trace {
            if let Some(time) = shown.as_str().and_then(milliseconds) {
                finished.add(&[("batch_uid", &uid), ("step_name", step)], time);
            }
        }
    }
    let mut of_addition = |name, help, value: &dyn Fn(&engine::RecentAddition) -> f64| {
        let mut family: Family<'_> = metrics.gauge(name, help);
        if let Some(addition) = &observed.last_addition {
            let uid = addition.batch_uid.to_string();
            for index in &addition.indexes {
                family.add(&[("batch_uid", &uid), ("index", index)], value(addition));
            }
        }
    };
    of_addition("last_indexed_documents_count", "Documents of the last batch.", &|addition| {
        number(addition.documents)
    });
    of_addition("last_indexed_documents_duration_ms", "Time that took, in ms.", &|addition| {
        addition.took.as_seconds_f64() * 1000.0
    });
}

/// Parses a duration as traces show it: `12.34ms`.
fn milliseconds(shown: &str) -> Option<f64> {
    let units = [("ms", 1.0), ("µs", 1e-3), ("ns", 1e-6), ("s", 1000.0)];
    let (text, unit) =
        units.iter().find_map(|(name, unit)| Some((shown.strip_suffix(name)?, unit)))?;
    Some(text.parse::<f64>().ok()? * unit)
}

fn write_searches(metrics: &mut MetricsText, observed: &InstanceMetrics) {
    metrics
        .gauge("search_queue_size", "Searches that may wait for their turn.")
        .set(number(observed.search_capacity as u64));
    metrics
        .gauge("searches_running", "Searches that run.")
        .set(number(observed.searches.running as u64));
    metrics
        .gauge("searches_waiting_to_be_processed", "Searches that wait for their turn.")
        .set(number(observed.searches.waiting as u64));
    metrics
        .gauge("degraded_search_requests", "Searches that were cut off before they were ranked.")
        .set(number(observed.degraded_searches));
    metrics
        .gauge("personalized_search_requests", "Searches that were personalized.")
        .set(number(observed.personalized_searches));
}

fn write_chats(metrics: &mut MetricsText, observed: &InstanceMetrics) {
    let mut searches = metrics.counter("chat_searches_total", "Searches of conversations.");
    searches.add(&[("type", "internal")], number(observed.chat_searches));
    let mut tokens = |name, help, value: fn(&engine::TokenCounts) -> u64| {
        let mut family = metrics.counter(name, help);
        for entry in &observed.chat_tokens {
            let labels = [("workspace", entry.workspace.as_str()), ("model", &entry.model)];
            family.add(&labels, number(value(&entry.counts)));
        }
    };
    tokens("chat_prompt_tokens_total", "Tokens of questions.", |counts| counts.prompt);
    tokens("chat_completion_tokens_total", "Tokens of answers.", |counts| counts.completion);
    tokens("chat_tokens_total", "Tokens of questions and answers.", |counts| counts.total);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_traces_show_them() {
        for time in [0.000_001, 0.5, 12.34, 90_000.0] {
            let shown = format!("{:.2?}", std::time::Duration::from_secs_f64(time / 1000.0));
            let read = milliseconds(&shown).unwrap();
            assert!((read - time).abs() <= time / 100.0, "{shown}: {read}");
        }
        assert_eq!(milliseconds("soon"), None);
    }
}
