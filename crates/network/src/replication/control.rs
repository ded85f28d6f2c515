//! Messages between members while the network changes.

use uuid::Uuid;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlNotice {
    pub origin: ControlOrigin,
    pub message: ControlMessage,
}

/// The sender's task of the change.
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
    /// `remote` has accepted all that the origin sent.
    ImportFinished { remote: String, successful: bool },
    /// The origin can, or can no longer, reach `remote`.
    StatusChange { remote: String, is_available: bool },
}
