//! Writes the answer to a search. Hits are JSON text already, so the other members are written
//! around them.

use std::fmt::Write;
use std::time::Duration;

use engine::search::{Facets, RerankReport, SearchAnswer, SearchRequest, Stages, Window};
use serde_json::Value;
use uuid::Uuid;

/// Members of the answer besides the results.
#[derive(Debug)]
pub struct ReplyContext<'a> {
    pub index_uid: &'a str,
    /// True if the answer is one of several, and so begins with the name of its index.
    pub is_one_of_many: bool,
    pub request_uid: Uuid,
    pub waited: Duration,
    pub with_metadata: bool,
    pub with_performance_details: bool,
    /// Present if the network was searched.
    pub remote_errors: Option<&'a Value>,
}

pub fn write(request: &SearchRequest, answer: &SearchAnswer, context: &ReplyContext<'_>) -> String {
    let query = request.text.as_deref().unwrap_or_default();
    let mut out = String::with_capacity(answer.hits.len() + query.len() + 512);
    out.push('{');
    if context.is_one_of_many {
        out.push_str("\"indexUid\":");
        add_text(context.index_uid, &mut out);
        out.push(',');
    }
    out.push_str("\"hits\":");
    out.push_str(&answer.hits);
    out.push_str(",\"query\":");
    add_text(query, &mut out);
    if let (true, Some(vector)) = (request.view.retrieve_vectors, &answer.query_vector) {
        let _ = write!(out, ",\"queryVector\":{vector:?}");
    }
    add_number("processingTimeMs", answer.elapsed.as_millis() as u64, &mut out);
    add_window(request.window, answer.total, &mut out);
    if let Some(facets) = &answer.facets {
        out.push(',');
        add_facets(facets, ("facetDistribution", "facetStats"), &mut out);
    }
    let _ = write!(out, ",\"requestUid\":\"{}\"", context.request_uid);
    if context.with_metadata {
        let metadata = Metadata {
            query: request.text.as_deref().filter(|_| request.legacy.is_none()),
            index_uid: context.index_uid,
            primary_key: answer.primary_key.as_deref(),
            remote: None,
        };
        out.push_str(",\"metadata\":");
        metadata.write(&mut out);
    }
    if context.with_performance_details {
        add_performance_details(&answer.stages, context.waited, &mut out);
    }
    if let Some(errors) = context.remote_errors {
        let _ = write!(out, ",\"remoteErrors\":{errors}");
    }
    if let Some(hits) = answer.semantic_hits {
        add_number("semanticHitCount", hits as u64, &mut out);
    }
    if let Some(correction) = &answer.correction {
        let _ = write!(out, ",\"didYouMean\":{}", Value::from(correction.meant()));
    }
    if let Some(report) = &answer.rerank {
        add_rerank(report, &mut out);
    }
    out.push('}');
    out
}

/// Adds the report of the reranking.
pub fn add_rerank(report: &RerankReport, out: &mut String) {
    out.push_str(",\"rerank\":{\"reranker\":");
    add_text(&report.reranker, out);
    add_number("reranked", report.reranked as u64, out);
    if let Some(reason) = &report.reason {
        out.push_str(",\"reason\":");
        add_text(reason, out);
    }
    out.push('}');
}

pub fn add_window(window: Window, total: u64, out: &mut String) {
    match window {
        Window::Offset { offset, limit } => {
            add_number("limit", limit as u64, out);
            add_number("offset", offset as u64, out);
            add_number("estimatedTotalHits", total, out);
        }
        Window::Page { page, hits_per_page } => {
            let pages = match hits_per_page as u64 {
                0 => 0,
                hits => total.div_ceil(hits),
            };
            add_number("hitsPerPage", hits_per_page as u64, out);
            add_number("page", page as u64, out);
            add_number("totalPages", pages, out);
            add_number("totalHits", total, out);
        }
    }
}

/// Adds counts and statistics of facets under their two names, in the order in which they were
/// counted.
pub fn add_facets(facets: &Facets, (counts, extremes): (&str, &str), out: &mut String) {
    let _ = write!(out, "\"{counts}\":");
    add_object(&facets.distribution, out, |values, out| {
        add_object(values, out, |count, out| {
            let _ = write!(out, "{count}");
        });
    });
    let _ = write!(out, ",\"{extremes}\":");
    add_object(&facets.stats, out, |(min, max), out| {
        let _ = write!(out, "{{\"min\":{},\"max\":{}}}", Value::from(*min), Value::from(*max));
    });
}

pub fn add_object<'a, T: 'a>(
    members: impl IntoIterator<Item = &'a (String, T)>,
    out: &mut String,
    mut add_value: impl FnMut(&T, &mut String),
) {
    out.push('{');
    for (place, (name, value)) in members.into_iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        add_text(name, out);
        out.push(':');
        add_value(value, out);
    }
    out.push('}');
}

/// Metadata of a query and its index.
#[derive(Debug)]
pub struct Metadata<'a> {
    pub query: Option<&'a str>,
    pub index_uid: &'a str,
    pub primary_key: Option<&'a str>,
    pub remote: Option<&'a str>,
}

impl Metadata<'_> {
    pub fn write(&self, out: &mut String) {
        out.push('{');
        if let Some(query) = self.query {
            out.push_str("\"query\":");
            add_text(query, out);
            out.push(',');
        }
        let _ = write!(out, "\"queryUid\":\"{}\",\"indexUid\":", model::time_ordered_uuid());
        add_text(self.index_uid, out);
        for (name, value) in [("primaryKey", self.primary_key), ("remote", self.remote)] {
            if let Some(value) = value {
                let _ = write!(out, ",\"{name}\":");
                add_text(value, out);
            }
        }
        out.push('}');
    }
}

/// Adds durations with a suitable unit: `295.29µs`, `1.20ms`.
pub fn add_performance_details(stages: &Stages, waited: Duration, out: &mut String) {
    add_times([("wait in queue", waited)].into_iter().chain(stages.iter()), out);
}

/// Like `add_performance_details`, without the time in the queue.
pub fn add_stages(stages: &Stages, out: &mut String) {
    add_times(stages.iter(), out);
}

fn add_times<'n>(times: impl Iterator<Item = (&'n str, Duration)>, out: &mut String) {
    out.push_str(",\"performanceDetails\":{");
    for (place, (stage, elapsed)) in times.enumerate() {
        let comma = if place > 0 { "," } else { "" };
        let _ = write!(out, "{comma}\"{stage}\":\"{elapsed:.2?}\"");
    }
    out.push('}');
}

// Writing to a string cannot fail.
pub fn add_number(name: &str, number: u64, out: &mut String) {
    let _ = write!(out, ",\"{name}\":{number}");
}

pub fn add_text(text: &str, out: &mut String) {
    let _ = write!(out, "{}", Value::from(text));
}
