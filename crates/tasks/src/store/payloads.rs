//! Bodies of tasks that have not run yet. Small ones are in the database, written in the
//! transaction that enqueues their task, so they need no sync of their own; larger ones are files
//! of the payload folder, synced before that transaction. Names are random and never reused.

use std::collections::HashSet;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use maps::{MapWatch, WatchedMap};
use model::private;
use redb::ReadableDatabase;
use uuid::Uuid;
use xxhash_rust::xxh3::Xxh3;

use super::live_database::LiveDatabase;
use super::schema::PAYLOADS;
use crate::task::error::QueueError;
use crate::task::payload_id::PayloadId;

/// Store of payloads, shared by their writers and readers.
#[derive(Debug, Clone)]
pub struct PayloadStore {
    inner: Arc<Inner>,
}

struct Inner {
    folder: PathBuf,
    database: LiveDatabase,
    largest_in_database: usize,
}

impl PayloadStore {
    pub(crate) fn open(
        folder: PathBuf,
        database: LiveDatabase,
        largest_in_database: usize,
    ) -> Result<Self, QueueError> {
        if !folder.is_dir() {
            private::create_dir_all(&folder).map_err(|source| failed(&folder, source))?;
            sync_folder_of(&folder)?;
        }
        Ok(Self { inner: Arc::new(Inner { folder, database, largest_in_database }) })
    }

    /// Returns a writer for one body.
    pub fn writer(&self) -> PayloadWriter {
        PayloadWriter {
            store: self.inner.clone(),
            key: model::time_ordered_uuid(),
            bytes: 0,
            hash: Box::default(),
            start: Vec::new(),
            file: None,
        }
    }

    /// Returns the bytes of an enqueued task's body.
    pub fn open_payload(&self, payload: &PayloadId) -> Result<PayloadBytes, QueueError> {
        if let Some(name) = payload.file_name() {
            let path = self.inner.folder.join(name);
            let file = File::open(&path).map_err(|source| failed(&path, source))?;
            return checked(payload, Bytes::of_file(&file, &path)?);
        }
        let key = payload.key().as_u128();
        let database = self.inner.database.now();
        let transaction = database.begin_read()?;
        let table = transaction.open_table(PAYLOADS)?;
        match table.get(key)? {
            Some(bytes) => checked(payload, Bytes::Memory(bytes.value().to_vec())),
            None => Err(QueueError::damaged(format!("payload {} is missing", payload.key()))),
        }
    }

    /// Opens a body that is a file, unchecked; it stays readable after its name is removed.
    pub(crate) fn hold_file(
        &self,
        payload: &PayloadId,
    ) -> Result<Option<PayloadBytes>, QueueError> {
        let Some(name) = payload.file_name() else { return Ok(None) };
        let path = self.inner.folder.join(name);
        let file = File::open(&path).map_err(|source| failed(&path, source))?;
        Ok(Some(PayloadBytes(Bytes::of_file(&file, &path)?)))
    }

    /// Removes the file of a finished task. A remaining file is removed at the next start.
    pub(crate) fn remove_file(&self, payload: &PayloadId) {
        if let Some(name) = payload.file_name() {
            remove_quietly(&self.inner.folder.join(name));
        }
    }

    /// Removes the files that no waiting task names: uploads cut short by a crash, and bodies whose
    /// task had just finished. Files with other names are left alone.
    pub(crate) fn remove_orphan_files(&self, kept: &[PayloadId]) -> Result<u64, QueueError> {
        let kept: HashSet<String> = kept.iter().filter_map(PayloadId::file_name).collect();
        let folder = &self.inner.folder;
        let mut removed = 0;
        for entry in fs::read_dir(folder).map_err(|source| failed(folder, source))? {
            let entry = entry.map_err(|source| failed(folder, source))?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if Uuid::try_parse(&name).is_err() || kept.contains(&name) {
                continue;
            }
            remove_quietly(&entry.path());
            removed += 1;
        }
        Ok(removed)
    }
}

/// Collects a body: in memory first, in a file once it has grown.
pub struct PayloadWriter {
    store: Arc<Inner>,
    key: Uuid,
    bytes: u64,
    hash: Box<Xxh3>,
    start: Vec<u8>,
    file: Option<(BufWriter<File>, UnfinishedFile)>,
}

impl PayloadWriter {
    /// Ends the body, which can now be read; it is not durable yet.
    pub fn finish(mut self) -> Result<UnsealedPayload, QueueError> {
        let checksum = self.hash.digest();
        let Some((mut writer, file)) = self.file.take() else {
            let id = PayloadId::in_database(self.key, self.bytes, checksum);
            return Ok(UnsealedPayload { id, bytes: Bytes::Memory(self.start), file: None });
        };
        let id = PayloadId::in_file(self.key, self.bytes, checksum);
        writer.flush().map_err(|source| failed(&file.path, source))?;
        let bytes = Bytes::of_file(writer.get_ref(), &file.path)?;
        let descriptor =
            writer.into_inner().map_err(|error| failed(&file.path, error.into_error()))?;
        Ok(UnsealedPayload { id, bytes, file: Some((descriptor, file)) })
    }

    fn spill(&mut self) -> io::Result<&mut BufWriter<File>> {
        let path = self.store.folder.join(self.key.to_string());
        let file = private::file_options().read(true).write(true).create_new(true).open(&path)?;
        let mut writer = BufWriter::with_capacity(1 << 17, file);
        let guard = UnfinishedFile { path, keep: false };
        writer.write_all(&self.start)?;
        self.start = Vec::new();
        Ok(&mut self.file.insert((writer, guard)).0)
    }
}

impl Write for PayloadWriter {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let written = if let Some((writer, _)) = &mut self.file {
            writer.write(data)?
        } else if self.start.len() + data.len() > self.store.largest_in_database {
            self.spill()?.write(data)?
        } else {
            self.start.extend_from_slice(data);
            data.len()
        };
        self.bytes += written as u64;
        self.hash.update(&data[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.file {
            Some((writer, _)) => writer.flush(),
            None => Ok(()),
        }
    }
}

/// A complete body that can be read and checked. Dropped unsealed, it leaves nothing behind.
#[derive(Debug)]
pub struct UnsealedPayload {
    id: PayloadId,
    bytes: Bytes,
    file: Option<(File, UnfinishedFile)>,
}

impl UnsealedPayload {
    /// Makes the body durable, as far as it can be before its task is.
    pub fn seal(self) -> Result<SealedPayload, QueueError> {
        let Some((descriptor, file)) = self.file else {
            let Bytes::Memory(bytes) = self.bytes else {
                return Err(QueueError::damaged("a payload without its file"));
            };
            return Ok(SealedPayload { id: self.id, in_database: Some(bytes), file: None });
        };
        descriptor.sync_all().map_err(|source| failed(&file.path, source))?;
        sync_folder_of(&file.path)?;
        Ok(SealedPayload { id: self.id, in_database: None, file: Some(file) })
    }
}

impl Deref for UnsealedPayload {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.bytes.as_slice()
    }
}

/// A body ready to be enqueued with its task. If dropped, it leaves nothing behind.
#[derive(Debug)]
pub struct SealedPayload {
    id: PayloadId,
    in_database: Option<Vec<u8>>,
    file: Option<UnfinishedFile>,
}

impl SealedPayload {
    /// Returns the id for the task's content.
    pub fn id(&self) -> PayloadId {
        self.id
    }

    /// Returns what the enqueueing transaction writes.
    pub(crate) fn database_entry(&self) -> Option<(u128, &[u8])> {
        Some((self.id.database_key()?, self.in_database.as_deref()?))
    }

    /// Hands the body over to the task.
    pub(crate) fn keep(mut self) {
        if let Some(file) = &mut self.file {
            file.keep = true;
        }
    }
}

/// The bytes of a body, held while needed.
#[derive(Debug)]
pub struct PayloadBytes(Bytes);

impl PayloadBytes {
    /// Fails if a part of the file could not be read. Check before using what was read: lost parts
    /// read as zeros.
    pub fn check_map(&self) -> Result<(), QueueError> {
        self.0.check_map()
    }
}

impl Deref for PayloadBytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.0.as_slice()
    }
}

impl AsRef<[u8]> for PayloadBytes {
    fn as_ref(&self) -> &[u8] {
        self.0.as_slice()
    }
}

enum Bytes {
    Memory(Vec<u8>),
    Mapped { map: WatchedMap, watch: MapWatch },
}

impl Bytes {
    fn of_file(file: &File, path: &Path) -> Result<Self, QueueError> {
        let watch = MapWatch::default();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // SAFETY: payload files are written once, by this process, before they are mapped, and
        // removing the name leaves the mapping valid. If another process truncates one, the watch
        // reports it.
        #[allow(unsafe_code)]
        let map = unsafe { watch.map(file, &name) }.map_err(|source| failed(path, source))?;
        Ok(Bytes::Mapped { map, watch })
    }

    fn check_map(&self) -> Result<(), QueueError> {
        let Bytes::Mapped { watch, .. } = self else { return Ok(()) };
        match watch.failed() {
            None => Ok(()),
            Some(name) => {
                let what = format!("a part of payloads/{name} could not be read");
                Err(QueueError::damaged(what))
            }
        }
    }

    fn as_slice(&self) -> &[u8] {
        match self {
            Bytes::Memory(bytes) => bytes,
            Bytes::Mapped { map, .. } => map.as_ref(),
        }
    }
}

/// Removes the file unless its task was enqueued.
#[derive(Debug)]
struct UnfinishedFile {
    path: PathBuf,
    keep: bool,
}

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        if !self.keep {
            remove_quietly(&self.path);
        }
    }
}

/// Verifies a body: one that differs from what was received is reported, never used.
fn checked(payload: &PayloadId, bytes: Bytes) -> Result<PayloadBytes, QueueError> {
    let is_as_received = payload.check(bytes.as_slice());
    bytes.check_map()?;
    is_as_received?;
    Ok(PayloadBytes(bytes))
}

impl fmt::Debug for PayloadWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PayloadWriter").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

fn remove_quietly(path: &Path) {
    if let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!("the payload file {} stays behind: {error}", path.display());
    }
}

fn sync_folder_of(path: &Path) -> Result<(), QueueError> {
    let folder = path.parent().unwrap_or(path);
    let synced = File::open(folder).and_then(|descriptor| descriptor.sync_all());
    synced.map_err(|source| failed(folder, source))
}

fn failed(path: &Path, source: io::Error) -> QueueError {
    QueueError::Payload { path: path.to_owned(), source }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PayloadStore").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.as_slice().len())
    }
}
