//! Federated searches at other instances: the queries that name a remote are sent to it together,
//! and its answer becomes one more list to merge. It is checked before use: its hits must belong to
//! the queries sent.

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use engine::search::{
    FederatedAnswer, FederatedPart, FederatedQuery, FederatedRequest, PartialAnswer, RerankRequest,
    Window, has_text,
};
use model::{Cancel, Code, ServiceError};
use serde_json::{Value, json};

use super::RemoteSearcher;
use super::ask::RemoteRequest;
use super::failover::GatheredAnswers;
use super::fan_out::{PendingAnswers, RemoteErrors};
use super::wire_answer::{RemoteAnswer, SentQueries};
use super::wire_query;

impl RemoteSearcher {
    /// Sends queries to the remotes they name. `errors` are those of remotes that cannot be asked.
    pub fn ask_federated(
        &self,
        request: &FederatedRequest,
        with_metadata: bool,
        deadline: Instant,
        errors: RemoteErrors,
    ) -> PendingAnswers<RemoteAnswer> {
        let all = 0..request.queries.len();
        self.ask_places(request, all, with_metadata, deadline, errors)
    }

    /// Sends only the queries at these places.
    pub(super) fn ask_places(
        &self,
        request: &FederatedRequest,
        places: impl Iterator<Item = usize>,
        with_metadata: bool,
        deadline: Instant,
        mut errors: RemoteErrors,
    ) -> PendingAnswers<RemoteAnswer> {
        let network = self.engine.network();
        let mut requests = Vec::new();
        for (name, places) in places_by_remote(request, places, |name| network.is_self(name)) {
            if errors.contains_key(name) {
                continue;
            }
            // A remote that is about to leave may have documents that no other has yet.
            let Some(remote) = &self.replication.address(name) else {
                let message = format!("The network has no remote `{name}`.");
                errors.insert(name.to_owned(), ServiceError::new(Code::UnknownRemote, message));
                continue;
            };
            let mut body = wire_request(request, &places);
            if let Some(recounts) = &request.recounts {
                body["recount"] = json!(recounts.get(&Some(name.to_owned())));
            }
            if request.hybrid.is_common() {
                body["hybridCourse"] = json!(request.hybrid);
            }
            let queries = || places.iter().filter_map(|&place| request.queries.get(place));
            let deadline = self.first_deadline(name, queries().map(|query| &query.scope), deadline);
            let rights = self.engine.searcher().foreign_rights_json(
                queries().map(|query| (query.index_uid.as_str(), &query.request.foreign)),
            );
            let call = RemoteRequest::new(name, remote, "/multi-search", &body, deadline)
                .with_metadata(with_metadata)
                .with_foreign_rights(rights.as_deref());
            requests.push((call, SentQueries::new(name, request, &places)));
        }
        self.ask_all(requests, errors, SentQueries::read)
    }

    /// Merges the answers of this instance and of remotes. Failed remotes are listed in the answer
    /// and do not fail it.
    pub fn federated_answer_of_all(
        &self,
        mut part: FederatedPart,
        gathered: GatheredAnswers,
        cancel: &Cancel,
    ) -> Result<FederatedAnswer, ServiceError> {
        let GatheredAnswers { request, remotes, errors } = gathered;
        part.follow(request);
        let mut primary_keys = HashMap::new();
        let mut answers: Vec<PartialAnswer> = Vec::with_capacity(remotes.len());
        for (_, remote) in remotes {
            primary_keys.extend(remote.primary_keys);
            answers.push(remote.found);
        }
        let mut answer = self.engine.searcher().federated_answer(part, answers, cancel)?;
        for (place, primary_key) in primary_keys {
            if let Some(target) = answer.targets.get_mut(place) {
                target.primary_key = Some(primary_key);
            }
        }
        answer.remote_errors = Some(errors);
        Ok(answer)
    }
}

/// Returns the remotes that queries name, with the places of these queries.
fn places_by_remote(
    request: &FederatedRequest,
    places: impl Iterator<Item = usize>,
    is_self: impl Fn(&str) -> bool,
) -> BTreeMap<&str, Vec<usize>> {
    let mut by_remote: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for place in places {
        let remote = request.queries.get(place).and_then(|query| query.remote.as_deref());
        if let Some(remote) = remote.filter(|remote| !is_self(remote)) {
            by_remote.entry(remote).or_default().push(place);
        }
    }
    by_remote
}

/// Writes the request for a remote: its queries, and hits from the first on. Facets are merged
/// here, not there.
fn wire_request(request: &FederatedRequest, places: &[usize]) -> Value {
    let end = request.depth();
    let mut federation = match request.window {
        Window::Offset { .. } => json!({"offset": 0, "limit": end}),
        Window::Page { .. } => json!({"page": 1, "hitsPerPage": end}),
    };
    let queries = places.iter().filter_map(|&place| request.queries.get(place));
    let facets: BTreeMap<&str, _> = queries
        .clone()
        .filter_map(|query| {
            let patterns = request.counted_facets().get(&query.index_uid)?;
            Some((query.index_uid.as_str(), patterns))
        })
        .collect();
    if !facets.is_empty() {
        federation["facetsByIndex"] = json!(facets);
    }
    if let Some(attribute) = &request.distinct {
        federation["distinct"] = json!(attribute);
    }
    // Each instance scores its own hits; without a text there is nothing to compare with.
    let has_text = queries.clone().any(|query| has_text(query.request.text.as_deref()));
    if let Some(RerankRequest { reranker, limit }) = request.reranking().filter(|_| has_text) {
        federation["rerank"] = json!({"reranker": reranker, "limit": limit});
    }
    let queries: Vec<Value> = queries
        .zip(places)
        .map(|(query, &place)| wire_federated_query(query, request.position(place)))
        .collect();
    json!({"federation": federation, "queries": queries})
}

fn wire_federated_query(query: &FederatedQuery, position: usize) -> Value {
    let mut wire = wire_query::query(&query.request);
    if let Some(filter) = query.scope.narrowed(query.request.filter.clone()) {
        wire.insert("filter".to_owned(), filter);
    }
    wire.insert("indexUid".to_owned(), json!(query.index_uid));
    let options = json!({"weight": query.weight, "queryPosition": position});
    wire.insert("federationOptions".to_owned(), options);
    Value::Object(wire)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::search::SearchRequest;
    use network::ShardScope;

    fn query(uid: &str, remote: Option<&str>, position: Option<usize>) -> FederatedQuery {
        FederatedQuery {
            index_uid: uid.to_owned(),
            request: SearchRequest { text: Some("salt".to_owned()), ..SearchRequest::default() },
            weight: 0.5,
            remote: remote.map(str::to_owned),
            scope: ShardScope::All,
            position,
            part_of: None,
        }
    }

    fn request() -> FederatedRequest {
        FederatedRequest {
            queries: vec![
                query("books", None, None),
                query("films", Some("b"), None),
                query("books", Some("a"), None),
                query("books", Some("b"), Some(7)),
            ],
            window: Window::Offset { offset: 30, limit: 10 },
            facets_by_index: BTreeMap::from([
                ("films".to_owned(), Some(vec!["year".to_owned()])),
                ("plays".to_owned(), None),
            ]),
            distinct: Some("title".to_owned()),
            ..FederatedRequest::default()
        }
    }

    #[test]
    fn queries_are_sent_together_to_whom_they_name() {
        let request = request();
        let by_remote = places_by_remote(&request, 0..4, |name| name == "a");
        assert_eq!(by_remote, BTreeMap::from([("b", vec![1, 3])]));
    }

    #[test]
    fn a_remote_is_asked_for_everything_up_to_the_end_of_the_window() {
        let wire = |position: usize, uid: &str| {
            json!({
                "q": "salt", "matchingStrategy": "last", "indexUid": uid,
                "federationOptions": {"weight": 0.5, "queryPosition": position},
            })
        };
        let mut request = request();
        assert_eq!(
            wire_request(&request, &[1, 3]),
            json!({
                "federation": {
                    "offset": 0, "limit": 40, "distinct": "title",
                    "facetsByIndex": {"films": ["year"]},
                },
                "queries": [wire(1, "films"), wire(7, "books")],
            })
        );
        request.window = Window::Page { page: 3, hits_per_page: 5 };
        request.distinct = None;
        assert_eq!(
            wire_request(&request, &[2])["federation"],
            json!({"page": 1, "hitsPerPage": 15})
        );
    }
}
