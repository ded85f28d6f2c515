//! Suggestions of a network: each instance sends more phrases than requested, and the counts are
//! summed up here.

use engine::search::{SuggestAnswer, SuggestRequest};
use network::ShardScope;
use search::{Suggestion, merge_suggestions};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::RemoteSearcher;
use super::ask::parse;
use super::fan_out::{FanOut, PendingAnswers};

/// Answer of a remote to a request for suggestions.
#[derive(Debug, Deserialize)]
pub struct RemoteSuggestions {
    suggestions: Vec<WireSuggestion>,
}

/// Wire form of a suggestion between instances.
#[derive(Debug, Serialize, Deserialize)]
pub struct WireSuggestion {
    text: String,
    words: String,
    count: u64,
}

impl From<Suggestion> for WireSuggestion {
    fn from(Suggestion { text, words, count }: Suggestion) -> Self {
        Self { text, words, count }
    }
}

impl From<WireSuggestion> for Suggestion {
    fn from(WireSuggestion { text, words, count }: WireSuggestion) -> Self {
        Self { text, words, count }
    }
}

impl RemoteSearcher {
    /// Sends the request to the others.
    pub fn ask_suggestions(
        &self,
        fan_out: &FanOut,
        uid: &str,
        request: &SuggestRequest,
    ) -> PendingAnswers<RemoteSuggestions> {
        let body = |scope: &ShardScope| {
            json!({
                "q": request.text,
                "limit": request.limit,
                "attribute": request.attribute,
                "filter": scope.narrowed(request.filter.clone()),
            })
        };
        self.ask_others(fan_out, (uid, &request.foreign), "suggest", body, parse)
    }
}

/// Merges the suggestions of all instances.
pub fn merge_suggestion_lists(
    own: Option<SuggestAnswer>,
    remotes: Vec<(String, RemoteSuggestions)>,
    limit: usize,
) -> Vec<Suggestion> {
    let own = own.map(|own| own.suggestions);
    let of_remotes = remotes.into_iter().map(|(_, remote)| {
        remote.suggestions.into_iter().map(Suggestion::from).collect::<Vec<_>>()
    });
    merge_suggestions(own.into_iter().chain(of_remotes), limit)
}
