//! `sonde dump`: asks the server to create a dump and prints its name.

use std::io::Write;
use std::time::Instant;

use clap::{ArgMatches, Command};
use outbound::Method;

use crate::arguments;
use crate::error::{CliError, ignore_broken_pipe};
use crate::interrupt::Interrupt;
use crate::server::Server;
use crate::tasks::{EnqueuedTask, wait_for};
use crate::terminal::duration;

pub(crate) fn command() -> Command {
    Command::new("dump")
        .about("Creates a dump on the server, from which a new instance can be restored")
        .args(arguments::server())
}

pub(crate) fn run(matches: &ArgMatches) -> Result<(), CliError> {
    let server = Server::new(&arguments::server_args(matches), &Interrupt::listen())?;
    let start = Instant::now();
    let task: EnqueuedTask = server.send_once(Method::Post, "/dumps")?;
    eprintln!("task {}: creating the dump", task.task_uid);
    let task = wait_for(&server, &task)?;
    let uid = task.details["dumpUid"].as_str().unwrap_or("unknown");
    let time = duration(start.elapsed());
    // Only the server knows the absolute path of its dump folder.
    let line = format!(
        "{uid}.dump, created in {time} in the dump folder of the server (see --dump-dir).\n\
         To start from it: sonde --import-dump dumps/{uid}.dump"
    );
    ignore_broken_pipe(writeln!(std::io::stdout(), "{line}"))
}
