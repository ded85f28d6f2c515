//! `_federation`, the member that says where a hit comes from. Other instances also get the values
//! they merge it by.

use std::collections::BTreeMap;

use search::exact::{optional_number, plain_number};
use search::federation::{Candidate, DistinctValue, SortKey};
use serde::{Deserialize, Serialize};

use super::request::FederatedRequest;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FederationMember {
    pub index_uid: String,
    pub queries_position: usize,
    #[serde(deserialize_with = "plain_number::deserialize")]
    pub weighted_ranking_score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weighted_score_values: Option<Vec<SortKey>>,
    /// Values of the distinct attribute.
    #[serde(default, rename = "extra_document", skip_serializing_if = "Option::is_none")]
    pub extra_document: Option<BTreeMap<String, Vec<DistinctValue>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned_position: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin_precedence: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document_number: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_semantic: Option<bool>,
    #[serde(default, with = "optional_number", skip_serializing_if = "Option::is_none")]
    pub rerank_score: Option<f64>,
}

impl FederationMember {
    /// Creates the member. `remote` is the name of this instance if remotes are named.
    pub fn new<H>(
        request: &FederatedRequest,
        index_uid: &str,
        candidate: &Candidate<H>,
        (is_semantic, rerank_score): (bool, Option<f64>),
        remote: Option<&str>,
    ) -> Self {
        let shown = Self {
            index_uid: index_uid.to_owned(),
            queries_position: candidate.query,
            weighted_ranking_score: candidate.score,
            remote: remote.map(str::to_owned),
            weighted_score_values: None,
            extra_document: None,
            pinned_position: None,
            pin_precedence: None,
            document_number: None,
            is_semantic: None,
            rerank_score: None,
        };
        if !request.is_proxied {
            return shown;
        }
        let values = |attribute: &String| (attribute.clone(), candidate.distinct.clone());
        Self {
            weighted_score_values: Some(candidate.parts.clone()),
            extra_document: Some(request.distinct.iter().map(values).collect()),
            pinned_position: candidate.pin.map(|pin| pin.position),
            pin_precedence: candidate.pin.map(|pin| pin.precedence),
            document_number: Some(candidate.number),
            is_semantic: Some(is_semantic),
            rerank_score,
            ..shown
        }
    }
}

#[cfg(test)]
mod tests {
    use search::Pin;
    use serde_json::json;

    use super::*;

    fn candidate() -> Candidate<()> {
        Candidate {
            parts: vec![SortKey::Rank(0.5)],
            score: 0.5,
            query: 3,
            number: 12,
            pin: Some(Pin { doc_id: 12, position: 2, precedence: 9 }),
            distinct: vec![DistinctValue::Text("x".to_owned())],
            hit: (),
        }
    }

    #[test]
    fn only_other_instances_are_told_what_hits_are_compared_by() {
        let mut request = FederatedRequest { distinct: Some("k".into()), ..Default::default() };
        let shown = FederationMember::new(&request, "books", &candidate(), (false, None), None);
        assert_eq!(
            json!(shown),
            json!({ "indexUid": "books", "queriesPosition": 3, "weightedRankingScore": 0.5 })
        );
        request.is_proxied = true;
        let told =
            FederationMember::new(&request, "books", &candidate(), (true, Some(0.25)), Some("me"));
        let json = json!({
            "indexUid": "books",
            "queriesPosition": 3,
            "weightedRankingScore": 0.5,
            "remote": "me",
            "weightedScoreValues": [{ "rank": "0.5" }],
            "extra_document": { "k": [{ "text": "x" }] },
            "pinnedPosition": 2,
            "pinPrecedence": 9,
            "documentNumber": 12,
            "isSemantic": true,
            "rerankScore": "0.25",
        });
        assert_eq!(json!(told), json);
        assert_eq!(serde_json::from_value::<FederationMember>(json).unwrap(), told);
    }
}
