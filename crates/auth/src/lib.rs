//! Authorization: API keys, the actions they allow, the tenant tokens signed with them, and the
//! rights of a request. It knows no HTTP and no disk; times come from the caller.

mod access;
mod action;
mod error;
mod key;
mod key_value;
mod keyring;
mod master_key;
mod pattern;
mod search_rules;
mod tenant_token;

pub use access::Access;
pub use action::Action;
pub use error::AuthError;
pub use key::{Key, default_keys};
pub use key_value::KeyValue;
pub use keyring::Keyring;
pub use master_key::{MIN_MASTER_KEY_BYTES, MasterKey};
pub use pattern::IndexPattern;
pub use search_rules::SearchRules;
