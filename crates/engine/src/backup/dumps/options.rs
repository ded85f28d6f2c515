//! What an import of a dump needs to know of the options of the instance.

use crate::search_rules::RuleLimits;

#[derive(Debug)]
pub struct ImportOptions {
    /// Budget in bytes for what is buffered while indexing.
    pub max_indexing_memory: u64,
    pub rule_limits: RuleLimits,
    pub address_policy: outbound::AddressPolicy,
    pub embedders: embed::Options,
}
