//! Searches: what they take, what they answer, and what a hit shows.

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
        (
            "Personalize",
            object([always("userContext", text(), "What is known of the user, in words.")]),
        ),
        ("Rerank", rerank()),
        ("SearchAnswer", object(search_answer())),
        ("FederatedAnswer", object(federated_answer())),
        ("FacetDistribution", map(map(integer())).about("Attribute, value, count.")),
        (
            "FacetStats",
            map(object([always("min", number(), ""), always("max", number(), "")]))
                .about("Of attributes with numbers."),
        ),
        ("QueryMetadata", metadata()),
        ("Times", map(text()).about("Stages and how long each took.")),
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
            "0 is words alone, 1 meaning alone.",
        ),
        maybe("fusion", fusion(), FUSION).code(Code::InvalidSearchHybridFusion),
        maybe("k", fusion_k(), FUSION_K).code(Code::InvalidSearchHybridK),
    ])
}

/// Exactly one of the first four members says what is measured.
fn boost() -> Schema {
    let number_or_text = || any_of([number(), text()]);
    let share = || number().default(json!(0.5));
    let curve = || one_of(&["exp", "gauss", "linear"]).default(json!("exp"));
    let decay = object([
        always("attribute", text(), ""),
        always("origin", number_or_text(), "A number, `now`, or an RFC 3339 date."),
        always("scale", number_or_text(), "A number, or a duration like `30d`."),
        maybe("offset", number_or_text().default(json!(0)), "Up to here nothing is lost."),
        maybe("decay", share(), "What is left at the scale."),
        maybe("curve", curve(), ""),
    ]);
    let value = object([
        always("attribute", text(), ""),
        maybe("curve", one_of(&["linear", "log", "sqrt"]).default(json!("linear")), ""),
        maybe("max", number().or_null(), "What counts 1; none: the greatest value there is."),
    ]);
    let near = object([
        always("_geo", object([always("lat", number(), ""), always("lng", number(), "")]), ""),
        always("scale", number(), "Metres."),
        maybe("offset", number().default(json!(0)), "Metres within which nothing is lost."),
        maybe("decay", share(), "What is left at the scale."),
        maybe("curve", curve(), ""),
    ]);
    object([
        maybe("filter", named("Filter").or_null(), "Documents that it selects count 1."),
        maybe("decay", decay.or_null(), "Counts less the farther a value is from an origin."),
        maybe("value", value.or_null(), "Counts more the greater a value is."),
        maybe("near", near.or_null(), "Counts less the farther a document is from a place."),
        maybe("weight", number().between(0, 1000).default(json!(1)), "What this is multiplied by."),
    ])
}

const FUSION: &str = "How hits by words and by meaning become one list.";
const FUSION_K: &str = "Of `rrf`: the larger, the less the first ranks stand out.";

fn fusion() -> Schema {
    one_of(&["score", "rrf", "normalized"]).default(json!("score"))
}

fn fusion_k() -> Schema {
    integer().between(1, 1000).default(json!(60))
}

fn rerank() -> Schema {
    object([
        always("reranker", text(), "Name of the reranker."),
        maybe("limit", rerank_limit(), "How many of the first hits it orders."),
    ])
}

fn rerank_limit() -> Schema {
    integer().between(1, 200).default(json!(50))
}

fn rerank_report() -> Schema {
    object([
        always("reranker", text(), ""),
        always("reranked", integer(), "How many hits it scored."),
        maybe("reason", text(), "Why hits stand in the first order."),
    ])
}

/// The members of a search, in the order in which messages list them.
pub fn members() -> Vec<Member> {
    let names = || list(text()).or_null();
    let flag = || boolean().default(json!(false));
    vec![
        maybe("q", text().or_null(), "The words. None: every document.").code(Code::InvalidSearchQ),
        maybe("offset", integer().default(json!(0)), "How many hits are skipped.")
            .code(Code::InvalidSearchOffset),
        maybe("limit", integer().default(json!(20)), "How many hits at most.")
            .code(Code::InvalidSearchLimit),
        maybe("page", integer().or_null(), "Which page, from 1 on, in place of `offset`.")
            .code(Code::InvalidSearchPage),
        maybe("hitsPerPage", integer().or_null(), "Hits of a page, in place of `limit`.")
            .code(Code::InvalidSearchHitsPerPage),
        maybe("attributesToRetrieve", names(), "Fields of the hits; all that are displayed.")
            .code(Code::InvalidSearchAttributesToRetrieve),
        maybe(
            "attributesToCrop",
            names(),
            "Cut around matches in `_formatted`; `name:5` for a length.",
        )
        .code(Code::InvalidSearchAttributesToCrop),
        maybe("cropLength", integer().default(json!(10)), "Words that are left.")
            .code(Code::InvalidSearchCropLength),
        maybe("cropMarker", text().default(json!("…")), "Where text was cut off.")
            .code(Code::InvalidSearchCropMarker),
        maybe("attributesToHighlight", names(), "Matches are marked in `_formatted`.")
            .code(Code::InvalidSearchAttributesToHighlight),
        maybe("highlightPreTag", text().default(json!("<em>")), "Before a match.")
            .code(Code::InvalidSearchHighlightPreTag),
        maybe("highlightPostTag", text().default(json!("</em>")), "After a match.")
            .code(Code::InvalidSearchHighlightPostTag),
        maybe("showMatchesPosition", flag(), "Adds `_matchesPosition`.")
            .code(Code::InvalidSearchShowMatchesPosition),
        maybe("filter", named("Filter").or_null(), "See /docs/filters.")
            .code(Code::InvalidSearchFilter),
        maybe("sort", names(), "`price:asc`, `_geoPoint(45.7, 4.8):desc`.")
            .code(Code::InvalidSearchSort),
        maybe("boosts", list(named("Boost")).or_null(), "What raises documents beside the words.")
            .code(Code::InvalidSearchBoosts),
        maybe(
            "attributeWeights",
            map(number().between(0, 1000)).or_null(),
            "What attributes weigh under `bm25`.",
        )
        .code(Code::InvalidSearchAttributeWeights),
        maybe("distinct", text().or_null(), "Of documents with the same value the best one.")
            .code(Code::InvalidSearchDistinct),
        maybe("facets", names(), "Attributes whose values are counted.")
            .code(Code::InvalidSearchFacets),
        maybe(
            "matchingStrategy",
            one_of(&["last", "all", "frequency", "any"]).default(json!("last")),
            "Which words a document may lack.",
        )
        .code(Code::InvalidSearchMatchingStrategy),
        maybe("attributesToSearchOn", names(), "Only these are searched.")
            .code(Code::InvalidSearchAttributesToSearchOn),
        maybe(
            "rankingScoreThreshold",
            number().between(0, 1).or_null(),
            "Hits below are left out.",
        )
        .code(Code::InvalidSearchRankingScoreThreshold),
        maybe("locales", names(), "Languages of the query.").code(Code::InvalidSearchLocales),
        maybe("hybrid", named("Hybrid").or_null(), "How words and meaning are mixed.")
            .code(Code::InvalidSearchHybridQuery),
        maybe("vector", named("Vector").or_null(), "In place of the embedding of `q`.")
            .code(Code::InvalidSearchVector),
        maybe("retrieveVectors", flag(), "Adds `_vectors`.")
            .code(Code::InvalidSearchRetrieveVectors),
        maybe("media", anything(), "For embedders with fragments; feature `multimodal`.")
            .code(Code::InvalidSearchMedia),
        maybe("personalize", named("Personalize").or_null(), PERSONALIZE)
            .code(Code::InvalidSearchPersonalize),
        maybe("rerank", named("Rerank").or_null(), "The first hits in the order of a reranker.")
            .code(Code::InvalidSearchRerank),
        maybe("useNetwork", boolean().or_null(), "Whether remotes are asked; feature `network`.")
            .code(Code::InvalidSearchUseNetwork),
        maybe("showRankingScore", flag(), "Adds `_rankingScore`.")
            .code(Code::InvalidSearchShowRankingScore),
        maybe("showRankingScoreDetails", flag(), "Adds `_rankingScoreDetails`.")
            .code(Code::InvalidSearchShowRankingScoreDetails),
        maybe("showPerformanceDetails", flag(), "Adds `performanceDetails`.")
            .code(Code::InvalidSearchShowPerformanceDetails),
        maybe("didYouMean", flag(), "Adds a better spelling of the query, if there is one.")
            .code(Code::InvalidSearchDidYouMean),
    ]
}

/// The same in a query string, where objects have no place.
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
        maybe("hybridSemanticRatio", ratio, "0 is words alone, 1 meaning alone.")
            .code(Code::InvalidSearchSemanticRatio),
    );
    members.push(maybe("hybridFusion", fusion(), FUSION).code(Code::InvalidSearchHybridFusion));
    members.push(maybe("hybridK", fusion_k(), FUSION_K).code(Code::InvalidSearchHybridK));
    members.push(
        maybe("rerankLimit", rerank_limit(), "How many of the first hits it orders.")
            .code(Code::InvalidSearchRerank),
    );
    members
}

const PERSONALIZE: &str =
    "The hits in the order that suits a user; needs --experimental-personalization-api-key.";

/// What a search can be refused for besides its own members.
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
    // Of the provider behind `personalize`.
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
        maybe("indices", list(integer()), "Places in arrays, from the outermost."),
    ]);
    object_and_more([
        maybe("_formatted", anything(), "The document with matches marked or cut out."),
        maybe("_matchesPosition", map(list(position)), ""),
        maybe("_rankingScore", number(), "0 to 1."),
        maybe("_rerankScore", number(), "What the reranker said, with `showRankingScore`."),
        maybe("_rankingScoreDetails", map(anything()), "What each rule found."),
        maybe("_geoDistance", integer(), "Metres, where the search is sorted by distance."),
        maybe("_vectors", map(anything()), "By embedder: `embeddings` and `regenerate`."),
        maybe(
            "_federation",
            object([
                always("indexUid", text(), ""),
                always("queriesPosition", integer(), "The query that found it."),
                always("weightedRankingScore", number(), ""),
                maybe("remote", text(), ""),
            ]),
            "In federated searches.",
        ),
    ])
}

fn window() -> Vec<Member> {
    vec![
        maybe("limit", integer(), "With `offset` and `limit`."),
        maybe("offset", integer(), ""),
        maybe("estimatedTotalHits", integer(), "How many match, about."),
        maybe("hitsPerPage", integer(), "With pages."),
        maybe("page", integer(), ""),
        maybe("totalPages", integer(), ""),
        maybe("totalHits", integer(), "How many match, exactly."),
    ]
}

pub fn search_answer() -> Vec<Member> {
    let mut members = vec![
        always("hits", list(named("Hit")), ""),
        always("query", text(), "As it was sent."),
        maybe("queryVector", named("Vector"), "With `retrieveVectors`."),
        always("processingTimeMs", integer(), ""),
    ];
    members.extend(window());
    members.extend([
        maybe("facetDistribution", named("FacetDistribution"), ""),
        maybe("facetStats", named("FacetStats"), ""),
        always("requestUid", uuid(), ""),
        maybe(
            "metadata",
            named("QueryMetadata"),
            "With the header `Meili-Include-Metadata: true`.",
        ),
        maybe("performanceDetails", named("Times"), ""),
        remote_errors(),
        maybe("semanticHitCount", integer(), "Hits that were ranked by meaning."),
        maybe("didYouMean", text().or_null(), "With `didYouMean`: a spelling that finds more."),
        maybe("rerank", rerank_report(), "What became of `rerank`."),
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
        maybe("queryVectors", map(named("Vector")), "By the place of the query."),
        always("processingTimeMs", integer(), ""),
    ];
    members.extend(window());
    members.extend([
        maybe("facetDistribution", named("FacetDistribution"), "With `mergeFacets`."),
        maybe("facetStats", named("FacetStats"), ""),
        maybe("facetsByIndex", by_index, ""),
        always("requestUid", uuid(), ""),
        maybe("metadata", list(named("QueryMetadata")), "One for each query."),
        remote_errors(),
        maybe("semanticHitCount", integer(), ""),
        maybe("didYouMean", map(text().or_null()), "By the place of the query that asks."),
        maybe("rerank", rerank_report(), "What became of `rerank`."),
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
        maybe("weight", number().at_least(0).default(json!(1.0)), "What its scores count."),
        maybe("remote", text().or_null(), "Who answers it; feature `network`."),
        maybe("queryPosition", integer().or_null(), "Told in place of its own."),
    ])
}

fn federation() -> Schema {
    let merged = object([maybe("maxValuesPerFacet", integer().or_null(), "")]);
    object([
        maybe("limit", integer().default(json!(20)), ""),
        maybe("offset", integer().default(json!(0)), ""),
        maybe("page", integer().or_null(), ""),
        maybe("hitsPerPage", integer().or_null(), ""),
        maybe("facetsByIndex", map(list(text()).or_null()), "Attributes to count, by index."),
        maybe("mergeFacets", merged.or_null(), "Sums the counts of all indexes."),
        maybe("distinct", text().or_null(), "Over all indexes."),
        maybe("showPerformanceDetails", boolean(), ""),
        maybe("personalize", named("Personalize").or_null(), PERSONALIZE),
        maybe("rerank", named("Rerank").or_null(), "Each index has a reranker of that name."),
    ])
}

/// The id of a document, as requests name it.
pub fn document_id() -> Schema {
    any_of([text(), integer()])
}
