//! `personalize`: reorders the hits of a page for a user. The provider reads the hits as they are
//! shown, so it learns nothing that the caller does not.

use std::time::Instant;

use embed::{RerankError, RerankLimits};
use model::{Cancel, Code, ServiceError};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::search::Searcher;

/// Hits of a page that are reordered. The others follow.
const MOST_HITS: usize = 200;
/// Bytes of each hit that the provider reads.
const TEXT_BYTES: usize = 2000;

/// Query and user context of a personalized search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PersonalizeRequest {
    pub query: String,
    pub user_context: String,
}

impl Searcher {
    /// Returns whether the operator gave a key for it.
    pub fn personalizes(&self) -> bool {
        self.personalizer.is_some()
    }

    /// Reorders a JSON array of hits. Past the deadline they stay as they are.
    pub(super) fn personalized(
        &self,
        hits: String,
        request: &PersonalizeRequest,
        deadline: Instant,
        cancel: &Cancel,
    ) -> Result<String, ServiceError> {
        let Some(personalizer) = &self.personalizer else { return Ok(hits) };
        self.counters.count_personalized_search();
        let mut list: Vec<&RawValue> =
            serde_json::from_str(&hits).map_err(ServiceError::internal)?;
        let taking_part = list.len().min(MOST_HITS);
        if taking_part < 2 {
            return Ok(hits);
        }
        let texts =
            list[..taking_part].iter().map(|hit| text_of(hit)).collect::<Result<Vec<_>, _>>()?;
        let wait = RerankLimits { deadline, cancel };
        let PersonalizeRequest { query, user_context } = request;
        let ask = || personalizer.scores(query, user_context, &texts, wait);
        let scores = match self.queue.while_blocked(ask) {
            Ok(scores) => scores,
            Err(error) => match failure(&error) {
                Some(failure) => return Err(failure),
                None => return Ok(hits),
            },
        };
        let mut order: Vec<usize> = (0..taking_part).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        let first: Vec<&RawValue> = order.into_iter().map(|place| list[place]).collect();
        list[..taking_part].copy_from_slice(&first);
        let list: Vec<&str> = list.into_iter().map(RawValue::get).collect();
        Ok(format!("[{}]", list.join(",")))
    }
}

/// Returns a hit without the members that the search added.
fn text_of(hit: &RawValue) -> Result<String, ServiceError> {
    let mut members: Map<String, Value> =
        serde_json::from_str(hit.get()).map_err(ServiceError::internal)?;
    members.retain(|name, _| !name.starts_with('_'));
    let mut text = Value::Object(members).to_string();
    text.truncate(text.floor_char_boundary(TEXT_BYTES));
    Ok(text)
}

/// Returns the error to answer with; none where the hits stay as they are.
fn failure(error: &RerankError) -> Option<ServiceError> {
    let code = match error {
        RerankError::Late | RerankError::Stopped => return None,
        RerankError::TimedOut(_) => Code::RemoteTimeout,
        RerankError::Unreachable(_) => Code::RemoteCouldNotSendRequest,
        RerankError::Unauthorized { .. } => Code::RemoteInvalidApiKey,
        RerankError::TooManyRequests { .. } => Code::TooManySearchRequests,
        RerankError::Refused { .. } => Code::RemoteBadRequest,
        RerankError::ServerError { .. } => Code::RemoteRemoteError,
        RerankError::BadAnswer(_) => Code::RemoteBadResponse,
        RerankError::Model(_) | RerankError::Settings(_) => Code::Internal,
    };
    Some(ServiceError::new(code, format!("Personalization failed: {error}.")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_provider_reads_hits_without_what_was_added() {
        let hit = r#"{"id":1,"title":"é","_rankingScore":0.5,"_formatted":{"id":"1"}}"#;
        let hit: &RawValue = serde_json::from_str(hit).unwrap();
        assert_eq!(text_of(hit).unwrap(), r#"{"id":1,"title":"é"}"#);
        let long = format!(r#"{{"t":"{}"}}"#, "é".repeat(2000));
        let long: &RawValue = serde_json::from_str(&long).unwrap();
        assert!(text_of(long).unwrap().len() <= TEXT_BYTES);
    }

    #[test]
    fn failures_have_the_codes_of_remotes() {
        let code = |error| failure(&error).map(|failure| failure.code);
        assert_eq!(code(RerankError::Late), None);
        let unauthorized = RerankError::Unauthorized { status: 401, reply: None };
        assert_eq!(code(unauthorized), Some(Code::RemoteInvalidApiKey));
        let many = RerankError::TooManyRequests { reply: None };
        assert_eq!(code(many), Some(Code::TooManySearchRequests));
        let broken = RerankError::ServerError { status: 500, reply: None };
        assert_eq!(code(broken), Some(Code::RemoteRemoteError));
    }
}
