//! The tables of the queue inside the shared database; FORMAT.md describes their records.

use redb::TableDefinition;

/// Task uid → record, see FORMAT.md.
pub(crate) const TASKS: TableDefinition<'static, u32, &'static [u8]> =
    TableDefinition::new("tasks");
/// Batch uid → record of a finished batch.
pub(crate) const BATCHES: TableDefinition<'static, u32, &'static [u8]> =
    TableDefinition::new("task_batches");
/// Key of a small payload → its bytes.
pub(crate) const PAYLOADS: TableDefinition<'static, u128, &'static [u8]> =
    TableDefinition::new("task_payloads");
/// Task uid → the record of a task as it was enqueued, kept until all recipients have it.
pub(crate) const OUTBOX: TableDefinition<'static, u32, &'static [u8]> =
    TableDefinition::new("task_outbox");
/// Recipient and uid of a task it has not taken → checksum.
pub(crate) const OUTBOX_WAITING: TableDefinition<'static, (&'static str, u32), u64> =
    TableDefinition::new("task_outbox_waiting");
/// Sender → network version, uid there and uid here of the last task taken from it, checksum.
pub(crate) const INBOX: TableDefinition<'static, &'static str, (u128, u32, u32, u64)> =
    TableDefinition::new("task_inbox");
/// Key → stash entry, with a payload or without.
pub(crate) const STASH: TableDefinition<'static, &'static str, &'static [u8]> =
    TableDefinition::new("task_stash");
/// `format_version` and `next_batch_uid`, each with its checksum in the upper half.
pub(crate) const META: TableDefinition<'static, &'static str, u64> =
    TableDefinition::new("task_meta");

pub(crate) const FORMAT_VERSION: u32 = 2;
pub(crate) const FORMAT_VERSION_KEY: &str = "format_version";
pub(crate) const NEXT_BATCH_UID_KEY: &str = "next_batch_uid";
/// The previous format had the plain number here, and no checksums in three tables.
pub(crate) const FORMAT_WITHOUT_CHECKSUMS: u64 = 1;
