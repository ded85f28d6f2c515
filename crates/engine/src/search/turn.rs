//! Waiting for one's turn in the search queue without holding a thread.

use std::pin::pin;
use std::sync::Arc;

use model::ServiceError;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::queue::Turn;
use crate::Engine;

impl Engine {
    /// Runs `work` on a thread of the search queue. Whoever stops waiting drops this future, and
    /// the place in the queue with it.
    pub async fn in_turn<T, F>(self: &Arc<Self>, work: F) -> Result<T, ServiceError>
    where
        F: FnOnce(&Engine, Turn<'_>) -> Result<T, ServiceError> + Send + 'static,
        T: Send + 'static,
    {
        let engine = Arc::clone(self);
        let (sender, receiver) = oneshot::channel();
        let queue = self.search_queue();
        let ticket = queue.submit(
            move |turn| work(&engine, turn),
            // Nobody may be there to take it.
            move |result| drop(sender.send(result)),
        );
        let mut receiver = pin!(receiver);
        let received = match timeout(queue.options().patience, &mut receiver).await {
            Ok(received) => received,
            Err(_) => {
                // Refused now if it still waits; what runs may end.
                ticket.give_up_waiting();
                receiver.await
            }
        };
        received.unwrap_or_else(|_| Err(ServiceError::internal("the search queue lost a search")))
    }
}
