//! The network: other instances that are searched together with this one.

mod ask;
mod asked_network;
mod availability;
mod change;
mod control;
mod documents;
mod facet_search;
mod failover;
mod fan_out;
mod quoted;
mod remote_search;
mod sharding;
mod share;
mod similar;
mod single_search;
mod store;
mod suggest;
mod topology;
mod wire_answer;
mod wire_facets;
mod wire_query;

use std::sync::Arc;

use model::ServiceError;
use tasks::{Origin, Task};

use crate::Engine;

pub(crate) use availability::Availability;
pub use change::{NetworkChange, RemoteChange, ShardChange};
pub use control::{ControlMessage, ControlNotice, ControlOrigin};
pub use documents::merge_documents;
pub use facet_search::{RemoteFacets, merge_facet_searches};
pub use failover::Gathered;
pub use fan_out::{Asked, FanOut, RemoteErrors};
pub use sharding::{DeliveredChange, ImportedPart};
pub(crate) use sharding::{Members, Placement, Placements, Sharding, TopologyRun};
pub use share::Share;
pub use similar::{RemoteSimilar, merge_similar};
pub use single_search::{single_error, single_remote_error};
pub(crate) use store::NetworkStore;
pub use suggest::{RemoteSuggestions, WireSuggestion, merge_suggestion_lists};
pub use topology::{Network, Remote, Shards};
pub use wire_answer::{RemoteAnswer, WireCorrection, WireRerank};
pub use wire_facets::WireShown;

impl Engine {
    pub fn network(&self) -> Arc<Network> {
        self.network.current()
    }

    /// Whether a remote is asked at present, or left alone because it failed lately.
    pub fn is_remote_available(&self, remote: &str) -> bool {
        self.availability.is_available(remote)
    }

    /// The network as it will be, and the task that makes it so, where documents are shared out.
    pub fn change_network(
        &self,
        change: NetworkChange,
    ) -> Result<(Arc<Network>, Option<Task>), ServiceError> {
        self.sharding.change(change)
    }

    /// Takes a change that the leader hands on to all members.
    pub fn take_network_change(
        &self,
        origin: Origin,
        change: DeliveredChange,
    ) -> Result<Task, ServiceError> {
        self.sharding.take_change(origin, change, &self.instance)
    }

    /// Takes documents that are moved here while the network changes.
    pub fn take_moved_documents(
        &self,
        origin: &Origin,
        part: ImportedPart,
    ) -> Result<(), ServiceError> {
        self.sharding.take_part(origin, part)
    }

    /// Whether a write would be taken in: where documents are shared out, only the leader takes
    /// those of clients, and the others those that it hands on.
    pub fn check_writable(&self, origin: Option<&Origin>) -> Result<(), ServiceError> {
        self.sharding.check_writable(origin)
    }
}
