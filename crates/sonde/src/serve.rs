//! Runs the server: reserves the address, opens the database, serves until a signal arrives, and
//! shuts down in good order.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, ensure};
use engine::keys::MasterKey;
use engine::search::QueueOptions;
use engine::webhooks::WebhookOptions;
use engine::{
    EmbedderOptions, Engine, EngineOptions, Import, OpenError, PersonalizationOptions, dumps,
    snapshots,
};
use server::{Listeners, ServerOptions, Tls, VersionInfo};
use telemetry::Telemetry;
use tokio::sync::oneshot;

use crate::options::config::Config;
use crate::signals::{Hangups, Signals};
use crate::{banner, listen, logging, machine, notify, tls, usage, version};

/// How long remaining work may run after the server has closed.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// Margin below the payload limit; request heads do not count, so a little is enough.
const MIB: u64 = 1 << 20;

/// Runs the server and returns the exit code of an orderly shutdown.
pub fn serve(config: &Config, notes: &[String]) -> anyhow::Result<u8> {
    // Answers carry a date, and HTTP dates start in 1970.
    ensure!(
        SystemTime::now() >= UNIX_EPOCH,
        "the clock of this machine shows a time before 1970: set it, then start again"
    );
    let logs = logging::start(config)?;
    if let Err(error) = machine::raise_descriptors() {
        tracing::warn!("the limit of open files could not be raised: {error}");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the threads of the server cannot be started")?;
    let ended = runtime.block_on(run_until_signal(config, notes, &logs));
    runtime.shutdown_timeout(SHUTDOWN_GRACE);
    logs.flush();
    ended
}

async fn run_until_signal(
    config: &Config,
    notes: &[String],
    logs: &logs::Control,
) -> anyhow::Result<u8> {
    let mut signals = Signals::listen()?;
    // Checks that fail fast come first; clients cannot connect before the database is open.
    let tls = load_tls(config).await?;
    let sockets = listen::reserve(&config.http_addr).await?;
    let engine_options = engine_options(config);
    let import_snapshot = config.import_snapshot.clone();
    let import_dump = config.import_dump.clone();
    let opening = tokio::task::spawn_blocking(move || {
        if let Some(import) = import_snapshot {
            import_snapshot_file(&import, &engine_options)?;
        }
        if let Some(import) = import_dump {
            import_dump_file(&import, &engine_options)?;
        }
        Engine::open(engine_options)
    });
    let engine = tokio::select! {
        opened = opening => opened.context("the database could not be opened")??,
        // The database is crash-safe, so there is nothing to wait for.
        signal = signals.next() => signal.exit(),
    };
    let telemetry = usage::start(config, &engine)?;
    let listeners = listen::listen(sockets)?;
    banner::print(config, listeners.port, &telemetry, notes);
    notify::send(notify::READY);

    let (close, closing) = oneshot::channel::<()>();
    let closed = async {
        // An error means that the sender is gone, which also closes the server.
        let _ = closing.await;
    };
    let entrance = Listeners::new(listeners.sockets, tls);
    let options = server_options(config, logs, telemetry);
    let serving = server::serve(entrance, Arc::clone(&engine), options, closed);
    let mut serving = tokio::spawn(serving);

    let signal = tokio::select! {
        signal = signals.next() => signal,
        ended = &mut serving => {
            ended.context("the server crashed")?.context("the server failed")?;
            anyhow::bail!("the server ended unexpectedly");
        }
    };
    tracing::info!("{} received: finishing running work", signal.name());
    notify::send(notify::STOPPING);
    tokio::spawn(async move { signals.next().await.exit() });
    drop(close);
    serving.await.context("the server crashed")?.context("the server failed")?;
    tokio::task::spawn_blocking(move || engine.shutdown())
        .await
        .context("the database could not be closed")?;
    tracing::info!("stopped");
    Ok(signal.exit_code())
}

/// Loads the certificates and reloads them on SIGHUP.
async fn load_tls(config: &Config) -> anyhow::Result<Option<Tls>> {
    let Some(files) = config.tls.clone() else {
        return Ok(None);
    };
    let to_load = files.clone();
    let loaded = tokio::task::spawn_blocking(move || tls::load(&to_load)).await;
    let tls = Tls::new(loaded.context("HTTPS cannot be set up")??);
    tokio::spawn(tls::reload_on_hangup(files, tls.clone(), Hangups::listen()?));
    Ok(Some(tls))
}

fn import_snapshot_file(import: &Import, options: &EngineOptions) -> Result<(), OpenError> {
    if snapshots::import_snapshot(import, &options.db_path)? {
        tracing::info!("the database was made from the snapshot {}", import.file.display());
    }
    Ok(())
}

fn import_dump_file(import: &Import, options: &EngineOptions) -> Result<(), OpenError> {
    if dumps::import_dump(import, options)? {
        tracing::info!("the database was made from the dump {}", import.file.display());
    }
    Ok(())
}

fn engine_options(config: &Config) -> EngineOptions {
    EngineOptions {
        db_path: config.db_path.clone(),
        max_indexing_memory: config.max_indexing_memory_bytes,
        max_indexing_threads: config.max_indexing_threads,
        max_batched_tasks: config.max_batched_tasks,
        max_batched_bytes: config.max_batched_bytes,
        launch_features: config.launch_features,
        master_key: config.master_key.as_ref().map(|key| MasterKey::new(key.expose())),
        search_queue: QueueOptions {
            threads: config.search_threads,
            capacity: config.search_queue_size,
            max_wait: config.drop_search_after,
        },
        embedders: EmbedderOptions {
            openai_api_key: config.embedders.openai_api_key.clone(),
            ollama_url: config.embedders.ollama_url.clone(),
            timeout: config.embedders.timeout,
            max_retry_delay: config.embedders.max_retry_delay,
            cached_queries: config.embedders.cached_queries,
            failure_modes: config.embedders.failure_modes,
            models: config.embedders.models.clone(),
            ..EmbedderOptions::default()
        },
        preload_vectors: config.preload_vectors,
        remote_search_timeout: config.remote_search_timeout,
        topology_timeout: EngineOptions::TOPOLOGY_TIMEOUT,
        rule_limits: config.rule_limits,
        legacy_search_default: config.legacy_search_default,
        chat_api_key: config.chat_api_key.clone(),
        personalization: config
            .personalization_api_key
            .clone()
            .map(|api_key| PersonalizationOptions { api_key, url: None }),
        snapshots: config.snapshots.clone(),
        dump_folder: config.dump_folder.clone(),
        export_payload_bytes: config.payload_limit_bytes.saturating_sub(MIB).max(20 * MIB),
        webhooks: WebhookOptions {
            launch: config.launch_webhook.clone(),
            write_task: Some(server::write_task),
            ..WebhookOptions::default()
        },
        address_policy: config.address_policy.clone(),
    }
}

fn server_options(config: &Config, logs: &logs::Control, telemetry: Telemetry) -> ServerOptions {
    ServerOptions {
        dashboard: config.dashboard,
        version: VersionInfo {
            commit_sha: version::COMMIT_SHA.to_owned(),
            commit_date: version::COMMIT_DATE.to_owned(),
            pkg_version: version::PACKAGE.to_owned(),
            reports_interface: config.report_interface_version,
        },
        telemetry,
        bounds: config.bounds.clone(),
        allowed_hosts: config.allowed_hosts.clone(),
        traffic: Arc::default(),
        logs: Some(logs.clone()),
    }
}
