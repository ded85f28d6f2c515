//! Runs blocking work off the threads that drive connections.

use model::ServiceError;

/// Runs `work`. A panic becomes an error instead of ending the connection.
pub(crate) async fn run_blocking<T, F>(work: F) -> Result<T, ServiceError>
where
    F: FnOnce() -> Result<T, ServiceError> + Send + 'static,
    T: Send + 'static,
{
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|panicked| {
        Err(ServiceError::internal(format!("the request could not be finished: {panicked}")))
    })
}
