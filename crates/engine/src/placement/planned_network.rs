//! The network as it was when a question was planned. Documents that move are deleted only when
//! all questions that were planned before have been answered: those look for them where they were.

use std::ops::Deref;
use std::sync::Arc;

use super::network::Network;
use super::placements::Placement;

#[derive(Debug, Default)]
pub struct PlannedNetwork {
    network: Network,
    /// Held as long as the question is open; none where documents are not shared out.
    _placement: Option<Arc<Placement>>,
}

impl PlannedNetwork {
    pub(crate) fn sharded(network: Network, placement: Arc<Placement>) -> Self {
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
