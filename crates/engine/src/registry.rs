//! Which indexes exist: the durable table name → folder, and its copy in memory.
//!
//! Changes are written inside the transaction that marks their task finished, so that a crash
//! neither repeats nor loses them; the copy in memory follows once that transaction is durable.

use std::collections::BTreeMap;

use parking_lot::RwLock;
use redb::{ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

const INDEXES: TableDefinition<&str, u128> = TableDefinition::new("indexes");

/// One step of a change to the registry. The steps of a change are applied in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

impl Registry {
    pub fn load(db: &redb::Database) -> Result<Self, redb::Error> {
        let write = db.begin_write()?;
        write.open_table(INDEXES)?;
        write.commit()?;
        let mut names = BTreeMap::new();
        for entry in db.begin_read()?.open_table(INDEXES)?.iter()? {
            let (uid, id) = entry?;
            names.insert(uid.value().to_owned(), Uuid::from_u128(id.value()));
        }
        Ok(Self { names: RwLock::new(names) })
    }

    pub fn id(&self, uid: &str) -> Option<Uuid> {
        self.names.read().get(uid).copied()
    }

    pub fn len(&self) -> usize {
        self.names.read().len()
    }

    /// A window of the indexes in byte order of their names.
    pub fn page(&self, offset: usize, limit: usize) -> Vec<(String, Uuid)> {
        let names = self.names.read();
        names.iter().skip(offset).take(limit).map(|(uid, id)| (uid.clone(), *id)).collect()
    }

    pub fn all(&self) -> Vec<(String, Uuid)> {
        self.page(0, usize::MAX)
    }

    /// The durable half of a change.
    pub fn write(
        edits: &[RegistryEdit],
        transaction: &WriteTransaction,
    ) -> Result<(), redb::Error> {
        let mut table = transaction.open_table(INDEXES)?;
        for edit in edits {
            match edit {
                RegistryEdit::Add { uid, id } => {
                    table.insert(uid.as_str(), id.as_u128())?;
                }
                RegistryEdit::Remove { uid } => {
                    table.remove(uid.as_str())?;
                }
                RegistryEdit::Rename { from, to } => {
                    let id = table.remove(from.as_str())?.map(|id| id.value());
                    if let Some(id) = id {
                        table.insert(to.as_str(), id)?;
                    }
                }
                RegistryEdit::Swap { a, b } => {
                    let id_a = table.remove(a.as_str())?.map(|id| id.value());
                    let id_b = table.remove(b.as_str())?.map(|id| id.value());
                    if let Some(id) = id_a {
                        table.insert(b.as_str(), id)?;
                    }
                    if let Some(id) = id_b {
                        table.insert(a.as_str(), id)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Copies the table, as `from` sees it.
    pub fn copy(from: &WriteTransaction, into: &WriteTransaction) -> Result<(), redb::Error> {
        let (source, mut target) = (from.open_table(INDEXES)?, into.open_table(INDEXES)?);
        for entry in source.iter()? {
            let (uid, id) = entry?;
            target.insert(uid.value(), id.value())?;
        }
        Ok(())
    }

    /// The half in memory, once the other is durable. Returns the folders no longer named.
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
    }
}
