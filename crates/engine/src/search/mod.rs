//! Searching an index: from a request to the JSON of its hits. Who is asked when is the business
//! of the queue; what matches and ranks, that of `search`.

mod hits;
mod queue;
mod request;
mod stages;

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use index::IndexError;
use model::{Code, ServiceError};

use crate::Engine;
use crate::failure::index_failure;

pub use queue::{QueueLoad, QueueOptions, SearchQueue, Ticket, Turn};
pub use request::{HitView, SearchAnswer, SearchRequest, Window};
pub use search::Strategy;
pub use search::format::FormatRequest;
pub use stages::Stages;
pub use text::{Language, locale};

use hits::HitWriter;

impl Engine {
    /// The line in which every search has to wait, whatever it searches.
    pub fn search_queue(&self) -> &SearchQueue {
        &self.search_queue
    }

    /// Runs a search on this thread. `cancelled` is set when nobody waits for the answer.
    pub fn search(
        &self,
        uid: &str,
        request: &SearchRequest,
        cancelled: &AtomicBool,
    ) -> Result<SearchAnswer, ServiceError> {
        let begun = Instant::now();
        let mut stages = Stages::default();
        let snapshot = self.instance.index(uid)?.snapshot();
        let settings = snapshot.typed_settings();
        let (offset, limit) = request.window.clip(settings.max_total_hits);
        let query = search::Query {
            text: request.text.as_deref(),
            strategy: request.strategy,
            attributes: request.attributes_to_search_on.as_deref(),
            locales: request.locales.as_deref(),
            offset,
            limit,
            exhaustive: matches!(request.window, Window::Page { .. }),
            threshold: request.threshold,
            with_scores: request.view.ranking_score || request.view.ranking_score_details,
            with_words: request.view.format.is_some(),
            deadline: begun + Duration::from_millis(settings.search_cutoff_ms),
            cancelled,
        };
        let found = stages
            .time("search > keyword ranking", || search::run(&snapshot, &query))
            .map_err(|error| failure(error, uid))?;
        let writer = HitWriter::new(&snapshot, request, &found.words);
        let hits = stages.time("search > format", || writer.write(&found.hits))?;
        let elapsed = begun.elapsed();
        stages.add("search", elapsed);
        Ok(SearchAnswer {
            hits,
            total: found.candidates.len(),
            primary_key: snapshot.primary_key().map(str::to_owned),
            degraded: found.degraded,
            elapsed,
            stages,
        })
    }
}

fn failure(error: search::SearchError, uid: &str) -> ServiceError {
    use search::SearchError;
    match error {
        SearchError::Index(error) => index_failure(&error).in_index(uid),
        SearchError::Segment(error) => index_failure(&IndexError::from(error)).in_index(uid),
        SearchError::NotSearchable(message) => {
            ServiceError::new(Code::InvalidSearchAttributesToSearchOn, message).in_index(uid)
        }
        SearchError::UnbuiltRule(_) => {
            ServiceError::new(Code::InvalidSettingsRankingRules, error.to_string()).in_index(uid)
        }
        SearchError::Distinct(_) => {
            let code = Code::InvalidSettingsDistinctAttribute;
            ServiceError::new(code, error.to_string()).in_index(uid)
        }
        SearchError::Cancelled => ServiceError::internal("the search was cancelled"),
    }
}
