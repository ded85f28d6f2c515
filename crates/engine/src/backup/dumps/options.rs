//! Options of the instance that an import of a dump needs.

use crate::search_rules::RuleLimits;

#[derive(Debug)]
pub struct ImportOptions {
    /// Bytes that indexing may buffer.
    pub max_indexing_memory: u64,
    pub rule_limits: RuleLimits,
    pub address_policy: outbound::AddressPolicy,
    pub embedders: embed::Options,
}
