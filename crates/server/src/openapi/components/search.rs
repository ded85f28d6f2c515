//! Schemas of searches: parameters, answers and hits.

use model::Code;
use serde_json::json;

use super::{Named, Schema};
use crate::openapi::operation::remote_errors;
use crate::openapi::schema::{
    Member, always, any_of, anything, boolean, integer, list, map, maybe, named, number, object,
    object_and_more, one_of, text, uuid,
};

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
        always("embedder", text(), "Name of the embedder."),
        maybe(
            "semanticRatio",
            number().between(0, 1).default(json!(0.5)),
            "From 0, only full-text, to 1, only semantic.",
        ),
        maybe("fusion", fusion(), FUSION).code(Code::InvalidSearchHybridFusion),
        maybe("k", fusion_k(), FUSION_K).code(Code::InvalidSearchHybridK),
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

const FUSION: &str = "How full-text and semantic hits are merged.";
const FUSION_K: &str = "Constant of `rrf`; larger values reduce the influence of the top ranks.";

fn fusion() -> Schema {
    one_of(&["score", "rrf", "normalized"]).default(json!("score"))
}

fn fusion_k() -> Schema {
    integer().between(1, 1000).default(json!(60))
}

fn rerank() -> Schema {
    object([
        always("reranker", text(), "Name of the reranker."),
        maybe("limit", rerank_limit(), "Number of top hits to rerank."),
    ])
}

fn rerank_limit() -> Schema {
    integer().between(1, 200).default(json!(50))
}

fn rerank_report() -> Schema {
    object([
        always("reranker", text(), ""),
        always("reranked", integer(), "Number of hits that were reranked."),
        maybe("reason", text(), "Why the hits were not reranked."),
    ])
}

/// Returns the members of a search, in the order in which messages list them.
pub fn members() -> Vec<Member> {
    let names = || list(text()).or_null();
    let flag = || boolean().default(json!(false));
    vec![
        maybe("q", text().or_null(), "Query text. Empty returns all documents.")
            .code(Code::InvalidSearchQ),
        maybe("offset", integer().default(json!(0)), "Number of hits to skip.")
            .code(Code::InvalidSearchOffset),
        maybe("limit", integer().default(json!(20)), "Maximum number of hits to return.")
            .code(Code::InvalidSearchLimit),
        maybe("page", integer().or_null(), "Page number, starting at 1; replaces `offset`.")
            .code(Code::InvalidSearchPage),
        maybe("hitsPerPage", integer().or_null(), "Number of hits per page; replaces `limit`.")
            .code(Code::InvalidSearchHitsPerPage),
        maybe("attributesToRetrieve", names(), "Attributes to return; all displayed by default.")
            .code(Code::InvalidSearchAttributesToRetrieve),
        maybe(
            "attributesToCrop",
            names(),
            "Attributes to crop around matches in `_formatted`; `name:5` sets the length.",
        )
        .code(Code::InvalidSearchAttributesToCrop),
        maybe("cropLength", integer().default(json!(10)), "Length of cropped text, in words.")
            .code(Code::InvalidSearchCropLength),
        maybe("cropMarker", text().default(json!("…")), "Marker of text that was cut off.")
            .code(Code::InvalidSearchCropMarker),
        maybe("attributesToHighlight", names(), "Attributes to highlight in `_formatted`.")
            .code(Code::InvalidSearchAttributesToHighlight),
        maybe("highlightPreTag", text().default(json!("<em>")), "Tag before a match.")
            .code(Code::InvalidSearchHighlightPreTag),
        maybe("highlightPostTag", text().default(json!("</em>")), "Tag after a match.")
            .code(Code::InvalidSearchHighlightPostTag),
        maybe("showMatchesPosition", flag(), "Whether to return `_matchesPosition`.")
            .code(Code::InvalidSearchShowMatchesPosition),
        maybe("filter", named("Filter").or_null(), "Filter expression, see /docs/filters.")
            .code(Code::InvalidSearchFilter),
        maybe("sort", names(), "Sort order, such as `price:asc` or `_geoPoint(45.7, 4.8):desc`.")
            .code(Code::InvalidSearchSort),
        maybe("boosts", list(named("Boost")).or_null(), "Boosts besides the query text.")
            .code(Code::InvalidSearchBoosts),
        maybe(
            "attributeWeights",
            map(number().between(0, 1000)).or_null(),
            "Weights of attributes in the ranking rule `bm25`.",
        )
        .code(Code::InvalidSearchAttributeWeights),
        maybe("distinct", text().or_null(), "Attribute; only the best hit per value is returned.")
            .code(Code::InvalidSearchDistinct),
        maybe("facets", names(), "Attributes whose values are counted among the matches.")
            .code(Code::InvalidSearchFacets),
        maybe(
            "matchingStrategy",
            one_of(&["last", "all", "frequency", "any"]).default(json!("last")),
            "Which words of the query a document may lack.",
        )
        .code(Code::InvalidSearchMatchingStrategy),
        maybe("attributesToSearchOn", names(), "Attributes to search; all searchable by default.")
            .code(Code::InvalidSearchAttributesToSearchOn),
        maybe(
            "rankingScoreThreshold",
            number().between(0, 1).or_null(),
            "Minimum ranking score; hits with a lower score are left out.",
        )
        .code(Code::InvalidSearchRankingScoreThreshold),
        maybe("locales", names(), "Languages of the query.").code(Code::InvalidSearchLocales),
        maybe("hybrid", named("Hybrid").or_null(), "Options of hybrid search.")
            .code(Code::InvalidSearchHybridQuery),
        maybe("vector", named("Vector").or_null(), "Query vector instead of the embedding of `q`.")
            .code(Code::InvalidSearchVector),
        maybe("retrieveVectors", flag(), "Whether to return `_vectors`.")
            .code(Code::InvalidSearchRetrieveVectors),
        maybe("media", anything(), "For embedders with fragments. Needs the feature `multimodal`.")
            .code(Code::InvalidSearchMedia),
        maybe("personalize", named("Personalize").or_null(), PERSONALIZE)
            .code(Code::InvalidSearchPersonalize),
        maybe("rerank", named("Rerank").or_null(), "Reranks the top hits.")
            .code(Code::InvalidSearchRerank),
        maybe("useNetwork", boolean().or_null(), "Whether to search the whole network.")
            .code(Code::InvalidSearchUseNetwork),
        maybe("showRankingScore", flag(), "Whether to return `_rankingScore`.")
            .code(Code::InvalidSearchShowRankingScore),
        maybe("showRankingScoreDetails", flag(), "Whether to return `_rankingScoreDetails`.")
            .code(Code::InvalidSearchShowRankingScoreDetails),
        maybe("showPerformanceDetails", flag(), "Whether to return `performanceDetails`.")
            .code(Code::InvalidSearchShowPerformanceDetails),
        maybe("didYouMean", flag(), "Whether to suggest a better spelling of the query.")
            .code(Code::InvalidSearchDidYouMean),
    ]
}

/// Returns the parameters of a search in a query string, which cannot contain objects.
pub fn query_members() -> Vec<Member> {
    let mut members = members();
    members.retain(|member| member.name != "media");
    for member in &mut members {
        match member.name {
            "hybrid" => {
                *member = maybe("hybridEmbedder", text(), "Name of the embedder.")
                    .code(Code::InvalidSearchEmbedder);
            }
            "personalize" => {
                *member = maybe("personalizeUserContext", text(), PERSONALIZE)
                    .code(Code::InvalidSearchPersonalizeUserContext);
            }
            "rerank" => {
                *member = maybe("rerankReranker", text(), "Name of the reranker.")
                    .code(Code::InvalidSearchRerank);
            }
            "filter" | "boosts" | "attributeWeights" => member.schema = text(),
            "vector" => member.schema = list(number()),
            _ => {}
        }
    }
    let ratio = number().between(0, 1).default(json!(0.5));
    members.push(
        maybe("hybridSemanticRatio", ratio, "From 0, only full-text, to 1, only semantic.")
            .code(Code::InvalidSearchSemanticRatio),
    );
    members.push(maybe("hybridFusion", fusion(), FUSION).code(Code::InvalidSearchHybridFusion));
    members.push(maybe("hybridK", fusion_k(), FUSION_K).code(Code::InvalidSearchHybridK));
    members.push(
        maybe("rerankLimit", rerank_limit(), "Number of top hits to rerank.")
            .code(Code::InvalidSearchRerank),
    );
    members
}

const PERSONALIZE: &str =
    "Reranks the hits for a user. Needs `--experimental-personalization-api-key`.";

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
