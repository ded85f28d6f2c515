//! The server under test: building it, and running it as a child process on loopback.
//!
//! What is asked of it over HTTP belongs to `http` and to the runs.

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::data::Documents;
use crate::http::{Client, NDJSON};
use crate::options::{Folders, Options};

/// Builds the server the way it is shipped and returns the program.
fn build(workspace: &Path) -> Result<PathBuf> {
    println!("building the server (profile dist)");
    let output = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
        .args(["build", "--profile", "dist", "-p", "sonde"])
        .args(["--message-format", "json-render-diagnostics"])
        .current_dir(workspace)
        .stderr(Stdio::inherit())
        .output()
        .context("starting cargo")?;
    ensure!(output.status.success(), "building the server failed");
    // The build says itself where the program lies, whatever the target folder is.
    let program = String::from_utf8(output.stdout)?
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == "sonde")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from));
    program.context("cargo named no program")
}

/// How to start the server; the same for every run of the program.
#[derive(Clone, Debug)]
pub struct Launch {
    pub program: PathBuf,
    pub indexing_memory_bytes: u64,
    pub more_arguments: Vec<String>,
}

impl Launch {
    /// The server that the options name; without one, it is built.
    pub fn of(options: &Options, folders: &Folders) -> Result<Self> {
        let given = options.server.as_ref().map(fs::canonicalize).transpose();
        let given = given.context("no such server program")?;
        Ok(Launch {
            program: given.map_or_else(|| build(&folders.workspace), Ok)?,
            indexing_memory_bytes: options.indexing_memory_bytes(),
            more_arguments: options.server_arguments.clone(),
        })
    }

    /// Starts the server over `folder` and waits until it answers.
    pub fn start(&self, folder: &Path) -> Result<Server> {
        self.start_until(folder, "/health").map(|(server, _)| server)
    }

    /// Starts the server over `folder`; also returns the time from its start until a GET of
    /// `path` was answered with success.
    pub fn start_until(&self, folder: &Path, path: &str) -> Result<(Server, Duration)> {
        fs::create_dir_all(folder)?;
        let free_port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = free_port.local_addr()?;
        drop(free_port);
        let log = folder.join("server.log");
        let log_file = File::options().create(true).append(true).open(&log)?;
        let mut command = Command::new(&self.program);
        command
            .args(["--http-addr", &address.to_string(), "--no-analytics", "--log-level", "WARN"])
            .arg("--db-path")
            .arg(folder.join("db"))
            .args(["--max-indexing-memory", &self.indexing_memory_bytes.to_string()])
            .args(&self.more_arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(log_file.try_clone()?)
            .stderr(log_file);
        let begin = Instant::now();
        let child =
            command.spawn().with_context(|| format!("starting {}", self.program.display()))?;
        let mut server = Server { child, address, folder: folder.to_owned() };
        while begin.elapsed() < Duration::from_secs(120) {
            if let Ok(answer) = server.client().request("GET", path, None)
                && answer.status == 200
            {
                return Ok((server, begin.elapsed()));
            }
            if let Some(status) = server.child.try_wait()? {
                let said = fs::read_to_string(&log).unwrap_or_default();
                bail!("the server ended at its start: {status}\n{said}");
            }
            thread::sleep(Duration::from_micros(500));
        }
        bail!("the server has not answered GET {path} with success for two minutes")
    }
}

/// A running server. Dropping it kills it.
#[derive(Debug)]
pub struct Server {
    child: Child,
    pub address: SocketAddr,
    folder: PathBuf,
}

impl Server {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its data folder.
    pub fn data(&self) -> PathBuf {
        self.folder.join("db")
    }

    pub fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// Asks the server to end, as an operator would, and waits for it.
    pub fn stop(mut self) -> Result<()> {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        kill_process(pid.context("no process id")?, Signal::TERM)?;
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(60) {
            if self.child.try_wait()?.is_some() {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(5));
        }
        bail!("the server has not ended within a minute of being asked")
    }

    /// Ends the server without warning.
    pub fn kill(self) {
        drop(self);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Sends every document and waits until the last task has finished.
pub fn import(client: &mut Client, index: &str, documents: &Documents) -> Result<()> {
    let path = format!("/indexes/{index}/documents?primaryKey=id");
    let mut last = None;
    for batch in documents.batches()? {
        last = Some(client.post_task(&path, NDJSON, &batch?.body)?);
    }
    let last = last.context("no document to import")?;
    client.wait_for_task(last, Duration::from_millis(20))?;
    client.no_task_failed()?;
    let found = client.number_of_documents(index)?;
    ensure!(found == documents.docs as u64, "{found} of {} documents found", documents.docs);
    Ok(())
}
