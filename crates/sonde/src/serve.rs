//! The life of a server: reserve the address, open the database, answer until a signal comes,
//! end in good order.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use engine::search::QueueOptions;
use engine::{EmbedderOptions, Engine, EngineOptions};
use server::{ServerOptions, VersionInfo};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::options::config::Config;
use crate::signals::Signals;
use crate::{banner, listen, logging, version};

/// How long what is left of a request may run on once the server has closed.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// Returns the exit code of an orderly end.
pub fn serve(config: &Config, notes: &[String]) -> anyhow::Result<u8> {
    logging::start(config.log_level, config.logs_mode)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the threads of the server cannot be started")?;
    let ended = runtime.block_on(live(config, notes));
    runtime.shutdown_timeout(LAST_WAIT);
    ended
}

async fn live(config: &Config, notes: &[String]) -> anyhow::Result<u8> {
    let mut signals = Signals::listen()?;
    // First the address, which is quickly refused; nobody can connect before the database is open.
    let sockets = listen::reserve(&config.http_addr).await?;
    let engine_options = engine_options(config);
    let opening = tokio::task::spawn_blocking(move || Engine::open(engine_options));
    let engine = tokio::select! {
        opened = opening => opened.context("the database could not be opened")??,
        // The database survives being left at any moment, so there is nothing to wait for.
        signal = signals.next() => signal.exit(),
    };
    let listeners = listen::listen(sockets)?;
    banner::print(config, listeners.port, notes);

    let (close, closing) = watch::channel(false);
    let mut servers = JoinSet::new();
    for listener in listeners.sockets {
        let mut closing = closing.clone();
        let closed = async move {
            // An error means that the sender is gone, which is a reason to close as well.
            let _ = closing.wait_for(|&close| close).await;
        };
        servers.spawn(server::serve(listener, Arc::clone(&engine), server_options(config), closed));
    }

    let signal = tokio::select! {
        signal = signals.next() => signal,
        ended = servers.join_next() => return failed(ended),
    };
    tracing::info!("{} received: finishing what is running", signal.name());
    tokio::spawn(async move { signals.next().await.exit() });
    let _ = close.send(true);
    while let Some(ended) = servers.join_next().await {
        ended.context("the server crashed")?.context("the server failed")?;
    }
    tokio::task::spawn_blocking(move || engine.shutdown())
        .await
        .context("the database could not be closed")?;
    tracing::info!("stopped");
    Ok(signal.exit_code())
}

type Ended = Option<Result<std::io::Result<()>, tokio::task::JoinError>>;

/// A server that ends although nobody asked it to.
fn failed(ended: Ended) -> anyhow::Result<u8> {
    match ended {
        Some(result) => result.context("the server crashed")?.context("the server failed")?,
        None => anyhow::bail!("there is no address to listen on"),
    }
    anyhow::bail!("the server ended unexpectedly")
}

fn engine_options(config: &Config) -> EngineOptions {
    EngineOptions {
        db_path: config.db_path.clone(),
        max_indexing_memory: config.max_indexing_memory_bytes,
        max_indexing_threads: config.max_indexing_threads,
        max_batched_tasks: config.max_batched_tasks,
        max_batched_bytes: config.max_batched_bytes,
        launch_features: config.launch_features,
        search_queue: QueueOptions {
            threads: config.search_threads,
            capacity: config.search_queue_size,
            patience: config.drop_search_after,
        },
        embedders: EmbedderOptions {
            openai_api_key: config.embedders.openai_api_key.clone(),
            ollama_url: config.embedders.ollama_url.clone(),
            timeout: config.embedders.timeout,
            max_retry_delay: config.embedders.max_retry_delay,
            cached_queries: config.embedders.cached_queries,
            failure_modes: config.embedders.failure_modes,
            ..EmbedderOptions::default()
        },
        preload_vectors: config.preload_vectors,
        remote_search_timeout: config.remote_search_timeout,
        topology_patience: EngineOptions::TOPOLOGY_PATIENCE,
        chat_api_key: config.chat_api_key.clone(),
        address_policy: config.address_policy.clone(),
    }
}

fn server_options(config: &Config) -> ServerOptions {
    ServerOptions {
        payload_limit: config.payload_limit_bytes,
        // Production needs a master key, and `Config` lets nobody through without one.
        production: false,
        version: VersionInfo {
            commit_sha: version::COMMIT_SHA.to_owned(),
            commit_date: version::COMMIT_DATE.to_owned(),
            pkg_version: version::PACKAGE.to_owned(),
        },
    }
}
