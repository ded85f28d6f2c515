//! Schemas of searches: parameters, answers and hits.

use model::Code;
use serde_json::json;

use super::{Named, Schema};
use crate::openapi::operation::remote_errors;
use crate::schema::{
    Member, always, any_of, anything, boolean, integer, list, map, maybe, named, number, object,
    object_and_more, one_of, text, uuid,
};
use crate::search_parameters::fusion::{FusionK, FusionName};
use crate::search_parameters::parameter::Parameter;
use crate::search_parameters::table::{
    EMBEDDER, FUSION, FUSION_K, PERSONALIZE, RERANK_LIMIT, RERANKER, SEMANTIC_RATIO,
};
use crate::search_parameters::values::{RerankLimit, SemanticRatio};

pub fn all() -> Vec<Named> {
    vec![
        ("Hit", hit()),
        ("Hybrid", hybrid()),
        ("Boost", boost()),
        ("Personalize", object([always("userContext", text(), "Description of the user.")])),
        ("Rerank", rerank()),
        ("SearchAnswer", object(search_answer())),
        ("FederatedAnswer", object(federated_answer())),
        (
            "FacetDistribution",
            map(map(integer())).about("Number of hits for each value of each attribute."),
        ),
        (
            "FacetStats",
            map(object([always("min", number(), ""), always("max", number(), "")]))
                .about("Least and greatest value of each numeric attribute."),
        ),
        ("QueryMetadata", metadata()),
        ("Times", map(text()).about("Duration of each stage.")),
        ("Vector", list(number())),
        ("FederationOptions", federation_options()),
        ("Federation", federation()),
    ]
}

fn hybrid() -> Schema {
    object([
        always("embedder", text(), EMBEDDER),
        maybe("semanticRatio", SemanticRatio::schema(), SEMANTIC_RATIO),
        maybe("fusion", FusionName::schema(), FUSION).code(Code::InvalidSearchHybridFusion),
        maybe("k", FusionK::schema(), FUSION_K).code(Code::InvalidSearchHybridK),
    ])
}

/// The schema of a boost, of which exactly one of the first four members is set.
fn boost() -> Schema {
    let number_or_text = || any_of([number(), text()]);
    let share = || number().default(json!(0.5));
    let curve = || one_of(&["exp", "gauss", "linear"]).default(json!("exp"));
    let decay = object([
        always("attribute", text(), ""),
        always("origin", number_or_text(), "Number, RFC 3339 date or `now`."),
        always("scale", number_or_text(), "Distance as a number, or a duration such as `30d`."),
        maybe("offset", number_or_text().default(json!(0)), "Distance with the full boost."),
        maybe("decay", share(), "Boost that remains at the distance `scale`."),
        maybe("curve", curve(), ""),
    ]);
    let value = object([
        always("attribute", text(), ""),
        maybe("curve", one_of(&["linear", "log", "sqrt"]).default(json!("linear")), ""),
        maybe("max", number().or_null(), "Value with the full boost; the greatest by default."),
    ]);
    let near = object([
        always("_geo", object([always("lat", number(), ""), always("lng", number(), "")]), ""),
        always("scale", number(), "Distance in metres at which the boost is `decay`."),
        maybe("offset", number().default(json!(0)), "Distance in metres with the full boost."),
        maybe("decay", share(), "Boost that remains at the distance `scale`."),
        maybe("curve", curve(), ""),
    ]);
    object([
        maybe("filter", named("Filter").or_null(), "Boosts documents that match the filter."),
        maybe("decay", decay.or_null(), "Boosts values close to an origin."),
        maybe("value", value.or_null(), "Boosts greater values."),
        maybe("near", near.or_null(), "Boosts documents close to a location."),
        maybe("weight", number().between(0, 1000).default(json!(1)), "Weight of the boost."),
    ])
}

fn rerank() -> Schema {
    object([
        always("reranker", text(), RERANKER),
        maybe("limit", RerankLimit::schema(), RERANK_LIMIT),
    ])
}

fn rerank_report() -> Schema {
    object([
        always("reranker", text(), ""),
        always("reranked", integer(), "Number of hits that were reranked."),
        maybe("reason", text(), "Why the hits were not reranked."),
    ])
}

/// Error codes of a search besides those of its members.
pub const CODES: &[Code] = &[
    Code::InvalidSearchHybridQuery,
    Code::InvalidSearchEmbedder,
    Code::InvalidSearchSemanticRatio,
    Code::InvalidSearchHybridFusion,
    Code::InvalidSearchHybridK,
    Code::InvalidSearchPersonalizeUserContext,
    Code::InvalidSearchMediaAndVector,
    Code::MissingSearchHybrid,
    Code::InvalidVectorDimensions,
    Code::VectorEmbeddingError,
    Code::FeatureNotEnabled,
    // Errors of the provider of `personalize`.
    Code::RemoteTimeout,
    Code::RemoteCouldNotSendRequest,
    Code::RemoteInvalidApiKey,
    Code::RemoteBadRequest,
    Code::RemoteRemoteError,
    Code::RemoteBadResponse,
    // An attribute that is not filterable in the index of a foreign key.
    Code::InvalidDocumentFilter,
];

fn hit() -> Schema {
    let position = object([
        always("start", integer(), "In bytes."),
        always("length", integer(), "In bytes."),
        maybe("indices", list(integer()), "Indexes into nested arrays, from the outermost."),
    ]);
    object_and_more([
        maybe("_formatted", anything(), "The document with highlighted and cropped attributes."),
        maybe("_matchesPosition", map(list(position)), ""),
        maybe("_rankingScore", number(), "Ranking score from 0 to 1."),
        maybe("_rerankScore", number(), "Score of the reranker, with `showRankingScore`."),
        maybe("_rankingScoreDetails", map(anything()), "Score of each ranking rule."),
        maybe("_geoDistance", integer(), "Distance in metres, if hits are sorted by distance."),
        maybe("_vectors", map(anything()), "`embeddings` and `regenerate` of each embedder."),
        maybe(
            "_federation",
            object([
                always("indexUid", text(), ""),
                always("queriesPosition", integer(), "Position of the query that found it."),
                always("weightedRankingScore", number(), ""),
                maybe("remote", text(), ""),
            ]),
            "Only in federated searches.",
        ),
    ])
}

fn window() -> Vec<Member> {
    vec![
        maybe("limit", integer(), "Only with `offset` and `limit`."),
        maybe("offset", integer(), ""),
        maybe("estimatedTotalHits", integer(), "Estimated number of matching documents."),
        maybe("hitsPerPage", integer(), "Only with `page` or `hitsPerPage`."),
        maybe("page", integer(), ""),
        maybe("totalPages", integer(), ""),
        maybe("totalHits", integer(), "Exact number of matching documents."),
    ]
}

pub fn search_answer() -> Vec<Member> {
    let mut members = vec![
        always("hits", list(named("Hit")), ""),
        always("query", text(), "Query of the request."),
        maybe("queryVector", named("Vector"), "Only with `retrieveVectors`."),
        always("processingTimeMs", integer(), ""),
    ];
    members.extend(window());
    members.extend([
        maybe("facetDistribution", named("FacetDistribution"), ""),
        maybe("facetStats", named("FacetStats"), ""),
        always("requestUid", uuid(), ""),
        maybe("metadata", named("QueryMetadata"), "With `Meili-Include-Metadata: true` sent."),
        maybe("performanceDetails", named("Times"), ""),
        remote_errors(),
        maybe("semanticHitCount", integer(), "Number of hits found by semantic search."),
        maybe("didYouMean", text().or_null(), "With `didYouMean`: a spelling that finds more."),
        maybe("rerank", rerank_report(), "Report of the reranking."),
    ]);
    members
}

fn federated_answer() -> Vec<Member> {
    let by_index = map(object([
        always("distribution", named("FacetDistribution"), ""),
        always("stats", named("FacetStats"), ""),
    ]));
    let mut members = vec![
        always("hits", list(named("Hit")), ""),
        maybe("queryVectors", map(named("Vector")), "Query vectors by query position."),
        always("processingTimeMs", integer(), ""),
    ];
    members.extend(window());
    members.extend([
        maybe("facetDistribution", named("FacetDistribution"), "Only with `mergeFacets`."),
        maybe("facetStats", named("FacetStats"), ""),
        maybe("facetsByIndex", by_index, ""),
        always("requestUid", uuid(), ""),
        maybe("metadata", list(named("QueryMetadata")), "Metadata of each query."),
        remote_errors(),
        maybe("semanticHitCount", integer(), ""),
        maybe("didYouMean", map(text().or_null()), "By query position, with `didYouMean`."),
        maybe("rerank", rerank_report(), "Report of the reranking."),
        maybe("performanceDetails", named("Times"), ""),
    ]);
    members
}

fn metadata() -> Schema {
    object([
        maybe("query", text(), ""),
        always("queryUid", uuid(), ""),
        always("indexUid", text(), ""),
        maybe("primaryKey", text(), ""),
        maybe("remote", text(), ""),
    ])
}

fn federation_options() -> Schema {
    object([
        maybe("weight", number().at_least(0).default(json!(1.0)), "Weight of its scores."),
        maybe("remote", text().or_null(), "Remote to query. Needs the feature `network`."),
        maybe("queryPosition", integer().or_null(), "Query position to return in hits."),
    ])
}

fn federation() -> Schema {
    let merged = object([maybe("maxValuesPerFacet", integer().or_null(), "")]);
    object([
        maybe("limit", integer().default(json!(20)), ""),
        maybe("offset", integer().default(json!(0)), ""),
        maybe("page", integer().or_null(), ""),
        maybe("hitsPerPage", integer().or_null(), ""),
        maybe("facetsByIndex", map(list(text()).or_null()), "Facets to count in each index."),
        maybe("mergeFacets", merged.or_null(), "Merges the facet counts of all indexes."),
        maybe("distinct", text().or_null(), "Attribute; only the best hit per value is returned."),
        maybe("showPerformanceDetails", boolean(), ""),
        maybe("personalize", named("Personalize").or_null(), PERSONALIZE),
        maybe("rerank", named("Rerank").or_null(), "All indexes need a reranker of this name."),
    ])
}

/// The id of a document in requests.
pub fn document_id() -> Schema {
    any_of([text(), integer()])
}
