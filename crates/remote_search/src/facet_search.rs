//! Facet search on a network: each instance sends all values it finds, and the counts are summed up
//! here.

use engine::search::{FacetSearchAnswer, FacetSearchRequest};
use network::ShardScope;
use search::facets::{FacetDisplay, merge_found};
use serde::Deserialize;
use serde_json::json;

use super::RemoteSearcher;
use super::ask::parse;
use super::fan_out::{FanOut, PendingAnswers};
use super::wire_facets::WireShown;
use super::wire_query::criteria;

/// Answer of a remote to a facet search.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteFacets {
    facet_hits: Vec<FacetHit>,
    shown: WireShown,
}

#[derive(Debug, Deserialize)]
struct FacetHit {
    value: String,
    count: u64,
}

impl RemoteSearcher {
    /// Sends the facet search to the others.
    pub fn ask_facet_search(
        &self,
        fan_out: &FanOut,
        uid: &str,
        request: &FacetSearchRequest,
    ) -> PendingAnswers<RemoteFacets> {
        let body = |scope: &ShardScope| {
            let mut among = request.among.clone();
            among.filter = scope.narrowed(among.filter);
            let mut body = criteria(&among);
            body.insert("facetName".to_owned(), json!(request.facet));
            body.insert("facetQuery".to_owned(), json!(request.text));
            body.insert("exhaustiveFacetCount".to_owned(), json!(request.exhaustive));
            body.into()
        };
        self.ask_others(fan_out, (uid, &request.among.foreign), "facet-search", body, parse)
    }
}

/// Merges the answers. The order of values follows the settings here, or those of the first remote
/// where this instance was not asked.
pub fn merge_facet_searches(
    request: &FacetSearchRequest,
    own: Option<FacetSearchAnswer>,
    remotes: Vec<(String, RemoteFacets)>,
) -> Vec<(String, u64)> {
    let first = remotes.first().map(|(_, facets)| FacetDisplay::from(facets.shown));
    let Some(shown) = own.as_ref().map(|own| own.shown).or(first) else { return Vec::new() };
    let found = remotes.into_iter().map(|(_, facets)| {
        facets.facet_hits.into_iter().map(|hit| (hit.value, hit.count)).collect()
    });
    let own = own.into_iter().map(|own| own.hits);
    merge_found(own.chain(found), shown, request.text.is_some())
}
