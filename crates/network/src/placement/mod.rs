//! Placement of documents: the network, the assignment of its shards to members, and the part of
//! the documents that this instance holds and is asked for.

mod assignment;
mod availability;
mod left_behind;
mod network;
mod placements;
mod plan;
mod planned_network;
mod shard_scope;
mod shard_sets;
mod store;

pub use assignment::Assignment;
pub use availability::Availability;
pub use left_behind::LeftBehind;
pub use network::{Network, Remote, Shards};
pub use placements::{Placement, Placements};
pub use plan::{ShardPlan, random_index};
pub use planned_network::PlannedNetwork;
pub use shard_scope::ShardScope;
pub use store::NetworkStore;
