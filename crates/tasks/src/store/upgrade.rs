//! Upgrades the previous format inside the transaction that opens the queue: three tables get their
//! checksums.

use redb::{ReadableTable, Table, TableDefinition, WriteTransaction};

use super::checked::sealed_number;
use super::outbox_tables::{last_taken, waiting_sum};
use super::schema::{FORMAT_VERSION, FORMAT_WITHOUT_CHECKSUMS, INBOX, OUTBOX_WAITING};
use crate::task::error::QueueError;

const OUTBOX_WAITING_BEFORE: TableDefinition<'static, (&'static str, u32), ()> =
    TableDefinition::new("task_outbox_waiting");
const INBOX_BEFORE: TableDefinition<'static, &'static str, (u128, u32, u32)> =
    TableDefinition::new("task_inbox");

pub(crate) fn add_checksums(
    transaction: &WriteTransaction,
    meta: &mut Table<'_, &'static str, u64>,
) -> Result<(), QueueError> {
    let mut numbers = Vec::new();
    for entry in meta.iter()? {
        let (key, number) = entry?;
        let (key, number) = (key.value().to_owned(), number.value());
        let is_version = key == "format_version" && number == FORMAT_WITHOUT_CHECKSUMS;
        let number = if is_version { u64::from(FORMAT_VERSION) } else { number };
        let number = u32::try_from(number)
            .map_err(|_| QueueError::damaged(format!("`{key}` of `task_meta` is too large")))?;
        numbers.push((key, number));
    }
    for (key, number) in numbers {
        meta.insert(key.as_str(), sealed_number(&key, number))?;
    }
    add_to_waiting(transaction)?;
    add_to_inbox(transaction)
}

fn add_to_waiting(transaction: &WriteTransaction) -> Result<(), QueueError> {
    let mut waiting = Vec::new();
    for entry in transaction.open_table(OUTBOX_WAITING_BEFORE)?.iter()? {
        let (recipient, uid) = {
            let key = entry?.0;
            let (recipient, uid) = key.value();
            (recipient.to_owned(), uid)
        };
        waiting.push((recipient, uid));
    }
    transaction.delete_table(OUTBOX_WAITING_BEFORE)?;
    let mut table = transaction.open_table(OUTBOX_WAITING)?;
    for (recipient, uid) in waiting {
        table.insert((recipient.as_str(), uid), waiting_sum(&recipient, uid))?;
    }
    Ok(())
}

fn add_to_inbox(transaction: &WriteTransaction) -> Result<(), QueueError> {
    let mut taken = Vec::new();
    for entry in transaction.open_table(INBOX_BEFORE)?.iter()? {
        let (sender, last) = entry?;
        taken.push((sender.value().to_owned(), last.value()));
    }
    transaction.delete_table(INBOX_BEFORE)?;
    let mut table = transaction.open_table(INBOX)?;
    for (sender, (version, uid_there, uid_here)) in taken {
        table.insert(sender.as_str(), last_taken(&sender, version, uid_there, uid_here))?;
    }
    Ok(())
}
