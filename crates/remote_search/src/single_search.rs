//! A single search of the whole network: the same query for every instance, merged as a federation,
//! and turned back into the answer to a search.

use std::collections::BTreeMap;

use engine::search::{
    Criteria, FederatedAnswer, FederatedFacets, FederatedQuery, FederatedRequest, HybridMode,
    SearchAnswer, SearchRequest, inside_query,
};
use model::{Code, ServiceError};
use network::ShardScope;

use super::RemoteSearcher;
use super::fan_out::{FanOut, RemoteErrors};

impl RemoteSearcher {
    /// Returns the search as a federation of all instances asked.
    pub fn network_search(
        &self,
        uid: &str,
        request: &SearchRequest,
        fan_out: &FanOut,
    ) -> FederatedRequest {
        let criteria = Criteria { distinct: None, ..request.criteria.clone() };
        let query = FederatedQuery {
            index_uid: uid.to_owned(),
            request: SearchRequest { criteria, facets: Vec::new(), ..request.clone() },
            weight: 1.0,
            remote: None,
            scope: ShardScope::All,
            position: Some(0),
            part_of: Some(0),
        };
        let queries = fan_out.split_query(&query);
        let mut facets_by_index = BTreeMap::new();
        if !request.facets.is_empty() && !queries.is_empty() {
            facets_by_index.insert(uid.to_owned(), Some(request.facets.clone()));
        }
        FederatedRequest {
            queries,
            window: request.window,
            facets_by_index,
            merge_facets: None,
            distinct: request.criteria.distinct.clone().or_else(|| self.distinct_setting(uid)),
            is_proxied: false,
            is_network_search: true,
            hybrid: match request.compares_sides() {
                true => HybridMode::Undecided,
                false => HybridMode::OfEach,
            },
            recounts: None,
            personalize: request.personalize(),
            rerank: request.rerank.clone(),
        }
    }

    /// Returns the answer to the search, and the errors of remotes.
    pub fn single_answer(
        &self,
        uid: &str,
        request: &SearchRequest,
        answer: FederatedAnswer,
    ) -> (SearchAnswer, RemoteErrors) {
        let of_index = match answer.facets {
            FederatedFacets::ByIndex(mut by_index) => by_index.remove(uid),
            FederatedFacets::None | FederatedFacets::Merged(_) => None,
        };
        let facets = match request.facets.is_empty() {
            true => request.no_facets(),
            // If no instance answered, nothing was counted.
            false => Some(of_index.unwrap_or_default().facets),
        };
        let vectors = answer.query_vectors.unwrap_or_default();
        let settings = self.engine.searcher().settings_of(uid);
        let most = settings.as_ref().map(|settings| settings.max_total_hits);
        let search = SearchAnswer {
            hits: answer.hits,
            total: request.reported_total(answer.total, most.unwrap_or(usize::MAX)),
            semantic_hits: answer.semantic_hits,
            query_vector: vectors.into_values().next(),
            facets,
            correction: answer.corrections.into_values().next(),
            rerank: answer.rerank,
            primary_key: answer.targets.into_iter().find_map(|target| target.primary_key),
            degraded: answer.degraded,
            elapsed: answer.elapsed,
            stages: answer.stages,
        };
        (search, answer.remote_errors.unwrap_or_default())
    }

    fn distinct_setting(&self, uid: &str) -> Option<String> {
        self.engine.searcher().settings_of(uid)?.distinct_attribute.clone()
    }
}

/// Removes the places of the federation, which the client never saw, from an error.
pub fn single_error(uid: &str, error: ServiceError) -> ServiceError {
    let mut message = error.message.as_str();
    for prefix in places_of_federation(uid) {
        message = message.strip_prefix(prefix.as_str()).unwrap_or(message);
    }
    ServiceError::new(error.code, message)
}

/// Like `single_error`, for an error of a remote, which is quoted behind words of this instance.
pub fn single_remote_error(uid: &str, error: &ServiceError) -> ServiceError {
    let mut message = error.message.clone();
    for place in places_of_federation(uid) {
        message = message.replacen(&format!(": {place}"), ": ", 1);
    }
    ServiceError::new(error.code, message)
}

fn places_of_federation(uid: &str) -> [String; 2] {
    let in_query = inside_query(ServiceError::new(Code::RemoteBadRequest, ""), 0).message;
    [in_query, format!("Inside `.federation.facetsByIndex.{uid}`: ")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_lose_the_places_of_the_federation() {
        let told = |message: &str| {
            single_error("books", ServiceError::new(Code::InvalidSearchSort, message)).message
        };
        assert_eq!(told("Inside `.queries[0]`: no"), "no");
        assert_eq!(
            told("Inside `.queries[0]`: Inside `.federation.facetsByIndex.books`: no"),
            "no"
        );
        assert_eq!(told("Inside `.queries[1]`: no"), "Inside `.queries[1]`: no");
        let quoted = |message: &str| {
            let error = ServiceError::new(Code::RemoteBadRequest, message);
            single_remote_error("books", &error).message
        };
        assert_eq!(quoted("status 400: Inside `.queries[0]`: no"), "status 400: no");
        assert_eq!(
            quoted(
                "status 400: Inside `.queries[0]`: Inside `.federation.facetsByIndex.books`: no"
            ),
            "status 400: no"
        );
        assert_eq!(quoted("status 400: no"), "status 400: no");
    }
}
