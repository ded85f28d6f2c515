//! A network of instances: where its documents are, how writes reach every member, and how documents
//! move when its topology changes. It knows no search and no registry: the indexes here come to it as
//! `LocalIndexes`.

mod local_indexes;
mod placement;
mod quoted;
mod replication;

pub use local_indexes::LocalIndexes;
pub use placement::{
    Availability, Network, NetworkStore, Placement, Placements, PlannedNetwork, Remote, ShardPlan,
    ShardScope, Shards, random_index,
};
pub use quoted::quoted;
pub use replication::{
    ControlMessage, ControlNotice, ControlOrigin, DeliveredChange, ImportedPart, Members,
    NetworkChange, RemoteChange, Replication, ShardChange, TopologyContext,
};
