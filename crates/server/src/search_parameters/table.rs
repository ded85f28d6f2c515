//! Each parameter of a search, once. The bodies of searches, the query string and their descriptions
//! in the OpenAPI document follow from this table, in its order, which messages show too.
//!
//! A row has the name, the form (`parameter.rs` says what follows from it), the default, the error
//! code and a line of help. `#[facet_search]` marks a parameter of facet searches, `#[own]` one that
//! Meilisearch does not have. A parameter that a query string cannot contain lists the parameters
//! that it is assembled from there, if any.

use deserr::{Deserr, ValuePointerRef};
use model::limits::DEFAULT_PAGE_LIMIT;
use model::{Code, IndexUid, ServiceError};
use serde_json::json;

use super::body::{
    DEFAULT_CROP_LENGTH, DEFAULT_CROP_MARKER, DEFAULT_POST_TAG, DEFAULT_PRE_TAG, FederationOptions,
    Hybrid, Personalize, Rerank,
};
use super::fusion::{FusionK, FusionName};
use super::in_query::{Assembled, InQuery};
use super::parameter::{AttributeWeights, Boosts, Filter, Media, Parameter, Sort, WithDefault};
use super::values::{Explicit, Locale, MatchingStrategy, RerankLimit, SemanticRatio, Threshold};
use crate::http::field_error::{FieldError, body_code, query_code};
use crate::http::json::BodyError;
use crate::http::query::QueryError;
use crate::schema::{Member, camel_case, maybe};

pub const PERSONALIZE: &str =
    "Reranks the hits for a user. Needs `--experimental-personalization-api-key`.";
pub const FUSION: &str = "How full-text and semantic hits are merged.";
pub const FUSION_K: &str =
    "Constant of `rrf`; larger values reduce the influence of the top ranks.";
pub const SEMANTIC_RATIO: &str = "From 0, only full-text, to 1, only semantic.";
pub const RERANK_LIMIT: &str = "Number of top hits to rerank.";
pub const EMBEDDER: &str = "Name of the embedder.";
pub const RERANKER: &str = "Name of the reranker.";

/// Reads the rows one by one and sorts them into those of bodies, of the query string, of what both
/// have, of what is assembled from parts, and of facet searches.
macro_rules! parameters {
    (
        { $bodies:tt $query:tt $plain:tt $assembled:tt [$($facet:tt)*] }
        #[facet_search] $name:ident: $form:ty, $code:ident, $help:expr
            $(, in query { $($part:tt)* })?; $($rest:tt)*
    ) => {
        parameters! {
            { $bodies $query $plain $assembled [$($facet)* ($name [$form] [] $code $help)] }
            $name: $form, $code, $help $(, in query { $($part)* })?; $($rest)*
        }
    };
    (
        { [$($bodies:tt)*] [$($query:tt)*] $plain:tt [$($assembled:tt)*] $facet:tt }
        $(#[$own:ident])? $name:ident: $form:ty, $code:ident, $help:expr, in query {
            $($(#[$first_own:ident])? $first:ident: $first_form:ty, $first_code:ident, $first_help:expr;
            $($(#[$part_own:ident])? $part:ident: $part_form:ty, $part_code:ident, $part_help:expr;)*)?
        }; $($rest:tt)*
    ) => {
        parameters! {
            {
                [$($bodies)* ($name [$form] [] $code $help $($own)?)]
                [
                    $($query)*
                    $(($first [$first_form] [] $first_code $first_help 0 $($first_own)?)
                    $(($part [$part_form] [] $part_code $part_help 1 $($part_own)?))*)?
                ]
                $plain
                [$($assembled)* ($name [$form])]
                $facet
            }
            $($rest)*
        }
    };
    (
        { [$($bodies:tt)*] [$($query:tt)*] [$($plain:tt)*] $assembled:tt $facet:tt }
        $(#[$own:ident])? $name:ident: $form:ty $(= $default:expr)?, $code:ident, $help:expr;
        $($rest:tt)*
    ) => {
        parameters! {
            {
                [$($bodies)* ($name [$form] [$($default)?] $code $help $($own)?)]
                [$($query)* ($name [$form] [$($default)?] $code $help 0 $($own)?)]
                [$($plain)* ($name [$form] [$($default)?])]
                $assembled
                $facet
            }
            $($rest)*
        }
    };
    ({ $($rows:tt)* }) => { types! { $($rows)* } };
}

/// Makes the types and the descriptions from the sorted rows.
macro_rules! types {
    (
        [$(($name:ident [$form:ty] [$($default:expr)?] $code:ident $help:tt $($own:ident)?))*]
        [$((
            $query:ident [$query_form:ty] [$($query_default:expr)?] $query_code:ident
            $query_help:tt $place:tt $($query_own:ident)?
        ))*]
        [$(($plain:ident [$plain_form:ty] [$($plain_default:expr)?]))*]
        [$(($assembled:ident [$assembled_form:ty]))*]
        [$(($facet:ident [$facet_form:ty] [] $facet_code:ident $facet_help:tt))*]
    ) => {
        /// The JSON body of a search. Query strings are converted to it.
        #[derive(Debug, Deserr)]
        #[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields = unknown_field)]
        pub struct SearchBody {
            $(
                #[deserr(
                    default $(= <$form as WithDefault>::unsent($default))?,
                    error = body_code!($code)
                )]
                pub $name: <$form as Parameter>::Value,
            )*
        }

        /// A query of a multi-search.
        #[derive(Debug, Deserr)]
        #[deserr(error = BodyError, rename_all = camelCase, deny_unknown_fields = unknown_field)]
        pub struct QueryBody {
            #[deserr(error = body_code!(InvalidIndexUid), missing_field_error = missing_index_uid)]
            pub index_uid: IndexUid,
            $(
                #[deserr(
                    default $(= <$form as WithDefault>::unsent($default))?,
                    error = body_code!($code)
                )]
                pub $name: <$form as Parameter>::Value,
            )*
            #[deserr(default)]
            pub federation_options: Option<FederationOptions>,
        }

        impl QueryBody {
            /// Returns the query position to show in hits, if it differs from the index of the
            /// query.
            pub fn position(&self) -> Option<usize> {
                self.federation_options.as_ref()?.query_position
            }

            pub fn into_parts(self) -> (IndexUid, SearchBody, Option<FederationOptions>) {
                let body = SearchBody { $($name: self.$name,)* };
                (self.index_uid, body, self.federation_options)
            }
        }

        /// The query string of a search.
        #[derive(Debug, Deserr)]
        #[deserr(
            error = QueryError, rename_all = camelCase, deny_unknown_fields = unknown_parameter
        )]
        pub struct SearchParameters {
            $(
                #[deserr(default, error = query_code!($query_code))]
                pub $query: Option<<$query_form as InQuery>::Form>,
            )*
        }

        impl SearchParameters {
            pub fn into_body(self) -> Result<SearchBody, ServiceError> {
                $(let $assembled = <$assembled_form as Assembled>::assembled(&self)?;)*
                Ok(SearchBody {
                    $($assembled,)*
                    $($plain: match self.$plain {
                        Some(sent) => <$plain_form as InQuery>::read(sent),
                        None => first!(
                            $(<$plain_form as WithDefault>::unsent($plain_default),)?
                            Default::default()
                        ),
                    },)*
                })
            }
        }

        /// The body of a facet search.
        #[derive(Debug, Deserr)]
        #[deserr(error = BodyError, rename_all = camelCase)]
        pub struct FacetSearchBody {
            #[deserr(default, error = body_code!(InvalidFacetSearchQuery))]
            pub facet_query: Option<String>,
            #[deserr(
                error = body_code!(InvalidFacetSearchFacetName),
                missing_field_error = missing_facet_name
            )]
            pub facet_name: String,
            #[deserr(default, error = body_code!(InvalidFacetSearchExhaustiveFacetCount))]
            pub exhaustive_facet_count: Option<bool>,
            $(
                #[deserr(default, error = body_code!($facet_code))]
                pub $facet: <$facet_form as Parameter>::Value,
            )*
        }

        /// Describes the members of a body.
        pub fn members() -> Vec<Member> {
            vec![$(
                maybe(
                    &camel_case(stringify!($name)),
                    <$form as Parameter>::schema()$(.default(json!($default)))?,
                    $help,
                )
                .code(Code::$code),
            )*]
        }

        /// Describes the parameters of a query string. Of an object, all parts but the first stand
        /// at the end.
        pub fn query_members() -> Vec<Member> {
            let mut members = vec![$((
                $place,
                maybe(
                    &camel_case(stringify!($query)),
                    <$query_form as InQuery>::schema()$(.default(json!($query_default)))?,
                    $query_help,
                )
                .code(Code::$query_code),
            ),)*];
            members.sort_by_key(|(place, _)| *place);
            members.into_iter().map(|(_, member)| member).collect()
        }

        /// Describes the members that the body of a facet search shares with that of a search.
        pub fn facet_members() -> Vec<Member> {
            vec![$(
                maybe(
                    &camel_case(stringify!($facet)),
                    <$facet_form as Parameter>::schema(),
                    $facet_help,
                )
                .code(Code::$facet_code),
            )*]
        }

        /// Names of parameters, each with whether Meilisearch lacks it.
        const NAMES: &[(&str, bool)] = &[
            $((stringify!($name), first!($(is_own!($own),)? false)),)*
            $((stringify!($query), first!($(is_own!($query_own),)? false)),)*
        ];
    };
}

macro_rules! first {
    ($first:expr $(, $rest:expr)*) => {
        $first
    };
}

macro_rules! is_own {
    (own) => {
        true
    };
}

parameters! {
    { [] [] [] [] [] }
    #[facet_search]
    q: Option<String>, InvalidSearchQ, "Query text. Empty returns all documents.";
    offset: Explicit<usize> = 0, InvalidSearchOffset, "Number of hits to skip.";
    limit: Explicit<usize> = DEFAULT_PAGE_LIMIT, InvalidSearchLimit,
        "Maximum number of hits to return.";
    page: Option<usize>, InvalidSearchPage, "Page number, starting at 1; replaces `offset`.";
    hits_per_page: Option<usize>, InvalidSearchHitsPerPage,
        "Number of hits per page; replaces `limit`.";
    attributes_to_retrieve: Option<Vec<String>>, InvalidSearchAttributesToRetrieve,
        "Attributes to return; all displayed by default.";
    attributes_to_crop: Option<Vec<String>>, InvalidSearchAttributesToCrop,
        "Attributes to crop around matches in `_formatted`; `name:5` sets the length.";
    crop_length: usize = DEFAULT_CROP_LENGTH, InvalidSearchCropLength,
        "Length of cropped text, in words.";
    crop_marker: String = DEFAULT_CROP_MARKER, InvalidSearchCropMarker,
        "Marker of text that was cut off.";
    attributes_to_highlight: Option<Vec<String>>, InvalidSearchAttributesToHighlight,
        "Attributes to highlight in `_formatted`.";
    highlight_pre_tag: String = DEFAULT_PRE_TAG, InvalidSearchHighlightPreTag,
        "Tag before a match.";
    highlight_post_tag: String = DEFAULT_POST_TAG, InvalidSearchHighlightPostTag,
        "Tag after a match.";
    show_matches_position: bool = false, InvalidSearchShowMatchesPosition,
        "Whether to return `_matchesPosition`.";
    #[facet_search]
    filter: Filter, InvalidSearchFilter, "Filter expression, see /docs/filters.";
    sort: Option<Sort>, InvalidSearchSort,
        "Sort order, such as `price:asc` or `_geoPoint(45.7, 4.8):desc`.";
    #[own]
    boosts: Option<Boosts>, InvalidSearchBoosts, "Boosts besides the query text.";
    #[own]
    attribute_weights: Option<AttributeWeights>, InvalidSearchAttributeWeights,
        "Weights of attributes in the ranking rule `bm25`.";
    distinct: Option<String>, InvalidSearchDistinct,
        "Attribute; only the best hit per value is returned.";
    facets: Option<Vec<String>>, InvalidSearchFacets,
        "Attributes whose values are counted among the matches.";
    #[facet_search]
    matching_strategy: MatchingStrategy, InvalidSearchMatchingStrategy,
        "Which words of the query a document may lack.";
    #[facet_search]
    attributes_to_search_on: Option<Vec<String>>, InvalidSearchAttributesToSearchOn,
        "Attributes to search; all searchable by default.";
    #[facet_search]
    ranking_score_threshold: Option<Threshold>, InvalidSearchRankingScoreThreshold,
        "Minimum ranking score; hits with a lower score are left out.";
    #[facet_search]
    locales: Option<Vec<Locale>>, InvalidSearchLocales, "Languages of the query.";
    #[facet_search]
    hybrid: Option<Hybrid>, InvalidSearchHybridQuery, "Options of hybrid search.", in query {
        hybrid_embedder: Option<String>, InvalidSearchEmbedder, EMBEDDER;
        hybrid_semantic_ratio: Option<SemanticRatio>, InvalidSearchSemanticRatio, SEMANTIC_RATIO;
        #[own]
        hybrid_fusion: Option<FusionName>, InvalidSearchHybridFusion, FUSION;
        #[own]
        hybrid_k: Option<FusionK>, InvalidSearchHybridK, FUSION_K;
    };
    #[facet_search]
    vector: Option<Vec<f32>>, InvalidSearchVector, "Query vector instead of the embedding of `q`.";
    retrieve_vectors: bool = false, InvalidSearchRetrieveVectors, "Whether to return `_vectors`.";
    #[facet_search]
    media: Media, InvalidSearchMedia,
        "For embedders with fragments. Needs the feature `multimodal`.", in query {};
    personalize: Option<Personalize>, InvalidSearchPersonalize, PERSONALIZE, in query {
        personalize_user_context: Option<String>, InvalidSearchPersonalizeUserContext, PERSONALIZE;
    };
    #[own]
    rerank: Option<Rerank>, InvalidSearchRerank, "Reranks the top hits.", in query {
        #[own]
        rerank_reranker: Option<String>, InvalidSearchRerank, RERANKER;
        #[own]
        rerank_limit: Option<RerankLimit>, InvalidSearchRerank, RERANK_LIMIT;
    };
    #[facet_search]
    use_network: Option<bool>, InvalidSearchUseNetwork, "Whether to search the whole network.";
    show_ranking_score: bool = false, InvalidSearchShowRankingScore,
        "Whether to return `_rankingScore`.";
    show_ranking_score_details: bool = false, InvalidSearchShowRankingScoreDetails,
        "Whether to return `_rankingScoreDetails`.";
    show_performance_details: Explicit<bool> = false, InvalidSearchShowPerformanceDetails,
        "Whether to return `performanceDetails`.";
    #[own]
    did_you_mean: bool = false, InvalidSearchDidYouMean,
        "Whether to suggest a better spelling of the query.";
}

fn missing_index_uid(field: &str, at: ValuePointerRef<'_>) -> body_code!(MissingIndexUid) {
    FieldError::missing(field, at)
}

fn missing_facet_name(
    field: &str,
    at: ValuePointerRef<'_>,
) -> body_code!(MissingFacetSearchFacetName) {
    FieldError::missing(field, at)
}

fn unknown_field(key: &str, accepted: &[&str], at: ValuePointerRef<'_>) -> BodyError {
    FieldError::unknown(key, &of_reference(accepted), at)
}

fn unknown_parameter(key: &str, accepted: &[&str], at: ValuePointerRef<'_>) -> QueryError {
    FieldError::unknown(key, &of_reference(accepted), at)
}

/// Returns the names that Meilisearch has too. Clients compare its messages, so these list no others.
fn of_reference<'a>(accepted: &[&'a str]) -> Vec<&'a str> {
    let own = NAMES.iter().filter(|(_, is_own)| *is_own);
    let own: Vec<String> = own.map(|(name, _)| camel_case(name)).collect();
    accepted.iter().copied().filter(|name| own.iter().all(|own| own != name)).collect()
}
