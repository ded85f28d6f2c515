//! A search that several instances answer together. Remotes are asked before this instance
//! searches, and no search thread waits for them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::Engine;
use engine::search::{
    FederatedAnswer, FederatedPart, FederatedRequest, SearchAnswer, SearchRequest,
};
use model::{Cancel, IndexUid, ServiceError};
use remote_search::{
    FanOut, GatheredAnswers, PendingAnswers, RemoteAnswer, RemoteErrors, single_error,
    single_remote_error,
};

use super::validated_search::ValidatedSearch;
use crate::app::App;

/// A running search over the network.
#[derive(Debug)]
pub struct NetworkSearch {
    uid: IndexUid,
    validated: ValidatedSearch,
    request: Arc<FederatedRequest>,
    asked: PendingAnswers<RemoteAnswer>,
    options: RemoteCallOptions,
}

#[derive(Debug)]
pub struct NetworkAnswer {
    pub uid: IndexUid,
    pub request: SearchRequest,
    pub show_performance_details: bool,
    pub answer: SearchAnswer,
    pub errors: RemoteErrors,
    pub waited: Duration,
}

impl NetworkSearch {
    /// Sends the search to the remotes.
    pub fn start(
        app: &App,
        uid: IndexUid,
        validated: ValidatedSearch,
        fan_out: FanOut,
        with_metadata: bool,
    ) -> Self {
        let request = Arc::new(app.remotes.network_search(&uid, &validated.request, &fan_out));
        let options = RemoteCallOptions { with_metadata, deadline: fan_out.deadline };
        let asked = options.ask(app, &request, fan_out.errors);
        Self { uid, validated, request, asked, options }
    }

    /// Searches locally, waits for the remotes and merges the answers.
    pub async fn answer(self, app: &App) -> Result<NetworkAnswer, ServiceError> {
        let Self { uid, validated, request, asked, options } = self;
        let (answer, waited) = gather(app, request, asked, options)
            .await
            .map_err(|error| single_error(&uid, error))?;
        let ValidatedSearch { request, show_performance_details, .. } = validated;
        let (answer, mut errors) = app.remotes.single_answer(&uid, &request, answer);
        for error in errors.values_mut() {
            *error = single_remote_error(&uid, error);
        }
        Ok(NetworkAnswer { uid, request, show_performance_details, answer, errors, waited })
    }
}

/// Merges the answers of this instance and all remotes, and returns how long the search waited in
/// the local queue. Distinct hits are counted again by all instances once the hits are known; with
/// pages, facets are counted once their documents are known.
pub async fn gather(
    app: &App,
    request: Arc<FederatedRequest>,
    asked: PendingAnswers<RemoteAnswer>,
    options: RemoteCallOptions,
) -> Result<(FederatedAnswer, Duration), ServiceError> {
    let MergedAnswer { mut answer, request, waited } = merge(app, request, asked, options).await?;
    while let Some(recounts) = answer.recounts.take() {
        let request = FederatedRequest { recounts: Some(recounts), ..(*request).clone() };
        // Remotes that did not answer are not asked again.
        let errors = answer.remote_errors.take().unwrap_or_default();
        let options = RemoteCallOptions { with_metadata: false, ..options };
        let asked = options.ask(app, &request, errors);
        let counted = merge(app, Arc::new(request), asked, options).await?.answer;
        answer.total = counted.total;
        answer.facets = counted.facets;
        answer.remote_errors = counted.remote_errors;
        answer.recounts = counted.recounts;
    }
    Ok((answer, waited))
}

/// Options of the calls to remotes.
#[derive(Debug, Clone, Copy)]
pub struct RemoteCallOptions {
    pub with_metadata: bool,
    pub deadline: Instant,
}

impl RemoteCallOptions {
    pub fn ask(
        self,
        app: &App,
        request: &FederatedRequest,
        errors: RemoteErrors,
    ) -> PendingAnswers<RemoteAnswer> {
        app.remotes.ask_federated(request, self.with_metadata, self.deadline, errors)
    }
}

struct MergedAnswer {
    answer: FederatedAnswer,
    /// The final request, by which later counts go.
    request: Arc<FederatedRequest>,
    waited: Duration,
}

async fn merge(
    app: &App,
    request: Arc<FederatedRequest>,
    asked: PendingAnswers<RemoteAnswer>,
    options: RemoteCallOptions,
) -> Result<MergedAnswer, ServiceError> {
    let (mut part, mut gathered, waited) = search_all(app, request, asked, options).await?;
    if let Some((hybrid, is_current)) = gathered.decision(&part) {
        // Later counts follow the same decision.
        let request = FederatedRequest { hybrid, ..(*gathered.request).clone() };
        let request = Arc::new(request);
        if is_current {
            gathered.request = request;
        } else {
            let asked = options.ask(app, &request, gathered.errors);
            (part, gathered, _) = search_all(app, request, asked, options).await?;
        }
    }
    let request = Arc::clone(&gathered.request);
    let cancel = Cancel::default();
    let remotes = Arc::clone(&app.remotes);
    let finish = move |_: &Engine| remotes.federated_answer_of_all(part, gathered, &cancel);
    Ok(MergedAnswer { answer: app.blocking(finish).await?, request, waited })
}

/// Searches locally, and collects the answers of the remotes.
async fn search_all(
    app: &App,
    request: Arc<FederatedRequest>,
    asked: PendingAnswers<RemoteAnswer>,
    options: RemoteCallOptions,
) -> Result<(FederatedPart, GatheredAnswers, Duration), ServiceError> {
    let own = Arc::clone(&request);
    let (part, waited) = app
        .engine
        .in_turn(move |engine, turn| {
            Ok((engine.searcher().federated_part(own, turn.cancel)?, turn.waited))
        })
        .await?;
    let RemoteCallOptions { with_metadata, deadline } = options;
    let gathered = app.remotes.gather_federated(request, asked, with_metadata, deadline).await;
    Ok((part, gathered, waited))
}
