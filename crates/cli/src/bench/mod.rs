//! `sonde bench`: how long searches take, with several clients at once.

mod figures;
mod queries;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use clap::{Arg, ArgMatches, Command, value_parser};
use outbound::{Call, Client, Method};
use serde_json::Value;

use crate::arguments;
use crate::error::{CliError, written};
use crate::interrupt::Interrupt;
use crate::server::{Server, refusal, segment};
use figures::Figures;

const STOP_CHECK: Duration = Duration::from_millis(50);

pub(crate) fn command() -> Command {
    Command::new("bench")
        .about("Measures how long the searches of a file take")
        .long_about(
            "Measures how long the searches of a file take, with several clients that each ask \
             again as soon as they are answered. A line of the file is a query, or a JSON object \
             with the parameters of a search. The queries are asked once first, so that nothing \
             is measured of a server that has just started.",
        )
        .arg(Arg::new("index").value_name("INDEX").required(true).help("Index to search"))
        .arg(
            Arg::new("queries")
                .long("queries")
                .value_name("FILE")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("File with a query on each line"),
        )
        .args(arguments::server())
        .arg(
            Arg::new("clients")
                .long("clients")
                .value_name("NUMBER")
                .default_value("4")
                .value_parser(value_parser!(u64).range(1..=10_000))
                .help("Clients that ask at the same time"),
        )
        .arg(
            Arg::new("seconds")
                .long("seconds")
                .value_name("NUMBER")
                .default_value("10")
                .value_parser(value_parser!(u64).range(1..=86_400))
                .help("How long to measure"),
        )
}

pub(crate) fn run(matches: &ArgMatches) -> Result<(), CliError> {
    let interrupt = Interrupt::listen();
    let server = Server::new(&arguments::place(matches), &interrupt)?;
    let path = matches.get_one::<PathBuf>("queries").cloned().unwrap_or_default();
    let queries = queries::read(&path)?;
    let route = format!("/indexes/{}/search", segment(&arguments::text(matches, "index")));
    for query in &queries {
        // A query that is refused is told at once.
        let _: Value = server.send(Method::Post, &route, query)?;
    }
    let calls: Vec<Call> = queries
        .iter()
        .map(|query| {
            server.call(
                Method::Post,
                &route,
                Some("application/json"),
                Bytes::from(query.to_string()),
            )
        })
        .collect();
    let clients = matches.get_one("clients").copied().unwrap_or(1_u64);
    let time = Duration::from_secs(matches.get_one("seconds").copied().unwrap_or(1));
    eprintln!("{clients} clients, {} queries, {} s", calls.len(), time.as_secs());
    let (figures, elapsed) = measure(server.client(), &Arc::new(calls), clients, time, &interrupt);
    written(write!(std::io::stdout(), "{}", figures.shown(elapsed)))?;
    interrupt.check()?;
    if figures.errors() == 0 { Ok(()) } else { Err(CliError::Told) }
}

/// Every client takes the next query of the list, which is shared.
fn measure(
    client: &Client,
    calls: &Arc<Vec<Call>>,
    clients: u64,
    time: Duration,
    interrupt: &Interrupt,
) -> (Figures, Duration) {
    let next = Arc::new(AtomicUsize::new(0));
    let (sender, receiver) = mpsc::channel();
    let start = Instant::now();
    let mut running = Vec::new();
    for _ in 0..clients {
        let work = ask(
            client.clone(),
            Arc::clone(calls),
            Arc::clone(&next),
            start + time,
            interrupt.clone(),
        );
        let sender = sender.clone();
        running.extend(client.start(async move {
            // The receiver waits for all.
            let _ = sender.send(work.await);
        }));
    }
    drop(sender);
    let mut figures = Figures::default();
    loop {
        match receiver.recv_timeout(STOP_CHECK) {
            Ok(of_one) => figures.add(of_one),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    (figures, start.elapsed())
}

async fn ask(
    client: Client,
    calls: Arc<Vec<Call>>,
    next: Arc<AtomicUsize>,
    end: Instant,
    interrupt: Interrupt,
) -> Figures {
    let mut figures = Figures::default();
    while Instant::now() < end && !interrupt.came() {
        let call = &calls[next.fetch_add(1, Ordering::Relaxed) % calls.len()];
        let start = Instant::now();
        match client.send(call).await {
            Ok(answer) if answer.status < 400 => figures.answered(start.elapsed()),
            Ok(answer) => figures.failed(refusal(&answer).to_string()),
            Err(error) => figures.failed(error.to_string()),
        }
    }
    figures
}
