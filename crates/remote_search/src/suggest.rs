//! Suggestions of a network: each instance sends more phrases than requested, and the counts are
//! summed up here.

use engine::search::{SuggestAnswer, SuggestRequest};
use network::ShardScope;
use search::{Suggestion, merge_suggestions};
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::RemoteSearcher;
use super::ask::RemoteRequest;
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
        let path = format!("/indexes/{uid}/suggest");
        let rights =
            self.engine.searcher().foreign_rights_json([(uid, &request.foreign)].into_iter());
        let question = |(name, remote, scope): (&str, &_, &ShardScope)| {
            let mut body = Map::new();
            body.insert("q".to_owned(), json!(request.text));
            body.insert("limit".to_owned(), json!(request.limit));
            body.insert("attribute".to_owned(), json!(request.attribute));
            body.insert("filter".to_owned(), json!(scope.narrowed(request.filter.clone())));
            let deadline = self.first_deadline(name, [scope].into_iter(), fan_out.deadline);
            RemoteRequest::new(name, remote, &path, &body.into(), deadline)
                .with_foreign_rights(rights.as_deref())
        };
        let questions = fan_out.others().map(question).collect();
        let read = |body: &[u8]| serde_json::from_slice(body).map_err(|error| error.to_string());
        self.ask_all(questions, fan_out.errors.clone(), read)
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
