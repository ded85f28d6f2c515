//! `sonde dump`: has the server write a dump, and says what it is called.

use std::io::Write;
use std::time::Instant;

use clap::{ArgMatches, Command};
use outbound::Method;

use crate::arguments;
use crate::error::{CliError, written};
use crate::interrupt::Interrupt;
use crate::server::Server;
use crate::tasks::{Enqueued, wait_for};
use crate::terminal::duration;

pub(crate) fn command() -> Command {
    Command::new("dump")
        .about("Has a server write a dump, from which an instance can be made again")
        .args(arguments::server())
}

pub(crate) fn run(matches: &ArgMatches) -> Result<(), CliError> {
    let server = Server::new(&arguments::place(matches), &Interrupt::listen())?;
    let start = Instant::now();
    let task: Enqueued = server.send_once(Method::Post, "/dumps")?;
    eprintln!("task {}: the dump is being written", task.task_uid);
    let task = wait_for(&server, &task)?;
    let uid = task.details["dumpUid"].as_str().unwrap_or("unknown");
    let time = duration(start.elapsed());
    // Where the folder is, only the machine of the server knows.
    let line = format!(
        "{uid}.dump, written in {time}. It stands in the dump folder of the server (--dump-dir, \
         which is dumps/ where the server was started unless it was given).\nTo start from it: \
         sonde --import-dump dumps/{uid}.dump"
    );
    written(writeln!(std::io::stdout(), "{line}"))
}
