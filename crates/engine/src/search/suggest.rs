//! Suggestions: phrases that complete a half-typed query. They run like a search, with the filter
//! of the caller, and have no hits.

use std::time::{Duration, Instant};

use model::{Cancel, Code, ServiceError};
use search::{SuggestQuery, Suggestion};
use serde_json::Value;

use crate::common::suggest_failure;
use crate::documents::foreign::{ForeignAccess, Snapshots};
use crate::search::Searcher;

#[derive(Debug, Clone, Default)]
pub struct SuggestRequest {
    pub text: String,
    pub limit: usize,
    /// Source of phrases: an attribute or `*`; by default the first searchable attribute.
    pub attribute: Option<String>,
    /// Filter in one of its JSON forms.
    pub filter: Option<Value>,
    /// Foreign documents that the caller may see.
    pub foreign: ForeignAccess,
}

impl SuggestRequest {
    pub const DEFAULT_LIMIT: usize = 5;
    /// Maximum of suggestions, which other instances are always asked for.
    pub const MOST: usize = 100;
}

#[derive(Debug)]
pub struct SuggestAnswer {
    /// Phrases, most frequent first.
    pub suggestions: Vec<Suggestion>,
    pub elapsed: Duration,
}

impl Searcher {
    /// Completes a query on this thread. It is cancelled when the client is gone.
    pub fn suggest(
        &self,
        uid: &str,
        request: &SuggestRequest,
        cancel: &Cancel,
    ) -> Result<SuggestAnswer, ServiceError> {
        let mut snapshots = Snapshots::for_caller(&self.indexes, &request.foreign);
        let answer = self.suggest_in(&mut snapshots, uid, request, cancel);
        snapshots.answered(answer)
    }

    fn suggest_in(
        &self,
        snapshots: &mut Snapshots<'_>,
        uid: &str,
        request: &SuggestRequest,
        cancel: &Cancel,
    ) -> Result<SuggestAnswer, ServiceError> {
        let begun = Instant::now();
        let code = Code::InvalidSuggestFilter;
        let sent = request.filter.as_ref();
        let filters = self
            .filters(sent, None, code, uid, snapshots, cancel)
            .map_err(|error| with_own_code(error, code))?;
        let snapshot = snapshots.of(uid)?;
        let cutoff = Duration::from_millis(snapshot.typed_settings().search_cutoff_ms);
        let query = SuggestQuery {
            text: &request.text,
            attribute: request.attribute.as_deref(),
            filter: filters.narrowed.as_ref(),
            limit: request.limit,
            deadline: begun + cutoff,
            cancel,
        };
        let suggestions = search::suggest(&snapshot, &query)
            .map_err(|error| suggest_failure(error).in_index(uid))?;
        Ok(SuggestAnswer { suggestions, elapsed: begun.elapsed() })
    }
}

/// Returns the error under the route's own code; foreign filters keep theirs.
fn with_own_code(error: ServiceError, own: Code) -> ServiceError {
    match error.code {
        Code::InvalidSearchFilter | Code::InvalidDocumentFilter => {
            ServiceError { code: own, ..error }
        }
        _ => error,
    }
}
