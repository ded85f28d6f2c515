//! Limits of the contract that several crates need.

pub const INDEX_UID_MAX_BYTES: usize = 400;
pub const DOCUMENT_ID_MAX_BYTES: usize = 511;
/// Names of fields in one document, nested ones included.
pub const MAX_FIELDS: usize = 65_536;
/// Default page size of lists.
pub const DEFAULT_PAGE_LIMIT: usize = 20;
/// Finished tasks kept before the oldest are cleaned away.
pub const MAX_TASKS: u64 = 1_000_000;
/// How many of the oldest finished tasks one automatic clean-up removes.
pub const TASK_CLEANUP_COUNT: u64 = 100_000;
pub const DEFAULT_PAYLOAD_LIMIT: u64 = 100_000_000;
/// Bytes of a query text that are searched.
pub const DEFAULT_QUERY_SIZE: usize = 64 * 1024;
