//! Parses stored rerankers. They were checked before storing; an incomplete one is ignored.

use std::collections::BTreeMap;
use std::time::Duration;

use model::Secret;
use serde_json::Value;

use super::{HostedReranker, RerankProvider, Reranker, RerankerSource, RestReranker};
use crate::embedder::Prompt;

/// Parses all rerankers of an index, by name.
pub(crate) fn rerankers(stored: Option<&Value>) -> BTreeMap<String, Reranker> {
    let members = stored.and_then(Value::as_object).into_iter().flatten();
    members.filter_map(|(name, value)| Some((name.clone(), reranker(value)?))).collect()
}

fn reranker(stored: &Value) -> Option<Reranker> {
    Some(Reranker {
        source: source(stored)?,
        prompt: Prompt::from_stored(stored),
        timeout: stored.get("timeoutMs").and_then(Value::as_u64).map(Duration::from_millis),
    })
}

fn source(stored: &Value) -> Option<RerankerSource> {
    let text = |name: &str| stored.get(name).and_then(Value::as_str).map(ToOwned::to_owned);
    let api_key = text("apiKey").map(Secret::new);
    let hosted = |provider| {
        let (model, api_key, url) = (text("model")?, api_key.clone(), text("url"));
        Some(RerankerSource::Hosted(HostedReranker { provider, model, api_key, url }))
    };
    match stored.get("source")?.as_str()? {
        "cohere" => hosted(RerankProvider::Cohere),
        "jina" => hosted(RerankProvider::Jina),
        "voyage" => hosted(RerankProvider::Voyage),
        "huggingFace" => {
            Some(RerankerSource::HuggingFace { model: text("model")?, revision: text("revision") })
        }
        "rest" => {
            let headers = stored.get("headers").and_then(Value::as_object).into_iter().flatten();
            Some(RerankerSource::Rest(RestReranker {
                url: text("url")?,
                api_key: api_key.clone(),
                headers: headers
                    .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
                    .collect(),
                request: stored.get("request")?.clone(),
                response: stored.get("response")?.clone(),
            }))
        }
        _ => None,
    }
}
