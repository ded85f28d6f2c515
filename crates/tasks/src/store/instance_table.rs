//! The table `instance` of `meta.redb`: small named records of the instance, each as JSON with a
//! checksum.

use redb::{
    ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition, TableError, WriteTransaction,
};
use serde_json::{Map, Value};

/// Name → JSON, checksum.
const INSTANCE: TableDefinition<&str, (&str, u64)> = TableDefinition::new("instance");
/// `INSTANCE` before records had checksums.
const INSTANCE_BEFORE: TableDefinition<&str, &str> = TableDefinition::new("instance");

/// Creates the table, adds checksums that a former release did not write, and verifies all records:
/// one under a damaged name would otherwise count as absent.
pub fn prepare(db: &redb::Database) -> Result<(), redb::Error> {
    let write = db.begin_write()?;
    if !super::checked::has_current_types(&write, INSTANCE)? {
        add_checksums(&write)?;
    }
    write.commit()?;
    all(&db.begin_read()?).map(drop)
}

fn add_checksums(write: &WriteTransaction) -> Result<(), redb::Error> {
    let mut stored = Vec::new();
    for entry in write.open_table(INSTANCE_BEFORE)?.iter()? {
        let (name, json) = entry?;
        stored.push((name.value().to_owned(), json.value().to_owned()));
    }
    write.delete_table(INSTANCE_BEFORE)?;
    stored.iter().try_for_each(|(name, json)| put(write, name, json))
}

/// Returns the JSON of a record.
pub fn get(db: &redb::Database, name: &str) -> Result<Option<String>, redb::Error> {
    let table = match db.begin_read()?.open_table(INSTANCE) {
        Err(TableError::TableDoesNotExist(_)) => return Ok(None),
        opened => opened?,
    };
    let Some(stored) = table.get(name)? else { return Ok(None) };
    checked(name, stored.value()).map(|json| Some(json.to_owned()))
}

/// Returns all records by name. Changes nothing, also in a table of a former release.
pub fn all(read: &ReadTransaction) -> Result<Map<String, Value>, redb::Error> {
    let mut all = Map::new();
    match read.open_table(INSTANCE) {
        Ok(table) => {
            for entry in table.iter()? {
                let (name, stored) = entry?;
                let json = checked(name.value(), stored.value())?;
                all.insert(name.value().to_owned(), parsed(name.value(), json)?);
            }
        }
        Err(TableError::TableDoesNotExist(_)) => {}
        Err(TableError::TableTypeMismatch { .. }) => {
            for entry in read.open_table(INSTANCE_BEFORE)?.iter()? {
                let (name, json) = entry?;
                all.insert(name.value().to_owned(), parsed(name.value(), json.value())?);
            }
        }
        Err(error) => return Err(error.into()),
    }
    Ok(all)
}

pub fn put(write: &WriteTransaction, name: &str, json: &str) -> Result<(), redb::Error> {
    write.open_table(INSTANCE)?.insert(name, (json, checksum(name, json)))?;
    Ok(())
}

pub fn remove(write: &WriteTransaction, name: &str) -> Result<(), redb::Error> {
    write.open_table(INSTANCE)?.remove(name)?;
    Ok(())
}

/// Copies the table, as `from` sees it.
pub fn copy(from: &ReadTransaction, into: &WriteTransaction) -> Result<(), redb::Error> {
    super::tables::copy_table(INSTANCE, from, into)
}

fn checked<'t>(name: &str, (json, sum): (&'t str, u64)) -> Result<&'t str, redb::Error> {
    if sum == checksum(name, json) {
        Ok(json)
    } else {
        Err(super::checked::damaged_record("instance", name))
    }
}

fn parsed(name: &str, json: &str) -> Result<Value, redb::Error> {
    serde_json::from_str(json).map_err(|error| {
        let what = format!("the record `{name}` of the table `instance` is damaged: {error}");
        redb::Error::Corrupted(what)
    })
}

fn checksum(name: &str, json: &str) -> u64 {
    super::checked::checksum(name.as_bytes(), json.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database() -> redb::Database {
        let backend = redb::backends::InMemoryBackend::new();
        redb::Database::builder().create_with_backend(backend).unwrap()
    }

    fn insert(db: &redb::Database, name: &str, value: (&str, u64)) {
        let write = db.begin_write().unwrap();
        write.open_table(INSTANCE).unwrap().insert(name, value).unwrap();
        write.commit().unwrap();
    }

    #[test]
    fn a_damaged_record_or_name_is_reported() {
        let json = r#"{"self":"here"}"#;
        let sum = checksum("network", json);
        for (name, json, sum) in [
            ("network", json.replace("here", "hers"), sum),
            ("oetwork", json.to_owned(), sum),
            ("network", json.to_owned(), sum ^ 1),
            ("network", "{".to_owned(), checksum("network", "{")),
        ] {
            let db = database();
            prepare(&db).unwrap();
            insert(&db, name, (&json, sum));
            let error = prepare(&db).unwrap_err().to_string();
            let expected = format!("the record `{name}` of the table `instance` is damaged");
            assert!(error.contains(&expected), "{error}");
        }
    }

    #[test]
    fn records_of_a_former_release_get_their_checksums() {
        let db = database();
        let write = db.begin_write().unwrap();
        write.open_table(INSTANCE_BEFORE).unwrap().insert("features", r#"{"a":1}"#).unwrap();
        write.commit().unwrap();
        assert_eq!(all(&db.begin_read().unwrap()).unwrap()["features"]["a"], 1);
        for _ in 0..2 {
            prepare(&db).unwrap();
            assert_eq!(get(&db, "features").unwrap().as_deref(), Some(r#"{"a":1}"#));
        }
        assert_eq!(get(&db, "network").unwrap(), None);
    }
}
