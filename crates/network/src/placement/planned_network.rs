//! The network as of the planning of a query. Moved documents are deleted only when all queries
//! planned before are answered: those look for them in the old place.

use std::ops::Deref;
use std::sync::Arc;

use super::network::Network;
use super::placements::Placement;

#[derive(Debug, Default)]
pub struct PlannedNetwork {
    network: Network,
    /// Held while the query is open; none without sharding.
    _placement: Option<Arc<Placement>>,
}

impl PlannedNetwork {
    pub fn sharded(network: Network, placement: Arc<Placement>) -> Self {
        Self { network, _placement: Some(placement) }
    }
}

impl From<Network> for PlannedNetwork {
    fn from(network: Network) -> Self {
        Self { network, _placement: None }
    }
}

impl Deref for PlannedNetwork {
    type Target = Network;

    fn deref(&self) -> &Network {
        &self.network
    }
}

impl PartialEq for PlannedNetwork {
    fn eq(&self, other: &Self) -> bool {
        self.network == other.network
    }
}
