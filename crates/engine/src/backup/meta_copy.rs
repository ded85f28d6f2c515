//! Copies all tables of `meta.redb` into a fresh file, for compaction and for snapshots. A table
//! without a copy function is an error that names it, so that a store added later cannot be lost in
//! silence.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use redb::{ReadTransaction, TableHandle, WriteTransaction};
use tasks::instance_table;

use crate::chats::ChatStore;
use crate::indexes::registry::Registry;
use crate::keys::KeyStore;
use crate::search_rules::RuleStore;
use crate::webhooks::WebhookStore;

/// Writes what `from` sees to a new file at `path`; `amend` changes the copy before it is complete.
pub(crate) fn copy_meta(
    from: &ReadTransaction,
    path: &Path,
    amend: impl FnOnce(&WriteTransaction) -> Result<(), redb::Error>,
) -> Result<(), redb::Error> {
    let mut options = model::private::file_options();
    let file = options.read(true).write(true).create(true).truncate(false).open(path)?;
    let mut database = redb::Database::builder().create_file(file)?;
    let into = database.begin_write()?;
    copy_tables(from, &into)?;
    check_complete(from, &into)?;
    amend(&into)?;
    into.commit()?;
    // A new file starts with free space.
    database.compact()?;
    Ok(())
}

fn copy_tables(from: &ReadTransaction, into: &WriteTransaction) -> Result<(), redb::Error> {
    tasks::copy_tables(from, into)?;
    Registry::copy(from, into)?;
    instance_table::copy(from, into)?;
    KeyStore::copy(from, into)?;
    RuleStore::copy(from, into)?;
    ChatStore::copy(from, into)?;
    WebhookStore::copy(from, into)
}

fn check_complete(from: &ReadTransaction, into: &WriteTransaction) -> Result<(), redb::Error> {
    let copied: BTreeSet<String> =
        into.list_tables()?.map(|table| table.name().to_owned()).collect();
    let forgotten = from.list_tables()?.find(|table| !copied.contains(table.name()));
    match forgotten {
        Some(table) => {
            let what = format!("no code copies the table `{}`", table.name());
            Err(redb::Error::Io(io::Error::other(what)))
        }
        None => Ok(()),
    }
}
