//! Searches of other instances together with this one: the requests, the calls, and the meaning of
//! the answers. It stands above the engine, which searches here and knows no other instance.

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

use engine::Engine;
use network::{Availability, Replication};

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
    engine: Arc<Engine>,
    replication: Arc<Replication>,
    availability: Arc<Availability>,
    client: outbound::Client,
    /// Time that another instance has to answer.
    timeout: Duration,
}

impl RemoteSearcher {
    pub fn new(engine: &Arc<Engine>) -> Self {
        let replication = Arc::clone(engine.replication());
        Self {
            engine: Arc::clone(engine),
            availability: Arc::clone(replication.availability()),
            client: replication.client().clone(),
            timeout: engine.remote_search_timeout(),
            replication,
        }
    }

    /// Returns the engine of this instance.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }
}
