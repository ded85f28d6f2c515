//! Searches of all kinds.

use engine::search::SuggestRequest;
use model::Code;
use model::features::Feature;
use serde_json::json;

use crate::openapi::components::search::{CODES, document_id, search_answer};
use crate::openapi::operation::{Operation, get, post, remote_errors};
use crate::schema::{
    Member, always, any_of, anything, boolean, integer, list, maybe, named, number, object, one_of,
    text,
};
use crate::search_parameters::table::{facet_members, members, query_members};

pub fn all() -> Vec<Operation> {
    vec![
        searching(get("/indexes/{uid}/search", "Search with a query string"))
            .query(query_members())
            .codes(&[Code::InvalidSearchHybridQuery])
            .answers(200, named("SearchAnswer")),
        searching(post("/indexes/{uid}/search", "Search"))
            .takes(members())
            .answers(200, named("SearchAnswer")),
        facet_search(),
        suggest(),
        similar(get("/indexes/{uid}/similar", "Find similar documents with a query string"))
            .query(similar_members(true))
            .answers(200, similar_answer()),
        similar(post("/indexes/{uid}/similar", "Find similar documents"))
            .takes(similar_members(false))
            .answers(200, similar_answer()),
        multi_search(),
        render_template(),
    ]
}

fn searching(operation: Operation) -> Operation {
    operation.codes(CODES).reads_index().queues()
}

fn facet_search() -> Operation {
    let hit = object([always("value", text(), ""), always("count", integer(), "")]);
    let own = [
        always("facetName", text(), "Attribute whose values are searched.")
            .code(Code::InvalidFacetSearchFacetName),
        maybe("facetQuery", text().or_null(), "Prefix of the values to find; typos are tolerated.")
            .code(Code::InvalidFacetSearchQuery),
        maybe("exhaustiveFacetCount", boolean().or_null(), "Exact counts with `distinct`.")
            .code(Code::InvalidFacetSearchExhaustiveFacetCount),
    ];
    searching(post("/indexes/{uid}/facet-search", "Search facet values"))
        .about("Unknown fields are ignored.")
        .takes(own.into_iter().chain(facet_members()))
        .codes(&[Code::MissingFacetSearchFacetName, Code::FacetSearchDisabled])
        .answers(
            200,
            object([
                always("facetHits", list(hit), ""),
                always("facetQuery", text().or_null(), "Facet query of the request."),
                always("processingTimeMs", integer(), ""),
                remote_errors(),
            ]),
        )
}

fn suggest() -> Operation {
    let suggestion = object([
        always("text", text(), "Text of the suggestion, spelled as in the documents."),
        always("count", integer(), "Number of documents with it; estimated if large."),
    ]);
    post("/indexes/{uid}/suggest", "Complete a query")
        .about("Suggests phrases of the documents that start like the query.")
        .takes([
            maybe("q", text().or_null(), "Text typed so far. An empty query has no suggestions.")
                .code(Code::InvalidSuggestQ),
            maybe(
                "limit",
                integer()
                    .between(0, SuggestRequest::MOST as u64)
                    .default(json!(SuggestRequest::DEFAULT_LIMIT)),
                "",
            )
            .code(Code::InvalidSuggestLimit),
            maybe(
                "attribute",
                text().or_null(),
                "Source of the phrases, or `*` for all. Defaults to the first searchable one.",
            )
            .code(Code::InvalidSuggestAttribute),
            maybe("filter", named("Filter").or_null(), "Only count documents that match it.")
                .code(Code::InvalidSuggestFilter),
            maybe("useNetwork", boolean().or_null(), "Whether to search the whole network.")
                .code(Code::InvalidSearchUseNetwork),
        ])
        .codes(&[Code::FeatureNotEnabled])
        .reads_index()
        .queues()
        .answers(
            200,
            object([
                always("suggestions", list(suggestion), "Suggestions, most frequent first."),
                always("query", text(), "Query of the request."),
                always("processingTimeMs", integer(), ""),
                remote_errors(),
            ]),
        )
}

fn similar(operation: Operation) -> Operation {
    operation.reads_index().queues().codes(&[
        Code::NotFoundSimilarId,
        Code::FeatureNotEnabled,
        Code::InvalidDocumentFilter,
    ])
}

fn similar_members(is_query: bool) -> Vec<Member> {
    let flag = || boolean().default(json!(false));
    let filter = if is_query { text() } else { named("Filter").or_null() };
    let id = if is_query { text() } else { document_id() };
    vec![
        always("id", id, "ID of the document to compare with.").code(Code::InvalidSimilarId),
        maybe("offset", integer().default(json!(0)), "").code(Code::InvalidSimilarOffset),
        maybe("limit", integer().default(json!(20)), "").code(Code::InvalidSimilarLimit),
        maybe("filter", filter, "").code(Code::InvalidSimilarFilter),
        always("embedder", text(), "Embedder whose vectors are compared.")
            .code(Code::InvalidSimilarEmbedder),
        maybe("attributesToRetrieve", list(text()).or_null(), "Attributes to return.")
            .code(Code::InvalidSimilarAttributesToRetrieve),
        maybe("retrieveVectors", flag(), "").code(Code::InvalidSimilarRetrieveVectors),
        maybe("showRankingScore", flag(), "").code(Code::InvalidSimilarShowRankingScore),
        maybe("showRankingScoreDetails", flag(), "")
            .code(Code::InvalidSimilarShowRankingScoreDetails),
        maybe("showPerformanceDetails", flag(), "")
            .code(Code::InvalidSimilarShowPerformanceDetails),
        maybe(
            "rankingScoreThreshold",
            number().between(0, 1).or_null(),
            "Minimum ranking score; hits with a lower score are left out.",
        )
        .code(Code::InvalidSimilarRankingScoreThreshold),
    ]
}

fn similar_answer() -> crate::schema::Schema {
    object([
        always("hits", list(named("Hit")), ""),
        always("id", text(), ""),
        always("processingTimeMs", integer(), ""),
        always("limit", integer(), ""),
        always("offset", integer(), ""),
        always("estimatedTotalHits", integer(), ""),
        remote_errors(),
        maybe("performanceDetails", named("Times"), ""),
    ])
}

fn multi_search() -> Operation {
    let mut query = members();
    query.insert(0, always("indexUid", text(), "Index to search."));
    query.push(maybe(
        "federationOptions",
        named("FederationOptions").or_null(),
        "Options of this query in a federated search.",
    ));
    let codes: Vec<Code> = query.iter().filter_map(|member| member.code).collect();
    let mut one_of_many = search_answer();
    one_of_many.insert(0, always("indexUid", text(), ""));
    let separate = object([always("results", list(object(one_of_many)), "One result per query.")]);
    post("/multi-search", "Search with several queries")
        .about(
            "With `federation`, the hits of all queries are merged into one list. Without it, each \
             query has its own result.",
        )
        .takes([
            always("queries", list(object(query)), ""),
            maybe("federation", named("Federation").or_null(), ""),
        ])
        .codes(&codes)
        .codes(CODES)
        .codes(&[
            Code::InvalidIndexUid,
            Code::MissingIndexUid,
            Code::IndexNotFound,
            Code::InvalidMultiSearchDistinct,
            Code::InvalidMultiSearchFacetOrder,
            Code::InvalidMultiSearchFacetsByIndex,
            Code::InvalidMultiSearchFederationOptions,
            Code::InvalidMultiSearchMaxValuesPerFacet,
            Code::InvalidMultiSearchMergeFacets,
            Code::InvalidMultiSearchQueryFacets,
            Code::InvalidMultiSearchQueryPagination,
            Code::InvalidMultiSearchQueryPersonalization,
            Code::InvalidMultiSearchQueryPosition,
            Code::InvalidMultiSearchQueryRankingRules,
            Code::InvalidMultiSearchQueryShowPerformanceDetails,
            Code::InvalidMultiSearchRemote,
            Code::InvalidMultiSearchWeight,
        ])
        .named_by_body()
        .queues()
        .answers(200, any_of([separate, named("FederatedAnswer")]))
}

fn render_template() -> Operation {
    let kinds = [
        "documentTemplate",
        "chatDocumentTemplate",
        "indexingFragment",
        "searchFragment",
        "inlineDocumentTemplate",
        "inlineFragment",
    ];
    let template = object([
        always("kind", one_of(&kinds), ""),
        maybe("indexUid", text().or_null(), ""),
        maybe("embedder", text().or_null(), ""),
        maybe("fragment", text().or_null(), ""),
        maybe("inline", anything(), "Inline template."),
        maybe("documentTemplateMaxBytes", integer().at_least(1).or_null(), ""),
    ]);
    let input = object([
        always("kind", one_of(&["indexDocument", "inlineDocument", "inlineSearch"]), ""),
        maybe("indexUid", text().or_null(), ""),
        maybe("id", text().or_null(), ""),
        maybe("inline", anything(), "Inline document or query."),
    ]);
    post("/render-template", "Render a template with a document or a query")
        .takes([
            always("template", template, "").code(Code::InvalidRenderTemplate),
            maybe("input", input.or_null(), "").code(Code::InvalidRenderInput),
        ])
        .codes(&[
            Code::TemplateParsingError,
            Code::TemplateRenderingError,
            Code::RenderDocumentNotFound,
            Code::IndexNotFound,
        ])
        .needs(Feature::render_route)
        .answers(
            200,
            object([
                always("template", anything(), "Template before rendering."),
                always("rendered", anything(), "Rendered template, or null without an input."),
            ]),
        )
}
