//! Waiting for one's turn in the search queue.

use engine::Engine;
use engine::search::Turn;
use model::ServiceError;

use crate::app::App;

/// Runs `work` on a thread of the search queue. When the client goes away this future is dropped,
/// and the place in the queue with it.
pub async fn in_turn<T, F>(app: &App, work: F) -> Result<T, ServiceError>
where
    F: FnOnce(&Engine, Turn<'_>) -> Result<T, ServiceError> + Send + 'static,
    T: Send + 'static,
{
    app.engine.in_turn(work).await
}
