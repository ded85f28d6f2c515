//! Usage figures without personal data: which features are used, how much and how fast.
//!
//! Requests record events; events of one kind are merged into figures; the operator can see the
//! figures and, only if a collector is set, they are sent to it every hour. Nothing here may fail
//! or delay a request, and no text of a document, query or filter, no address and no key gets here.
//! The tables of figures and events (`figures!`, `events!`) stand beside the requests that they count.

mod batch;
mod document;
mod event;
mod event_buffer;
mod fields;
mod fold;
mod histogram;
mod identity;
mod message;
mod options;
mod profile;
mod reading;
mod recorder;
mod scrub;
mod telemetry;
mod text_set;
mod totals;
mod uploader;

pub use document::markdown;
pub use event::{Event, Figure, Kind, plain};
pub use fold::Fold;
pub use identity::{FILE_NAME, Identity, user_config_folder};
pub use options::Options;
pub use profile::{Infos, Instance, Profile, Stats, System};
pub use reading::{Reading, hash, name};
pub use telemetry::{PendingRequest, Telemetry};
