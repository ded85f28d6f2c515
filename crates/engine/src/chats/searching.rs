//! Searches of conversations: with the index's parameters for them, in the search queue, and
//! rendered for the model with the index's template.

use std::num::NonZeroUsize;
use std::sync::Arc;

use chat::{FoundDocuments, SearchCall, Usage};
use index::Snapshot;
use model::limits::{DEFAULT_PAGE_LIMIT, DEFAULT_QUERY_SIZE};
use model::{Cancel, Code, ServiceError};
use search::{Criteria, Hit};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use settings::{ChatSearch, MatchingStrategy, Settings};
use template::DocumentTemplate;

use super::access::narrowed;
use crate::common::counters::TokenCounts;
use crate::common::failure::index_failure;
use crate::common::search_access::{IndexAccess, SearchAccess};
use crate::documents::foreign::ForeignAccess;
use crate::models::embedding::SearchableFields;
use crate::search::{
    SearchRequest, Searcher, SemanticRequest, Strategy, Turn, Window, has_text, searched_text,
};

const BETWEEN_DOCUMENTS: &str = "\n---\n";
const NOTHING_FOUND: &str = "No document was found.";

#[derive(Debug)]
pub(super) struct ChatSearcher {
    pub searcher: Arc<Searcher>,
    pub access: Arc<dyn SearchAccess>,
    /// Workspace that tokens are counted for.
    pub workspace: String,
    pub model: String,
}

impl chat::Searcher for ChatSearcher {
    async fn search(&self, call: SearchCall) -> Result<FoundDocuments, ServiceError> {
        self.searcher.counters.count_chat_search();
        let (searcher, access) = (Arc::clone(&self.searcher), Arc::clone(&self.access));
        let search = move |turn: Turn<'_>| run(&searcher, call, &access, turn.cancel);
        self.searcher.queue().in_turn(search).await
    }

    fn note_usage(&self, usage: Usage) {
        let Usage { prompt, completion, total } = usage;
        let used = TokenCounts { prompt, completion, total };
        self.searcher.counters.count_tokens(&self.workspace, &self.model, used);
    }
}

pub(super) fn run(
    searcher: &Searcher,
    call: SearchCall,
    access: &Arc<dyn SearchAccess>,
    cancel: &Cancel,
) -> Result<FoundDocuments, ServiceError> {
    let SearchCall { index_uid: uid, q, filter } = call;
    let filter = filter.filter(|filter| !filter.trim().is_empty());
    let filter = match access.to_index(&uid) {
        IndexAccess::Denied => return Err(ServiceError::index_not_found(&uid)),
        IndexAccess::Full => filter.map(Value::String),
        IndexAccess::Filtered(access) => Some(narrowed(access, filter)),
    };
    let settings = Arc::clone(searcher.indexes().index(&uid)?.snapshot().typed_settings());
    let request = SearchRequest {
        foreign: ForeignAccess::of_conversation(access),
        ..request(&settings.chat.search, q, filter)
    };
    let render = |snapshot: &Snapshot, hits: &[Hit]| rendered(snapshot, hits, &settings);
    let (answer, text) = searcher.search_with_hits(&uid, &request, cancel, render)?;
    let sources = RawValue::from_string(answer.hits).map_err(ServiceError::internal)?;
    Ok(FoundDocuments { text, sources })
}

fn request(parameters: &ChatSearch, q: Option<String>, filter: Option<Value>) -> SearchRequest {
    let q = searched_text(q, DEFAULT_QUERY_SIZE);
    let has_text = has_text(q.as_deref());
    let hybrid =
        parameters.hybrid.as_ref().filter(|hybrid| has_text && hybrid.semantic_ratio > 0.0);
    SearchRequest {
        text: q,
        filter,
        window: Window::Offset { offset: 0, limit: parameters.limit.unwrap_or(DEFAULT_PAGE_LIMIT) },
        criteria: Criteria {
            matching_strategy: match parameters.matching_strategy {
                None | Some(MatchingStrategy::Last) => Strategy::Last,
                Some(MatchingStrategy::All) => Strategy::All,
                Some(MatchingStrategy::Frequency) => Strategy::Frequency,
            },
            attributes_to_search_on: parameters.attributes_to_search_on.clone(),
            ranking_score_threshold: parameters.ranking_score_threshold,
            distinct: parameters.distinct.clone(),
            ..Criteria::default()
        },
        sort: parameters.sort.clone().unwrap_or_default(),
        semantic: hybrid.map(|hybrid| SemanticRequest {
            embedder: hybrid.embedder.clone(),
            ratio: hybrid.semantic_ratio,
            fusion: search::Fusion::Score,
            vector: None,
            media: None,
        }),
        ..SearchRequest::default()
    }
}

/// Renders documents with the index's template. It sees all of their fields, so a template must not
/// name what a model may not know.
fn rendered(
    snapshot: &Snapshot,
    hits: &[Hit],
    settings: &Settings,
) -> Result<String, ServiceError> {
    if hits.is_empty() {
        return Ok(NOTHING_FOUND.to_owned());
    }
    let failed = |error: String| ServiceError::new(Code::TemplateRenderingError, error);
    let prompt = &settings.chat.prompt;
    let template = DocumentTemplate::parse(&prompt.template).map_err(|e| failed(e.to_string()))?;
    let max_bytes = NonZeroUsize::new(prompt.max_bytes);
    let mut texts = Vec::new();
    for hit in hits {
        let json = snapshot.document(hit.doc_id).map_err(index_failure)?;
        let Some(json) = json else { continue };
        let fields: Map<String, Value> =
            serde_json::from_str(&json).map_err(ServiceError::internal)?;
        let text = template.render(&fields, &SearchableFields(settings), max_bytes);
        texts.push(text.map_err(|error| failed(error.to_string()))?.trim_end().to_owned());
    }
    Ok(texts.join(BETWEEN_DOCUMENTS))
}

#[cfg(test)]
mod tests {
    use settings::ChatHybrid;

    use super::*;

    #[test]
    fn searches_have_the_parameters_of_the_index() {
        let parameters = ChatSearch {
            hybrid: Some(ChatHybrid { embedder: "e".to_owned(), semantic_ratio: 0.25 }),
            limit: Some(3),
            sort: Some(vec!["price:asc".to_owned()]),
            distinct: Some("brand".to_owned()),
            matching_strategy: Some(MatchingStrategy::All),
            attributes_to_search_on: Some(vec!["name".to_owned()]),
            ranking_score_threshold: Some(0.5),
        };
        let asked = request(&parameters, Some("tea".to_owned()), Some(Value::from("a = 1")));
        assert_eq!(asked.text.as_deref(), Some("tea"));
        assert_eq!(asked.filter, Some(Value::from("a = 1")));
        assert_eq!(asked.window, Window::Offset { offset: 0, limit: 3 });
        assert_eq!(asked.criteria.matching_strategy, Strategy::All);
        assert_eq!(asked.sort, ["price:asc"]);
        assert_eq!(asked.criteria.distinct.as_deref(), Some("brand"));
        assert_eq!(asked.criteria.attributes_to_search_on.unwrap(), ["name"]);
        assert_eq!(asked.criteria.ranking_score_threshold, Some(0.5));
        let semantic = asked.semantic.unwrap();
        assert_eq!((semantic.embedder.as_str(), semantic.ratio), ("e", 0.25));
        // There is nothing to embed.
        assert!(request(&parameters, Some(" ".to_owned()), None).semantic.is_none());
        assert!(request(&parameters, None, None).semantic.is_none());
        let plain = request(&ChatSearch::default(), None, None);
        assert_eq!(plain.window, Window::default());
        assert_eq!(plain.criteria.matching_strategy, Strategy::Last);
    }
}
