//! `sonde bench`: measures search latency with several concurrent clients.

mod latency;
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
use crate::error::{CliError, ignore_broken_pipe};
use crate::interrupt::Interrupt;
use crate::server::{Server, error_in, segment};
use latency::LatencyStats;

const STOP_CHECK: Duration = Duration::from_millis(50);

pub(crate) fn command() -> Command {
    Command::new("bench")
        .about("Measures search latency with the queries of a file")
        .long_about(
            "Measures search latency with several concurrent clients. Each line of the file is a \
             query, or a JSON object with search parameters. All queries run once before the \
             measurement, to warm up the server.",
        )
        .arg(Arg::new("index").value_name("INDEX").required(true).help("Index to search"))
        .arg(
            Arg::new("queries")
                .long("queries")
                .value_name("FILE")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("File with one query per line"),
        )
        .args(arguments::server())
        .arg(
            Arg::new("clients")
                .long("clients")
                .value_name("NUMBER")
                .default_value("4")
                .value_parser(value_parser!(u64).range(1..=10_000))
                .help("Number of concurrent clients"),
        )
        .arg(
            Arg::new("seconds")
                .long("seconds")
                .value_name("NUMBER")
                .default_value("10")
                .value_parser(value_parser!(u64).range(1..=86_400))
                .help("Duration of the measurement in seconds"),
        )
}

pub(crate) fn run(matches: &ArgMatches) -> Result<(), CliError> {
    let interrupt = Interrupt::listen();
    let server = Server::new(&arguments::server_args(matches), &interrupt)?;
    let path = matches.get_one::<PathBuf>("queries").cloned().unwrap_or_default();
    let queries = queries::read(&path)?;
    let route = format!("/indexes/{}/search", segment(&arguments::text(matches, "index")));
    for query in &queries {
        // Fails early if the server refuses a query.
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
    let (stats, elapsed) = measure(server.client(), &Arc::new(calls), clients, time, &interrupt);
    ignore_broken_pipe(write!(std::io::stdout(), "{}", stats.report(elapsed)))?;
    interrupt.check()?;
    if stats.errors() == 0 { Ok(()) } else { Err(CliError::AlreadyReported) }
}

/// Runs the clients until the time is over; each takes the next query of the shared list.
fn measure(
    client: &Client,
    calls: &Arc<Vec<Call>>,
    clients: u64,
    time: Duration,
    interrupt: &Interrupt,
) -> (LatencyStats, Duration) {
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
            // The receiver outlives all clients.
            let _ = sender.send(work.await);
        }));
    }
    drop(sender);
    let mut stats = LatencyStats::default();
    loop {
        match receiver.recv_timeout(STOP_CHECK) {
            Ok(of_one) => stats.add(of_one),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    (stats, start.elapsed())
}

async fn ask(
    client: Client,
    calls: Arc<Vec<Call>>,
    next: Arc<AtomicUsize>,
    end: Instant,
    interrupt: Interrupt,
) -> LatencyStats {
    let mut stats = LatencyStats::default();
    while Instant::now() < end && !interrupt.cancel.is_cancelled() {
        let call = &calls[next.fetch_add(1, Ordering::Relaxed) % calls.len()];
        let start = Instant::now();
        match client.send(call).await {
            Ok(answer) if answer.status < 400 => stats.answered(start.elapsed()),
            Ok(answer) => stats.failed(error_in(&answer).to_string()),
            Err(error) => stats.failed(error.to_string()),
        }
    }
    stats
}
