//! Store of rules: a table of `meta.redb`, and the rule set in memory.
//!
//! Changes are written inside the transaction that marks their tasks finished, so that a crash
//! neither repeats nor loses them; the rule set follows once that transaction is durable.

use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};
use redb::{ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction};

use super::limits::RuleLimits;
use super::rule::Rule;
use super::rule_set::{RuleEdit, RuleSet};

/// Uid → the rule as JSON, with a checksum of both.
const RULES: TableDefinition<&str, (&str, u64)> = TableDefinition::new("search_rules");

#[derive(Debug)]
pub(crate) struct RuleStore {
    rule_set: ArcSwap<RuleSet>,
}

impl RuleStore {
    pub fn load(db: &redb::Database, limits: RuleLimits) -> Result<Self, redb::Error> {
        let write = db.begin_write()?;
        write.open_table(RULES)?;
        write.commit()?;
        let mut rules = Vec::new();
        for entry in db.begin_read()?.open_table(RULES)?.iter()? {
            let (uid, value) = entry?;
            let (uid, (json, sum)) = (uid.value(), value.value());
            let rule = serde_json::from_str::<Rule>(json).ok();
            let rule = rule.filter(|rule| sum == checksum(uid, json) && rule.uid == uid);
            rules.push(rule.ok_or_else(|| {
                redb::Error::Corrupted(format!("the search rule `{uid}` is damaged"))
            })?);
        }
        Ok(Self { rule_set: ArcSwap::from_pointee(RuleSet::new(rules, limits)) })
    }

    /// Returns the current rules, without a lock.
    pub fn rule_set(&self) -> Guard<Arc<RuleSet>> {
        self.rule_set.load()
    }

    /// Writes a change to the database.
    pub fn write(edits: &[RuleEdit], transaction: &WriteTransaction) -> Result<(), redb::Error> {
        let mut table = transaction.open_table(RULES)?;
        for edit in edits {
            match edit {
                RuleEdit::Put(ready) => {
                    let rule = &ready.rule;
                    let json = serde_json::to_string(rule)
                        .map_err(|error| redb::Error::Io(std::io::Error::other(error)))?;
                    let uid = rule.uid.as_str();
                    table.insert(uid, (json.as_str(), checksum(uid, &json)))?;
                }
                RuleEdit::Remove(uid) => {
                    table.remove(uid.as_str())?;
                }
                RuleEdit::Clear => table.retain(|_, _| false)?,
            }
        }
        Ok(())
    }

    /// Applies a durable change in memory. Changes must come in the order of their transactions.
    pub fn apply(&self, edits: Vec<RuleEdit>) {
        let mut builder = self.rule_set().builder();
        edits.into_iter().for_each(|edit| builder.apply(edit));
        self.rule_set.store(Arc::new(builder.finish()));
    }

    /// Copies the table, as `from` sees it.
    pub fn copy(from: &ReadTransaction, into: &WriteTransaction) -> Result<(), redb::Error> {
        tasks::copy_table(RULES, from, into)
    }
}

fn checksum(uid: &str, json: &str) -> u64 {
    tasks::checksum(uid.as_bytes(), json.as_bytes())
}

#[cfg(test)]
mod tests {
    use time::OffsetDateTime;

    use super::*;

    fn database() -> redb::Database {
        redb::Database::builder()
            .create_with_backend(redb::backends::InMemoryBackend::new())
            .unwrap()
    }

    fn write(db: &redb::Database, edits: &[RuleEdit]) {
        let write = db.begin_write().unwrap();
        RuleStore::write(edits, &write).unwrap();
        write.commit().unwrap();
    }

    fn uids(store: &RuleStore) -> Vec<String> {
        store.rule_set().iter().map(|rule| rule.uid.clone()).collect()
    }

    #[test]
    fn both_halves_of_a_change_agree() {
        let db = database();
        let store = RuleStore::load(&db, RuleLimits::default()).unwrap();
        let put = |uid: &str| RuleEdit::put(Rule::new(uid, OffsetDateTime::UNIX_EPOCH));
        for edits in [
            vec![put("a"), put("b"), put("c"), RuleEdit::Remove("b".to_owned())],
            vec![put("a"), RuleEdit::Remove("never".to_owned())],
            vec![RuleEdit::Clear, put("d")],
            vec![put("e"), RuleEdit::Clear],
        ] {
            write(&db, &edits);
            store.apply(edits);
            assert_eq!(uids(&RuleStore::load(&db, RuleLimits::default()).unwrap()), uids(&store));
        }
        assert!(uids(&store).is_empty());
    }

    #[test]
    fn a_damaged_rule_is_reported() {
        let db = database();
        RuleStore::load(&db, RuleLimits::default()).unwrap();
        write(&db, &[RuleEdit::put(Rule::new("spring", OffsetDateTime::UNIX_EPOCH))]);
        let write = db.begin_write().unwrap();
        {
            let mut table = write.open_table(RULES).unwrap();
            let value = table.get("spring").unwrap().unwrap();
            let (json, sum) = value.value();
            let (json, sum) = (json.replace("true", "false"), sum);
            drop(value);
            table.insert("spring", (json.as_str(), sum)).unwrap();
        }
        write.commit().unwrap();
        let error = RuleStore::load(&db, RuleLimits::default()).unwrap_err().to_string();
        assert!(error.contains("the search rule `spring` is damaged"), "{error}");
    }
}
