//! Usage figures without personal data: which features are used, how much and how fast.
//!
//! Requests record events; events of one kind are merged into figures; the operator can see the
//! figures and, only if a collector is set, they are sent to it every hour. Nothing here may fail
//! or delay a request, and no text of a document, query or filter, no address and no key gets here.

mod batch;
mod document;
mod event_buffer;
mod event_totals;
pub mod events;
mod fields;
mod identity;
mod kinds;
mod message;
mod metrics;
mod options;
mod profile;
mod recorder;
mod telemetry;
mod uploader;

pub use document::markdown;
pub use identity::{FILE_NAME, Identity, user_config_folder};
pub use kinds::Event;
pub use options::Options;
pub use profile::{Infos, Instance, Profile, Stats, System};
pub use telemetry::{PendingRequest, Telemetry};
