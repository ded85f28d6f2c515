//! A search that several instances answer together. Remotes are asked before this instance looks
//! for its own part, and no search thread waits for them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use engine::network::{
    FanOut, GatheredAnswers, PendingAnswers, RemoteAnswer, RemoteErrors, single_error,
    single_remote_error,
};
use engine::search::{
    FederatedAnswer, FederatedPart, FederatedRequest, SearchAnswer, SearchRequest,
};
use model::{IndexUid, ServiceError};

use super::demand::Demand;
use crate::app::App;

/// Under way.
#[derive(Debug)]
pub struct SpreadSearch {
    uid: IndexUid,
    demand: Demand,
    request: Arc<FederatedRequest>,
    asked: PendingAnswers<RemoteAnswer>,
    asking: Asking,
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
        let request =
            Arc::new(app.engine.remote_searcher().network_search(&uid, &demand.request, &fan_out));
        let asking = Asking { with_metadata, deadline: fan_out.deadline };
        let asked = asking.ask(app, &request, fan_out.errors);
        Self { uid, demand, request, asked, asking }
    }

    /// Searches here and waits for the others.
    pub async fn answer(self, app: &App) -> Result<SpreadAnswer, ServiceError> {
        let Self { uid, demand, request, asked, asking } = self;
        let (answer, waited) = gathered(app, request, asked, asking)
            .await
            .map_err(|error| single_error(&uid, error))?;
        let Demand { request, show_performance_details, .. } = demand;
        let (answer, mut errors) =
            app.engine.remote_searcher().single_answer(&uid, &request, answer);
        for error in errors.values_mut() {
            *error = single_remote_error(&uid, error);
        }
        Ok(SpreadAnswer { uid, request, show_performance_details, answer, errors, waited })
    }
}

/// The answer of this instance and of all remotes that were asked, and how long it waited for its
/// turn here. Where hits are distinct, everybody counts again once the hits are known; with pages,
/// facets are counted once it is known of which documents.
pub async fn gathered(
    app: &App,
    request: Arc<FederatedRequest>,
    asked: PendingAnswers<RemoteAnswer>,
    asking: Asking,
) -> Result<(FederatedAnswer, Duration), ServiceError> {
    let Merged { mut answer, request, waited } = merged(app, request, asked, asking).await?;
    while let Some(recounts) = answer.recounts.take() {
        let request = FederatedRequest { recounts: Some(recounts), ..(*request).clone() };
        // Whoever did not answer is not asked again.
        let errors = answer.remote_errors.take().unwrap_or_default();
        let asking = Asking { with_metadata: false, ..asking };
        let asked = asking.ask(app, &request, errors);
        let counted = merged(app, Arc::new(request), asked, asking).await?.answer;
        answer.total = counted.total;
        answer.facets = counted.facets;
        answer.remote_errors = counted.remote_errors;
        answer.recounts = counted.recounts;
    }
    Ok((answer, waited))
}

/// How remotes are asked.
#[derive(Debug, Clone, Copy)]
pub struct Asking {
    pub with_metadata: bool,
    pub deadline: Instant,
}

impl Asking {
    pub fn ask(
        self,
        app: &App,
        request: &FederatedRequest,
        errors: RemoteErrors,
    ) -> PendingAnswers<RemoteAnswer> {
        app.engine.remote_searcher().ask_federated(
            request,
            self.with_metadata,
            self.deadline,
            errors,
        )
    }
}

struct Merged {
    answer: FederatedAnswer,
    /// Who was asked in the end.
    request: Arc<FederatedRequest>,
    waited: Duration,
}

async fn merged(
    app: &App,
    request: Arc<FederatedRequest>,
    asked: PendingAnswers<RemoteAnswer>,
    asking: Asking,
) -> Result<Merged, ServiceError> {
    let (mut part, mut gathered, waited) = found(app, request, asked, asking).await?;
    if let Some((hybrid, is_so)) = gathered.decision(&part) {
        // Whoever counts later goes on in the same way.
        let request = FederatedRequest { hybrid, ..(*gathered.request).clone() };
        let request = Arc::new(request);
        if is_so {
            gathered.request = request;
        } else {
            let asked = asking.ask(app, &request, gathered.errors);
            (part, gathered, _) = found(app, request, asked, asking).await?;
        }
    }
    let request = Arc::clone(&gathered.request);
    let wanted = AtomicBool::new(false);
    let finish = move |engine: &engine::Engine| {
        engine.remote_searcher().federated_answer_of_all(part, gathered, &wanted)
    };
    Ok(Merged { answer: app.blocking(finish).await?, request, waited })
}

/// What this instance and all who are asked find.
async fn found(
    app: &App,
    request: Arc<FederatedRequest>,
    asked: PendingAnswers<RemoteAnswer>,
    asking: Asking,
) -> Result<(FederatedPart, GatheredAnswers, Duration), ServiceError> {
    let own = Arc::clone(&request);
    let (part, waited) = app
        .engine
        .in_turn(move |engine, turn| {
            Ok((engine.searcher().federated_part(own, turn.cancelled)?, turn.waited))
        })
        .await?;
    let Asking { with_metadata, deadline } = asking;
    let gathered = app
        .engine
        .remote_searcher()
        .gather_federated(request, asked, with_metadata, deadline)
        .await;
    Ok((part, gathered, waited))
}
