//! Reads and changes the network, and receives messages of its members.

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

    /// Returns false while a remote is left alone because it failed recently.
    pub fn is_remote_available(&self, remote: &str) -> bool {
        self.remote_searcher.availability.is_available(remote)
    }

    /// Returns the network after the change and, where documents are sharded, the task that applies
    /// it.
    pub fn change_network(
        &self,
        change: NetworkChange,
    ) -> Result<(Arc<Network>, Option<Task>), ServiceError> {
        self.replication.change(change)
    }

    /// Accepts a network change forwarded by the leader.
    pub fn take_network_change(
        &self,
        origin: Origin,
        change: DeliveredChange,
    ) -> Result<Task, ServiceError> {
        self.replication.take_change(origin, change, &self.indexes)
    }

    /// Accepts documents that are moved here while the network changes.
    pub fn take_moved_documents(
        &self,
        origin: &Origin,
        part: ImportedPart,
    ) -> Result<(), ServiceError> {
        self.replication.take_part(origin, part)
    }

    /// Fails if a write would be refused: in a sharded network only the leader accepts writes of
    /// clients, and the other members only those it forwards.
    pub fn check_writable(&self, origin: Option<&Origin>) -> Result<(), ServiceError> {
        self.replication.check_writable(origin)
    }

    /// Accepts a notice of another member of the network.
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
