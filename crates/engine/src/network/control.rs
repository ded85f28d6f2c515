//! What members of a network tell each other while it changes.

use model::ServiceError;
use uuid::Uuid;

use crate::Engine;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlNotice {
    pub origin: ControlOrigin,
    pub message: ControlMessage,
}

/// The task of the change at whoever sends the notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlOrigin {
    pub remote: String,
    pub task_uid: u32,
    pub network_version: Uuid,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ControlMessage {
    /// The origin has nothing to send to `remote`.
    ExportNoIndex { remote: String },
    /// `remote` has taken all that the origin sent.
    ImportFinished { remote: String, successful: bool },
    /// The origin can, or can no longer, reach `remote`.
    StatusChange { remote: String, is_available: bool },
}

impl Engine {
    /// Takes a notice of another member of the network.
    pub fn control_network(&self, notice: ControlNotice) -> Result<(), ServiceError> {
        match &notice.message {
            ControlMessage::StatusChange { remote, is_available } => {
                let is_known = self.network().remotes.contains_key(remote);
                match is_available {
                    true => self.availability.answered(remote),
                    false if is_known => self.availability.failed(remote),
                    false => {}
                }
            }
            ControlMessage::ExportNoIndex { .. } | ControlMessage::ImportFinished { .. } => {
                self.sharding.take_notice(&notice)?;
            }
        }
        Ok(())
    }
}
