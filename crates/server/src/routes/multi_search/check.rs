//! Checks of the queries of a federated search.

use model::features::{Feature, Features};
use model::{Code, IndexUid, ServiceError};
use network::Network;

use super::body::FederationBody;
use crate::routes::search::body::{FederationOptions, SearchBody};

/// Refuses parameters that a federated search has once for all queries.
pub fn check_query(
    uid: &IndexUid,
    body: &SearchBody,
    federation: &FederationBody,
) -> Result<(), ServiceError> {
    if let Some(field) = paging(body) {
        return refused(
            Code::InvalidMultiSearchQueryPagination,
            "Using pagination options",
            field,
            "\n - Hint: pass `federation.limit` and `federation.offset` for pagination in \
             federated search",
        );
    }
    if let Some(facets) = body.facets.as_ref().filter(|facets| !facets.is_empty()) {
        return refused(
            Code::InvalidMultiSearchQueryFacets,
            "Using facet options",
            "facets",
            &format!(
                "\n - Hint: pass `federation.facetsByIndex.{uid}: {facets:?}` for facets in \
                 federated search"
            ),
        );
    }
    if body.personalize.is_some() {
        return refused(
            Code::InvalidMultiSearchQueryPersonalization,
            "Using `.personalize`",
            "personalize",
            "\n - Hint: pass `federation.personalize` for personalization in federated search",
        );
    }
    if body.rerank.is_some() {
        return refused(
            Code::InvalidSearchRerank,
            "Using `.rerank`",
            "rerank",
            "\n - Hint: pass `federation.rerank` for reranking in federated search",
        );
    }
    if body.show_performance_details.0.is_some() {
        return refused(
            Code::InvalidMultiSearchQueryShowPerformanceDetails,
            "Using `.showPerformanceDetails`",
            "showPerformanceDetails",
            "",
        );
    }
    if body.distinct.is_some() && federation.distinct.is_some() {
        return Err(ServiceError::new(
            Code::InvalidMultiSearchDistinct,
            "Using `distinct` options is not allowed in federated queries when it also appears in \
             `.federation.distinct`.\n - Hint: remove `distinct` from the query or remove \
             `federation` from the request\n  - Note: `distinct` at the query level is \
             discouraged in federated search.",
        ));
    }
    Ok(())
}

/// Returns the first pagination parameter.
fn paging(body: &SearchBody) -> Option<&'static str> {
    let fields = [
        ("offset", body.offset.0.is_some()),
        ("limit", body.limit.0.is_some()),
        ("page", body.page.is_some()),
        ("hitsPerPage", body.hits_per_page.is_some()),
    ];
    fields.into_iter().find_map(|(name, is_sent)| is_sent.then_some(name))
}

fn refused(code: Code, what: &str, field: &str, hint: &str) -> Result<(), ServiceError> {
    Err(ServiceError::new(
        code,
        format!(
            "{what} is not allowed in federated queries.\n - Hint: remove `{field}` from the \
             query or remove `federation` from the request{hint}"
        ),
    ))
}

/// Checks whether a query may be sent to the instance that it names.
pub fn check_options(
    options: &FederationOptions,
    use_network: Option<bool>,
    features: &Features,
    network: &Network,
) -> Result<(), ServiceError> {
    if let Some(remote) = &options.remote {
        features.check(Feature::network, "Performing a remote federated search")?;
        if use_network.is_some() {
            return Err(ServiceError::new(
                Code::InvalidMultiSearchFederationOptions,
                "Using `federationOptions.remote` is not allowed together with `useNetwork`.\n - \
                 Hint: remove one of them from the query",
            ));
        }
        if !network.is_self(remote) && !network.remotes.contains_key(remote) {
            return Err(ServiceError::new(
                Code::InvalidMultiSearchRemote,
                format!(
                    "Invalid `.federation_options.remote`: remote `{remote}` is not registered"
                ),
            ));
        }
    }
    if options.query_position.is_some() {
        features.check(Feature::network, "Using `federationOptions.queryPosition`")?;
    }
    Ok(())
}
