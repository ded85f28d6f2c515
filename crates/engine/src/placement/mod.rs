//! Where documents are: the network, how its shards are assigned to members, and which part of the
//! documents this instance holds and is asked for.

mod asked_network;
mod assignment;
mod availability;
mod left_behind;
mod network;
mod placements;
mod plan;
mod shard_sets;
mod share;
mod store;

pub use asked_network::AskedNetwork;
pub(crate) use assignment::Assignment;
pub(crate) use availability::Availability;
pub(crate) use left_behind::LeftBehind;
pub use network::{Network, Remote, Shards};
pub(crate) use placements::{Placement, Placements};
pub(crate) use plan::{ShardPlan, any_of};
pub use share::Share;
pub(crate) use store::NetworkStore;
