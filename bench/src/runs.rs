//! The runs: each measures one thing, alone on the machine, and hands back rows and raw numbers.

pub mod again;
pub mod bm25;
pub mod embed;
pub mod enqueue;
pub mod filters;
pub mod growth;
pub mod indexes;
pub mod indexing;
pub mod isolation;
pub mod search;
pub mod search_isolation;
pub mod settings;
pub mod startup;
pub mod typos;
pub mod updates;
pub mod vectors;

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::Value;

use crate::data::{Documents, Set};
use crate::http::{Client, JSON};
use crate::measure;
use crate::options::{Folders, Options};
use crate::report::Row;
use crate::server::{self, Launch};

/// How often a task is asked for when its latency is measured.
const POLL: Duration = Duration::from_micros(500);
/// Connections of the runs that send many small requests.
const CONNECTIONS: usize = 8;

pub struct Outcome {
    pub rows: Vec<Row>,
    pub raw: Value,
}

/// What every run needs.
pub struct Bench {
    pub options: Options,
    pub folders: Folders,
    pub launch: Launch,
    /// See [`Bench::stored`].
    stored: Option<Stored>,
}

/// A server folder that already holds the npm set, in the index [`Stored::INDEX`].
#[derive(Clone)]
pub struct Stored {
    pub folder: PathBuf,
    pub documents: Documents,
}

impl Stored {
    pub const INDEX: &'static str = "npm";
}

impl Bench {
    pub fn new(options: Options, folders: Folders, launch: Launch) -> Self {
        Bench { options, folders, launch, stored: None }
    }

    pub fn documents(&self, set: Set) -> Result<Documents> {
        set.documents(&self.folders.data, self.options.docs())
    }

    /// A new empty folder below the work folder.
    fn empty_folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folders.work.join(name);
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Whether the server makes documents searchable. While it does not, it does less than the
    /// peer and less than the targets speak of, and no verdict may be given.
    pub fn server_can_search(&self) -> Result<bool> {
        let folder = self.empty_folder("probe")?;
        let server = self.launch.start(&folder)?;
        let mut client = server.client();
        timed_write(&mut client, "probe", r#"{"id":1,"title":"searchable"}"#)?;
        let found = client.finds("probe", "searchable")?;
        server.stop()?;
        fs::remove_dir_all(folder)?;
        Ok(found)
    }

    /// The npm set imported and settled, the server stopped: imported once for all the runs of
    /// this program that want many documents to be there already.
    fn stored(&mut self) -> Result<Stored> {
        if let Some(stored) = &self.stored {
            return Ok(stored.clone());
        }
        let documents = self.documents(Set::Npm)?;
        println!("importing {} documents to start from", documents.docs);
        let folder = self.empty_folder("stored")?;
        let server = self.launch.start(&folder)?;
        server::import(&mut server.client(), Stored::INDEX, &documents)?;
        measure::settle(server.pid(), &server.data())?;
        server.stop()?;
        Ok(self.stored.insert(Stored { folder, documents }).clone())
    }

    /// For a run that has changed what is stored: the next one starts from a new import.
    fn forget_stored(&mut self) -> Result<()> {
        match self.stored.take() {
            Some(stored) => Ok(fs::remove_dir_all(stored.folder)?),
            None => Ok(()),
        }
    }
}

/// A write of one small document, from the POST until its task has finished. Also returns the
/// part of it until the answer to the POST.
fn timed_write(client: &mut Client, index: &str, document: &str) -> Result<(Duration, Duration)> {
    let path = format!("/indexes/{index}/documents?primaryKey=id");
    let begin = Instant::now();
    let task = client.post_task(&path, JSON, document.as_bytes())?;
    let acknowledged = begin.elapsed();
    client.wait_for_task(task, POLL)?;
    Ok((begin.elapsed(), acknowledged))
}

/// Does `work` on a thread of its own and `meanwhile` beside it, which can ask whether the work
/// has finished. Both results, and how long the work took.
fn beside<W: Send, M>(
    work: impl FnOnce() -> Result<W> + Send,
    meanwhile: impl FnOnce(&dyn Fn() -> bool) -> Result<M>,
) -> Result<(W, Duration, M)> {
    let finished = AtomicBool::new(false);
    thread::scope(|scope| {
        let work = scope.spawn(|| {
            let begin = Instant::now();
            let result = work();
            let time = begin.elapsed();
            finished.store(true, Ordering::Relaxed);
            result.map(|result| (result, time))
        });
        let meanwhile = meanwhile(&|| finished.load(Ordering::Relaxed));
        let (work, time) = work.join().expect("the thread of the work does not panic")?;
        Ok((work, time, meanwhile?))
    })
}

/// Calls `request` for each number below `count`, from several connections at once, each with
/// its own client. Returns every call's result with its time, in no particular order.
fn from_many_connections<T: Send>(
    client: impl Fn() -> Client + Sync,
    count: usize,
    request: impl Fn(&mut Client, usize) -> Result<T> + Sync,
) -> Result<Vec<(T, Duration)>> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<(T, Duration)>> {
        let mut client = client();
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return Ok(done);
            }
            let begin = Instant::now();
            let result = request(&mut client, number)?;
            done.push((result, begin.elapsed()));
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(work)).collect();
        let mut all = Vec::with_capacity(count);
        for thread in threads {
            all.append(&mut thread.join().expect("a connection's thread does not panic")?);
        }
        Ok(all)
    })
}
