//! Changes how documents are distributed over the members of the network.

use model::{Cancel, ServiceError};
use network::TopologyContext;
use tasks::{Batch, Content, Outcome, Progress, RunError};

use super::{BatchRunner, single_task};

impl BatchRunner {
    pub(super) fn change_topology(
        &self,
        batch: &Batch,
        progress: &Progress,
        cancel: &Cancel,
    ) -> Result<Outcome, RunError> {
        let task = single_task(batch)?;
        let Content::NetworkTopologyChange { change } = &task.content else {
            return Err(ServiceError::internal("a topology change of another kind").into());
        };
        TopologyContext { replication: &self.replication, indexes: &self.work, progress, cancel }
            .run(task, change)
    }
}
