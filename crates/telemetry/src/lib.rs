//! Usage figures without the users: which parts of the service are used, how much and how fast.
//!
//! Requests leave a note of what they were; notes of one kind are merged to figures; figures are
//! shown to the operator and, only where a collector was named, sent to it every hour. Nothing of
//! this may fail or delay a request. No text of a document, query or filter gets as far as here,
//! nor an address or a key.

mod bundle;
mod document;
mod entry;
pub mod events;
mod identity;
mod inbox;
mod kinds;
mod message;
mod metrics;
mod office;
mod options;
mod post;
mod profile;
mod sheet;
mod telemetry;

pub use document::markdown;
pub use identity::{FILE_NAME, Identity, user_config_folder};
pub use kinds::Event;
pub use options::Options;
pub use profile::{Infos, Instance, Profile, Stats, System};
pub use telemetry::{Running, Telemetry};
