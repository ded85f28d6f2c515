//! Searches of other instances together with this one: the requests, the calls, and the meaning of
//! the answers.

mod ask;
mod documents;
mod facet_search;
mod failover;
mod fan_out;
mod federated;
mod similar;
mod single_search;
mod suggest;
mod wire_answer;
mod wire_facets;
mod wire_query;

use std::sync::Arc;
use std::time::Duration;

use crate::placement::{Availability, NetworkStore};
use crate::replication::Replication;
use crate::search::Searcher;
use crate::storage::feature_store::FeatureStore;

pub use documents::merge_documents;
pub use facet_search::{RemoteFacets, merge_facet_searches};
pub use failover::GatheredAnswers;
pub use fan_out::{FanOut, PendingAnswers, RemoteErrors};
pub use similar::{RemoteSimilar, merge_similar};
pub use single_search::{single_error, single_remote_error};
pub use suggest::{RemoteSuggestions, WireSuggestion, merge_suggestion_lists};
pub use wire_answer::{RemoteAnswer, WireCorrection, WireRerank};
pub use wire_facets::WireShown;

/// Searches the other instances of the network.
#[derive(Debug)]
pub struct RemoteSearcher {
    pub(crate) searcher: Arc<Searcher>,
    pub(crate) network: Arc<NetworkStore>,
    pub(crate) replication: Arc<Replication>,
    pub(crate) availability: Arc<Availability>,
    pub(crate) features: Arc<FeatureStore>,
    pub(crate) client: outbound::Client,
    /// Time that another instance has to answer.
    pub(crate) timeout: Duration,
}
