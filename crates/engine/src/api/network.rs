//! Reads and changes the network, and receives messages of its members.

use std::sync::Arc;
use std::time::Duration;

use model::ServiceError;
use network::{
    ControlMessage, ControlNotice, DeliveredChange, ImportedPart, Network, NetworkChange,
    Replication,
};
use tasks::{Origin, Task};

use super::Engine;
use crate::indexes::IndexWork;

impl Engine {
    pub fn network(&self) -> Arc<Network> {
        self.network.current()
    }

    pub fn replication(&self) -> &Arc<Replication> {
        &self.replication
    }

    /// Returns the time that another instance has to answer a search.
    pub fn remote_search_timeout(&self) -> Duration {
        self.remote_search_timeout
    }

    /// Returns false while a remote is left alone because it failed recently.
    pub fn is_remote_available(&self, remote: &str) -> bool {
        self.replication.availability().is_available(remote)
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
        let (indexes, background) = (Arc::clone(&self.indexes), self.background.clone());
        let work = IndexWork::new(indexes, self.queue.clone(), background);
        self.replication.take_change(origin, change, &work)
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
                    true => self.replication.availability().answered(remote),
                    false if is_known => self.replication.availability().failed(remote),
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

#[cfg(test)]
mod tests {
    use model::Patch;

    use super::*;
    use crate::EngineOptions;

    #[test]
    fn the_network_is_the_same_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Engine::open(EngineOptions::new(folder.path().join("data"))).unwrap();
        let engine = open();
        let name = Patch::Set("here".to_owned());
        let (changed, task) =
            engine.change_network(NetworkChange { name, ..Default::default() }).unwrap();
        assert_eq!(task, None);
        drop(engine);
        assert_eq!(*open().network(), *changed);
    }
}
