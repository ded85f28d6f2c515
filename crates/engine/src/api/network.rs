//! The network: reading it, changing it, and what its members tell each other.

use std::sync::Arc;

use model::ServiceError;
use tasks::{Origin, Task};

use super::Engine;
use crate::placement::Network;
use crate::remote_search::RemoteSearcher;
use crate::replication::{
    ControlMessage, ControlNotice, DeliveredChange, ImportedPart, NetworkChange,
};

impl Engine {
    pub fn network(&self) -> Arc<Network> {
        self.network.current()
    }

    pub fn remote_searcher(&self) -> &RemoteSearcher {
        &self.remote_searcher
    }

    /// Whether a remote is asked at present, or left alone because it failed lately.
    pub fn is_remote_available(&self, remote: &str) -> bool {
        self.remote_searcher.availability.is_available(remote)
    }

    /// The network as it will be, and the task that makes it so, where documents are shared out.
    pub fn change_network(
        &self,
        change: NetworkChange,
    ) -> Result<(Arc<Network>, Option<Task>), ServiceError> {
        self.replication.change(change)
    }

    /// Takes a change that the leader hands on to all members.
    pub fn take_network_change(
        &self,
        origin: Origin,
        change: DeliveredChange,
    ) -> Result<Task, ServiceError> {
        self.replication.take_change(origin, change, &self.indexes)
    }

    /// Takes documents that are moved here while the network changes.
    pub fn take_moved_documents(
        &self,
        origin: &Origin,
        part: ImportedPart,
    ) -> Result<(), ServiceError> {
        self.replication.take_part(origin, part)
    }

    /// Whether a write would be accepted: where documents are sharded, only the leader accepts
    /// writes of clients, and the other members those that it hands on.
    pub fn check_writable(&self, origin: Option<&Origin>) -> Result<(), ServiceError> {
        self.replication.check_writable(origin)
    }

    /// Takes a notice of another member of the network.
    pub fn control_network(&self, notice: ControlNotice) -> Result<(), ServiceError> {
        match &notice.message {
            ControlMessage::StatusChange { remote, is_available } => {
                let is_known = self.network.current().remotes.contains_key(remote);
                match is_available {
                    true => self.remote_searcher.availability.answered(remote),
                    false if is_known => self.remote_searcher.availability.failed(remote),
                    false => {}
                }
            }
            ControlMessage::ExportNoIndex { .. } | ControlMessage::ImportFinished { .. } => {
                self.replication.take_notice(&notice)?;
            }
        }
        Ok(())
    }
}
