//! A search that several instances answer together. Remotes are asked before this instance looks
//! for its own part, and no search thread waits for them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use engine::network::{Asked, FanOut, RemoteAnswer, RemoteErrors, single_answer, single_error};
use engine::search::{FederatedAnswer, FederatedRequest, SearchAnswer, SearchRequest};
use model::{Code, IndexUid, ServiceError};

use super::demand::Demand;
use crate::app::App;
use crate::routes::turn::in_turn;

/// Under way.
#[derive(Debug)]
pub struct SpreadSearch {
    uid: IndexUid,
    demand: Demand,
    request: Arc<FederatedRequest>,
    asked: Asked<RemoteAnswer>,
    deadline: Instant,
}

#[derive(Debug)]
pub struct SpreadAnswer {
    pub uid: IndexUid,
    pub request: SearchRequest,
    pub show_performance_details: bool,
    pub answer: SearchAnswer,
    pub errors: RemoteErrors,
    pub waited: Duration,
}

impl SpreadSearch {
    /// Asks the remotes.
    pub fn start(
        app: &App,
        uid: IndexUid,
        demand: Demand,
        fan_out: FanOut,
        with_metadata: bool,
    ) -> Self {
        let request = Arc::new(app.engine.spread_search(&uid, &demand.request, &fan_out));
        let deadline = app.engine.remote_deadline();
        let asked = app.engine.ask_federated(&request, with_metadata, deadline, fan_out.errors);
        Self { uid, demand, request, asked, deadline }
    }

    /// Searches here and waits for the others.
    pub async fn answer(self, app: &App) -> Result<SpreadAnswer, ServiceError> {
        let Self { uid, demand, request, asked, deadline } = self;
        let (answer, waited) = match gathered(app, request, asked, deadline).await {
            Ok(gathered) => gathered,
            Err(error) if error.code == Code::InvalidSearchFilter => {
                return Err(as_sent(app, uid, demand.request, error).await);
            }
            Err(error) => return Err(single_error(&uid, error)),
        };
        let Demand { request, show_performance_details, .. } = demand;
        let (answer, errors) = single_answer(&uid, &request, answer);
        Ok(SpreadAnswer { uid, request, show_performance_details, answer, errors, waited })
    }
}

/// What is wrong with a filter is told of the one that the client sent, not of what was added to
/// it to ask for a part.
async fn as_sent(
    app: &App,
    uid: IndexUid,
    request: SearchRequest,
    error: ServiceError,
) -> ServiceError {
    let told = single_error(&uid, error);
    let again = in_turn(app, move |engine, turn| engine.search(&uid, &request, turn.cancelled));
    again.await.err().unwrap_or(told)
}

/// The answer of this instance and of all remotes that were asked, and how long it waited for its
/// turn here. Where hits are distinct, everybody counts again once the hits are known.
pub async fn gathered(
    app: &App,
    request: Arc<FederatedRequest>,
    asked: Asked<RemoteAnswer>,
    deadline: Instant,
) -> Result<(FederatedAnswer, Duration), ServiceError> {
    let (mut answer, waited) = merged(app, Arc::clone(&request), asked).await?;
    if let Some(recounts) = answer.recounts.take() {
        let request = FederatedRequest { recounts: Some(recounts), ..(*request).clone() };
        // Whoever did not answer is not asked again.
        let errors = answer.remote_errors.take().unwrap_or_default();
        let asked = app.engine.ask_federated(&request, false, deadline, errors);
        let (counted, _) = merged(app, Arc::new(request), asked).await?;
        answer.total = counted.total;
        answer.facets = counted.facets;
        answer.remote_errors = counted.remote_errors;
    }
    Ok((answer, waited))
}

async fn merged(
    app: &App,
    request: Arc<FederatedRequest>,
    asked: Asked<RemoteAnswer>,
) -> Result<(FederatedAnswer, Duration), ServiceError> {
    let (part, waited) = in_turn(app, move |engine, turn| {
        Ok((engine.federated_part(request, turn.cancelled)?, turn.waited))
    })
    .await?;
    let (remotes, errors) = asked.answers().await;
    let wanted = AtomicBool::new(false);
    let finish = move |engine: &engine::Engine| {
        engine.federated_answer_of_all(part, remotes, errors, &wanted)
    };
    Ok((app.blocking(finish).await?, waited))
}
