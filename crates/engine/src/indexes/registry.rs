//! Registry of indexes: the durable table name → folder, and its copy in memory.
//!
//! Changes are written inside the transaction that marks their task finished, so that a crash
//! neither repeats nor loses them; the copy in memory follows once that transaction is durable.

use std::collections::BTreeMap;

use parking_lot::RwLock;
use redb::{ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction};
use uuid::Uuid;

/// Name → folder, with a checksum of both: damage that the database does not notice must not lead
/// to another folder.
const INDEXES: TableDefinition<&str, (u128, u64)> = TableDefinition::new("indexes");
/// Folders of deleted indexes that may still exist → checksum. No other folder is ever removed.
const REMOVED: TableDefinition<u128, u64> = TableDefinition::new("removed_indexes");
/// `REMOVED` before records had checksums.
const REMOVED_BEFORE: TableDefinition<u128, ()> = TableDefinition::new("removed_indexes");

/// One step of a change to the registry. The steps of a change are applied in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RegistryEdit {
    Add { uid: String, id: Uuid },
    Remove { uid: String },
    Rename { from: String, to: String },
    Swap { a: String, b: String },
}

#[derive(Debug)]
pub(crate) struct Registry {
    names: RwLock<BTreeMap<String, Uuid>>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum RegistryError {
    #[error(transparent)]
    Storage(#[from] redb::Error),
    #[error("the entry of index `{uid}` is damaged")]
    Damaged { uid: String },
}

macro_rules! from_storage {
    ($($error:ty),*) => {
        $(impl From<$error> for RegistryError {
            fn from(error: $error) -> Self {
                RegistryError::Storage(error.into())
            }
        })*
    };
}

from_storage!(redb::StorageError, redb::TableError, redb::TransactionError, redb::CommitError);

impl Registry {
    pub fn load(db: &redb::Database) -> Result<Self, RegistryError> {
        let write = db.begin_write()?;
        write.open_table(INDEXES)?;
        if !tasks::has_current_types(&write, REMOVED)? {
            add_removed_checksums(&write)?;
        }
        write.commit()?;
        let mut names = BTreeMap::new();
        for entry in db.begin_read()?.open_table(INDEXES)?.iter()? {
            let (uid, value) = entry?;
            let (uid, (id, sum)) = (uid.value(), value.value());
            if sum != checksum(uid, id) {
                return Err(RegistryError::Damaged { uid: uid.to_owned() });
            }
            names.insert(uid.to_owned(), Uuid::from_u128(id));
        }
        Ok(Self { names: RwLock::new(names) })
    }

    /// Returns the folders of deleted indexes, and forgets those that are gone by `is_gone`. Writes
    /// only if there is something to forget.
    pub fn removed(
        db: &redb::Database,
        is_gone: impl Fn(Uuid) -> bool,
    ) -> Result<Vec<Uuid>, RegistryError> {
        let mut left = Vec::new();
        let mut gone = Vec::new();
        for entry in db.begin_read()?.open_table(REMOVED)?.iter()? {
            let (id, sum) = entry?;
            if sum.value() != removed_sum(id.value()) {
                let key = Uuid::from_u128(id.value()).to_string();
                return Err(tasks::damaged_record("removed_indexes", &key).into());
            }
            let id = Uuid::from_u128(id.value());
            if is_gone(id) { gone.push(id) } else { left.push(id) }
        }
        if !gone.is_empty() {
            let write = db.begin_write()?;
            write.open_table(REMOVED)?.retain(|id, _| !gone.contains(&Uuid::from_u128(id)))?;
            write.commit()?;
        }
        Ok(left)
    }

    pub fn id(&self, uid: &str) -> Option<Uuid> {
        self.names.read().get(uid).copied()
    }

    pub fn len(&self) -> usize {
        self.names.read().len()
    }

    /// Returns a page of the indexes in byte order of their names.
    pub fn page(&self, offset: usize, limit: usize) -> Vec<(String, Uuid)> {
        let names = self.names.read();
        names.iter().skip(offset).take(limit).map(|(uid, id)| (uid.clone(), *id)).collect()
    }

    pub fn all(&self) -> Vec<(String, Uuid)> {
        self.page(0, usize::MAX)
    }

    /// Writes a change to the database.
    pub fn write(
        edits: &[RegistryEdit],
        transaction: &WriteTransaction,
    ) -> Result<(), redb::Error> {
        let mut table = transaction.open_table(INDEXES)?;
        let mut removed = transaction.open_table(REMOVED)?;
        let take = |table: &mut IndexTable<'_>, uid: &str| -> Result<Option<u128>, redb::Error> {
            Ok(table.remove(uid)?.map(|value| value.value().0))
        };
        let put = |table: &mut IndexTable<'_>, uid: &str, id: Option<u128>| {
            if let Some(id) = id {
                table.insert(uid, (id, checksum(uid, id)))?;
            }
            Ok::<(), redb::Error>(())
        };
        for edit in edits {
            match edit {
                RegistryEdit::Add { uid, id } => put(&mut table, uid, Some(id.as_u128()))?,
                RegistryEdit::Remove { uid } => {
                    if let Some(id) = take(&mut table, uid)? {
                        removed.insert(id, removed_sum(id))?;
                    }
                }
                RegistryEdit::Rename { from, to } => {
                    let id = take(&mut table, from)?;
                    put(&mut table, to, id)?;
                }
                RegistryEdit::Swap { a, b } => {
                    let (id_a, id_b) = (take(&mut table, a)?, take(&mut table, b)?);
                    put(&mut table, b, id_a)?;
                    put(&mut table, a, id_b)?;
                }
            }
        }
        Ok(())
    }

    /// Copies the tables, as `from` sees them.
    pub fn copy(from: &ReadTransaction, into: &WriteTransaction) -> Result<(), redb::Error> {
        tasks::copy_table(INDEXES, from, into)?;
        tasks::copy_table(REMOVED, from, into)
    }

    /// Applies a durable change in memory. Returns the folders no longer named.
    pub fn apply(&self, edits: &[RegistryEdit]) -> Vec<Uuid> {
        let mut names = self.names.write();
        let mut removed = Vec::new();
        for edit in edits {
            match edit {
                RegistryEdit::Add { uid, id } => {
                    names.insert(uid.clone(), *id);
                }
                RegistryEdit::Remove { uid } => removed.extend(names.remove(uid)),
                RegistryEdit::Rename { from, to } => {
                    if let Some(id) = names.remove(from) {
                        names.insert(to.clone(), id);
                    }
                }
                RegistryEdit::Swap { a, b } => {
                    let (id_a, id_b) = (names.remove(a), names.remove(b));
                    if let Some(id) = id_a {
                        names.insert(b.clone(), id);
                    }
                    if let Some(id) = id_b {
                        names.insert(a.clone(), id);
                    }
                }
            }
        }
        removed
    }
}

type IndexTable<'t> = redb::Table<'t, &'static str, (u128, u64)>;

fn checksum(uid: &str, id: u128) -> u64 {
    tasks::checksum(uid.as_bytes(), &id.to_le_bytes())
}

fn removed_sum(id: u128) -> u64 {
    tasks::checksum(&id.to_le_bytes(), &[])
}

fn add_removed_checksums(write: &WriteTransaction) -> Result<(), redb::Error> {
    let mut removed = Vec::new();
    for entry in write.open_table(REMOVED_BEFORE)?.iter()? {
        removed.push(entry?.0.value());
    }
    write.delete_table(REMOVED_BEFORE)?;
    let mut table = write.open_table(REMOVED)?;
    for id in removed {
        table.insert(id, removed_sum(id))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database() -> redb::Database {
        redb::Database::builder()
            .create_with_backend(redb::backends::InMemoryBackend::new())
            .unwrap()
    }

    #[test]
    fn both_halves_of_a_change_agree() {
        let db = database();
        let registry = Registry::load(&db).unwrap();
        let [a, b, c] = [1, 2, 3].map(Uuid::from_u128);
        let edits = [
            RegistryEdit::Add { uid: "a".into(), id: a },
            RegistryEdit::Add { uid: "b".into(), id: b },
            RegistryEdit::Add { uid: "c".into(), id: c },
            RegistryEdit::Swap { a: "a".into(), b: "b".into() },
            RegistryEdit::Rename { from: "a".into(), to: "z".into() },
            RegistryEdit::Remove { uid: "c".into() },
        ];
        let write = db.begin_write().unwrap();
        Registry::write(&edits, &write).unwrap();
        write.commit().unwrap();
        assert_eq!(registry.apply(&edits), [c]);

        let expected = vec![("b".to_owned(), a), ("z".to_owned(), b)];
        assert_eq!(registry.all(), expected);
        assert_eq!(Registry::load(&db).unwrap().all(), expected);
        assert_eq!(Registry::removed(&db, |_| false).unwrap(), [c]);
        assert!(Registry::removed(&db, |id| id == c).unwrap().is_empty());
    }

    #[test]
    fn a_damaged_entry_is_reported_and_leads_nowhere() {
        let db = database();
        Registry::load(&db).unwrap();
        let write = db.begin_write().unwrap();
        let id = Uuid::from_u128(7).as_u128();
        write.open_table(INDEXES).unwrap().insert("a", (id ^ 1, checksum("a", id))).unwrap();
        write.commit().unwrap();
        let error = Registry::load(&db).unwrap_err();
        assert_eq!(error.to_string(), "the entry of index `a` is damaged");
    }

    #[test]
    fn removed_folders_have_checksums_also_after_a_former_release() {
        let db = database();
        let write = db.begin_write().unwrap();
        write.open_table(REMOVED_BEFORE).unwrap().insert(7, ()).unwrap();
        write.commit().unwrap();
        for _ in 0..2 {
            Registry::load(&db).unwrap();
            assert_eq!(Registry::removed(&db, |_| false).unwrap(), [Uuid::from_u128(7)]);
        }
        let write = db.begin_write().unwrap();
        write.open_table(REMOVED).unwrap().insert(8, removed_sum(7)).unwrap();
        write.commit().unwrap();
        let error = Registry::removed(&db, |_| false).unwrap_err().to_string();
        assert!(error.contains("of the table `removed_indexes` is damaged"), "{error}");
    }
}
