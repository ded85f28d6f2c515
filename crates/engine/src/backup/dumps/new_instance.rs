//! A data folder being imported from a dump. Nothing runs in it yet: indexes are written and named,
//! tables are filled, and finally everything is read once as at startup.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::{Features, IndexUid, private};
use network::{NetworkStore, Placements};
use redb::Database;
use tasks::instance_table;
use tasks::{Queue, RegistryUpdate, Restorer};
use time::OffsetDateTime;

use super::contents::InstanceRecords;
use super::error::ImportError;
use super::new_index::NewIndex;
use super::options::ImportOptions;
use super::view::INSTANCE_UID_FILE;
use crate::chats::ChatStore;
use crate::indexes::registry::{Registry, RegistryEdit};
use crate::keys::KeyStore;
use crate::search_rules::{RuleEdit, RuleStore};
use crate::storage::feature_store::FeatureStore;
use crate::storage::folder::{FOLDER_VERSION, sync_folder};
use crate::webhooks::WebhookStore;

/// Limit of the buffers; larger ones no longer make better segments.
const MOST_BUFFERED: u64 = 256 << 20;

pub(super) struct NewInstance<'o> {
    root: PathBuf,
    database: Arc<Database>,
    pub options: &'o ImportOptions,
    registry: Vec<RegistryEdit>,
    uids: BTreeSet<String>,
}

impl<'o> NewInstance<'o> {
    pub fn create(root: &Path, options: &'o ImportOptions) -> Result<Self, ImportError> {
        let made = private::create_dir(&root.join("payloads"))
            .and_then(|()| private::create_dir(&root.join("indexes")))
            .and_then(|()| write_synced(&root.join("VERSION"), &format!("{FOLDER_VERSION}\n")));
        made.map_err(unwritable)?;
        let meta = private::file_options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(root.join("meta.redb"))
            .map_err(unwritable)?;
        let database = Database::builder().create_file(meta).map_err(unusable)?;
        Ok(Self {
            root: root.to_owned(),
            database: Arc::new(database),
            options,
            registry: Vec::new(),
            uids: BTreeSet::new(),
        })
    }

    /// Returns a restorer for the tasks, to be finished before this.
    pub fn restorer(&self) -> Result<Restorer, ImportError> {
        Ok(Restorer::open(Arc::clone(&self.database), self.root.join("payloads"))?)
    }

    /// Creates an index without a name.
    pub fn create_index(&self, created_at: OffsetDateTime) -> Result<NewIndex, ImportError> {
        // Only one index is written at a time.
        let buffer_bytes = (self.options.max_indexing_memory / 2).clamp(1 << 20, MOST_BUFFERED);
        let options =
            index::Options { buffer_bytes: buffer_bytes as usize, ..index::Options::default() };
        NewIndex::create(&self.root.join("indexes"), created_at, options)
    }

    /// Registers an index under its name.
    pub fn name_index(&mut self, uid: &str, index: NewIndex) -> Result<(), ImportError> {
        let id = index.finish()?;
        IndexUid::new(uid)?;
        if !self.uids.insert(uid.to_owned()) {
            return Err(ImportError(format!("the index `{uid}` is there twice")));
        }
        self.registry.push(RegistryEdit::Add { uid: uid.to_owned(), id });
        Ok(())
    }

    /// Writes the remaining tables and makes everything durable.
    pub fn finish(self, records: InstanceRecords) -> Result<(), ImportError> {
        sync_folder(&self.root.join("indexes")).map_err(unwritable)?;
        self.write_tables(&records)?;
        if let Some(uid) = records.instance_uid {
            write_synced(&self.root.join(INSTANCE_UID_FILE), &uid.to_string())
                .map_err(unwritable)?;
        }
        self.fill_stores(records)?;
        self.check()
    }

    fn write_tables(&self, records: &InstanceRecords) -> Result<(), ImportError> {
        // Creates the tables.
        Registry::load(&self.database).map_err(unusable)?;
        let written = || -> Result<(), redb::Error> {
            let transaction = self.database.begin_write()?;
            Registry::write(&self.registry, &transaction)?;
            for (name, value) in &records.instance {
                instance_table::put(&transaction, name, &value.to_string())?;
            }
            Ok(transaction.commit()?)
        };
        written().map_err(unusable)
    }

    /// Fills the tables through their stores, which validate records.
    fn fill_stores(&self, records: InstanceRecords) -> Result<(), ImportError> {
        let InstanceRecords { keys, webhooks, chats, rules, .. } = records;
        let payloads = self.root.join("payloads");
        let queue = Queue::open(Arc::clone(&self.database), payloads, tasks::Options::default())?;
        if let Some(keys) = keys {
            KeyStore::load(&self.database, None).map_err(unusable)?.replace(&queue, keys)?;
        }
        let store = WebhookStore::load(&self.database, None).map_err(unusable)?;
        store.replace_all(&queue, webhooks)?;
        let store = ChatStore::load(&self.database).map_err(unusable)?;
        for (uid, settings) in chats {
            store.update(&queue, &uid, |_| Ok(settings))?;
        }
        RuleStore::load(&self.database, self.options.rule_limits).map_err(unusable)?;
        let edits: Vec<RuleEdit> = rules.into_iter().map(RuleEdit::put).collect();
        queue.transact(RegistryUpdate::new(move |into| RuleStore::write(&edits, into)))?;
        Ok(())
    }

    /// Refuses now what a start would refuse.
    fn check(&self) -> Result<(), ImportError> {
        let database = &self.database;
        FeatureStore::load(database, Features::default(), false).map_err(unusable)?;
        NetworkStore::load(database).map_err(ImportError)?;
        Placements::load(database).map_err(ImportError)?;
        RuleStore::load(database, self.options.rule_limits).map_err(unusable)?;
        ChatStore::load(database).map_err(unusable)?;
        Ok(())
    }
}

fn write_synced(path: &Path, text: &str) -> io::Result<()> {
    let mut file = private::create_file(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn unwritable(error: io::Error) -> ImportError {
    ImportError(format!("the data folder cannot be written: {error}"))
}

fn unusable(error: impl std::fmt::Display) -> ImportError {
    ImportError(format!("meta.redb cannot be written: {error}"))
}
