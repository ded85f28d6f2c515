//! State shared by all requests: the engine, the options, and the shutdown signal.

use std::sync::Arc;

use engine::Engine;
use model::ServiceError;
use remote_search::RemoteSearcher;
use tokio::sync::watch;

use crate::blocking::run_blocking;
use crate::http::limits::Limits;
use crate::options::ServerOptions;
use crate::relay::Relay;

#[derive(Clone)]
pub(crate) struct App {
    pub engine: Arc<Engine>,
    pub remotes: Arc<RemoteSearcher>,
    pub options: Arc<ServerOptions>,
    /// Limits of every request.
    pub limits: Arc<Limits>,
    /// Broadcasts changes of tasks to event streams.
    pub relay: Relay,
    /// Turns true when the server shuts down, which ends endless answers.
    pub closing: watch::Receiver<bool>,
}

impl App {
    /// Runs engine work off the threads that drive connections: it may touch the disk.
    pub async fn blocking<T, F>(&self, work: F) -> Result<T, ServiceError>
    where
        F: FnOnce(&Engine) -> Result<T, ServiceError> + Send + 'static,
        T: Send + 'static,
    {
        let engine = Arc::clone(&self.engine);
        run_blocking(move || work(&engine)).await
    }
}
