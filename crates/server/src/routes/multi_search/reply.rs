//! Writes the answer to a federated search.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use engine::search::{FederatedAnswer, FederatedFacets, FederatedRequest};
use remote_search::{WireCorrection, WireRerank, WireShown};
use serde_json::json;

use crate::http::error::{ErrorObject, Links};
use crate::routes::search::reply::{
    Metadata, add_facets, add_number, add_performance_details, add_rerank, add_text, add_window,
};

/// Members of the answer besides the results.
#[derive(Debug)]
pub struct FederatedReplyContext<'a> {
    pub waited: Duration,
    pub with_metadata: bool,
    pub with_performance_details: bool,
    pub links: &'a Links,
}

pub fn write(
    request: &FederatedRequest,
    answer: &FederatedAnswer,
    context: &FederatedReplyContext<'_>,
) -> String {
    let mut out = String::with_capacity(answer.hits.len() + 512);
    out.push_str("{\"hits\":");
    out.push_str(&answer.hits);
    if let Some(vectors) = &answer.query_vectors {
        add_query_vectors(vectors, &mut out);
    }
    add_number("processingTimeMs", answer.elapsed.as_millis() as u64, &mut out);
    add_window(request.window, answer.total, &mut out);
    add_federated_facets(&answer.facets, request.is_proxied, &mut out);
    // Writing to a string cannot fail.
    let _ = write!(out, ",\"requestUid\":\"{}\"", model::time_ordered_uuid());
    if context.with_metadata {
        add_metadata(request, answer, &mut out);
    }
    if let Some(errors) = &answer.remote_errors {
        let shown: BTreeMap<&str, ErrorObject<'_>> = errors
            .iter()
            .map(|(remote, error)| (remote.as_str(), ErrorObject::new(error, context.links)))
            .collect();
        let _ = write!(out, ",\"remoteErrors\":{}", json!(shown));
    }
    if let Some(hits) = answer.semantic_hits {
        add_number("semanticHitCount", hits as u64, &mut out);
    }
    if request.is_proxied {
        add_for_instance(answer, &mut out);
    } else {
        add_for_client(answer, &mut out);
    }
    if context.with_performance_details {
        add_performance_details(&answer.stages, context.waited, &mut out);
    }
    out.push('}');
    out
}

fn add_for_client(answer: &FederatedAnswer, out: &mut String) {
    if !answer.corrections.is_empty() {
        let meant: BTreeMap<usize, Option<&str>> = answer
            .corrections
            .iter()
            .map(|(&place, correction)| (place, correction.meant()))
            .collect();
        let _ = write!(out, ",\"didYouMean\":{}", json!(meant));
    }
    if let Some(report) = &answer.rerank {
        add_rerank(report, out);
    }
}

/// Adds the members that another instance needs to merge answers.
fn add_for_instance(answer: &FederatedAnswer, out: &mut String) {
    // The list of numbers may be long, so it is written directly.
    if let Some(Ok(contenders)) = answer.contenders.as_ref().map(serde_json::to_string) {
        let _ = write!(out, ",\"contenders\":{contenders}");
    }
    if !answer.sides.is_empty() {
        let _ = write!(out, ",\"hybridSides\":{}", json!(answer.sides));
    }
    if !answer.corrections.is_empty() {
        let corrections: BTreeMap<usize, WireCorrection> = answer
            .corrections
            .iter()
            .map(|(&place, correction)| (place, correction.into()))
            .collect();
        let _ = write!(out, ",\"corrections\":{}", json!(corrections));
    }
    if let Some(report) = &answer.rerank {
        let _ = write!(out, ",\"rerank\":{}", json!(WireRerank::from(report)));
    }
}

fn add_query_vectors(vectors: &BTreeMap<usize, Vec<f32>>, out: &mut String) {
    out.push_str(",\"queryVectors\":{");
    for (number, (position, vector)) in vectors.iter().enumerate() {
        if number > 0 {
            out.push(',');
        }
        let _ = write!(out, "\"{position}\":{vector:?}");
    }
    out.push('}');
}

/// Adds facets; another instance also gets the display forms, since it gets all values.
fn add_federated_facets(facets: &FederatedFacets, is_proxied: bool, out: &mut String) {
    match facets {
        FederatedFacets::None => {}
        FederatedFacets::Merged(facets) => {
            out.push(',');
            add_facets(facets, ("facetDistribution", "facetStats"), out);
        }
        FederatedFacets::ByIndex(by_index) => {
            out.push_str(",\"facetsByIndex\":{");
            for (number, (uid, index)) in by_index.iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                add_text(uid, out);
                out.push_str(":{");
                add_facets(&index.facets, ("distribution", "stats"), out);
                if is_proxied {
                    let shown: BTreeMap<&str, WireShown> = index
                        .shown
                        .iter()
                        .map(|(name, &how)| (name.as_str(), how.into()))
                        .collect();
                    let _ = write!(out, ",\"shown\":{}", json!(shown));
                }
                out.push('}');
            }
            out.push('}');
        }
    }
}

/// Adds the metadata of each query of the client, in order.
fn add_metadata(request: &FederatedRequest, answer: &FederatedAnswer, out: &mut String) {
    out.push_str(",\"metadata\":[");
    let mut told = None;
    for (place, (query, asked)) in request.queries.iter().zip(&answer.targets).enumerate() {
        let of_client = Some(request.client_position(place));
        // Another instance matches each entry by its position.
        if std::mem::replace(&mut told, of_client) == of_client && !request.is_proxied {
            continue;
        }
        if place > 0 {
            out.push(',');
        }
        let metadata = Metadata {
            query: query.request.text.as_deref(),
            index_uid: &query.index_uid,
            primary_key: asked.primary_key.as_deref(),
            remote: asked.remote.as_deref(),
        };
        metadata.write(out);
    }
    out.push(']');
}
