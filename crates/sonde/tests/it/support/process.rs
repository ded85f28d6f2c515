//! The program under test as a child process, in a folder of its own and with none of our
//! variables in its environment.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use sonde::options::option::ENVIRONMENT_PREFIXES;

const START_LIMIT: Duration = Duration::from_secs(120);
const STEP: Duration = Duration::from_millis(2);

/// Path of the program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_sonde");

/// A command for the program, run in this folder.
pub fn sonde(folder: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command.current_dir(folder).stdin(Stdio::null());
    remove_our_variables(&mut command);
    command
}

/// Removes variables of the test environment, which must not reach the program.
pub fn remove_our_variables(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let ours = name
            .to_str()
            .is_some_and(|name| ENVIRONMENT_PREFIXES.iter().any(|prefix| name.starts_with(prefix)));
        if ours {
            command.env_remove(name);
        }
    }
}

/// Runs the program until it ends by itself, which it must do soon.
pub fn run(folder: &Path, arguments: &[&str]) -> Output {
    run_command(sonde(folder).args(arguments))
}

pub fn run_command(command: &mut Command) -> Output {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let start = Instant::now();
    while child.try_wait().expect("the state of the child").is_none() {
        if start.elapsed() > START_LIMIT {
            child.kill().expect("the child can be killed");
            panic!("{command:?} does not end");
        }
        sleep(STEP);
    }
    child.wait_with_output().expect("what the program printed")
}

/// A server that was started. It is killed when dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
    errors: PathBuf,
}

impl Server {
    /// Starts a server on a free port, with `data` in the folder as its database.
    pub fn spawn(folder: &Path, arguments: &[impl AsRef<OsStr>]) -> Self {
        Self::spawn_command(sonde(folder), folder, arguments)
    }

    /// Starts a server on a given address, to restart it where it was.
    pub fn spawn_at(folder: &Path, address: SocketAddr, arguments: &[impl AsRef<OsStr>]) -> Self {
        Self::spawn_on(sonde(folder), folder, address, arguments)
    }

    /// Starts a server without switching telemetry off.
    pub fn spawn_as_given(
        mut command: Command,
        folder: &Path,
        arguments: &[impl AsRef<OsStr>],
    ) -> Self {
        command.args(["--db-path", "data", "--http-addr", "127.0.0.1:0"]).args(arguments);
        Self::start(command, folder)
    }

    pub fn spawn_command(command: Command, folder: &Path, arguments: &[impl AsRef<OsStr>]) -> Self {
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self::spawn_on(command, folder, any, arguments)
    }

    fn spawn_on(
        mut command: Command,
        folder: &Path,
        address: SocketAddr,
        arguments: &[impl AsRef<OsStr>],
    ) -> Self {
        command
            .args(["--no-analytics", "--db-path", "data"])
            .args(["--http-addr".to_owned(), address.to_string()])
            .args(arguments);
        Self::start(command, folder)
    }

    /// Starts what the command says, which must be a server.
    pub fn start(mut command: Command, folder: &Path) -> Self {
        let errors = folder.join("stderr");
        let child = command
            .stdout(Stdio::null())
            .stderr(File::create(&errors).expect("a file for stderr"))
            .spawn()
            .expect("the program can be started");
        Self { child, errors }
    }

    /// Waits until clients can connect; `Err` with what was printed when the program ends.
    pub fn address(&mut self) -> Result<SocketAddr, String> {
        let start = Instant::now();
        while start.elapsed() < START_LIMIT {
            let ended = self.has_ended();
            let printed = self.printed();
            if let Some(port) = listening_port(&printed) {
                return Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
            }
            if ended {
                return Err(printed);
            }
            sleep(STEP);
        }
        Err(format!("not listening after {START_LIMIT:?}: {}", self.printed()))
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn printed(&self) -> String {
        fs::read_to_string(&self.errors).unwrap_or_default()
    }

    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("the state of the child").is_some()
    }

    /// SIGKILL: the process gets no chance to put anything in order.
    pub fn kill(&mut self) {
        self.child.kill().expect("the child can be killed");
        self.child.wait().expect("the child ends");
    }

    /// `TERM` or `INT`.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([format!("-{name}"), self.child.id().to_string()])
            .status()
            .expect("kill can be run");
        assert!(sent.success(), "SIG{name} was not sent");
    }

    pub fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("the state of the child") {
                return Some(status);
            }
            if start.elapsed() > limit {
                return None;
            }
            sleep(STEP);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn listening_port(printed: &str) -> Option<u16> {
    let line = printed.lines().find(|line| line.starts_with("Server listening on:"))?;
    // A line that is still being written has no end yet.
    printed.contains(&format!("{line}\n")).then_some(())?;
    line.rsplit(':').next()?.parse().ok()
}
