//! Writes hits as JSON. The text of a stored document is copied or cut down to the fields shown;
//! only formatting parses it.

use document::{Document, FieldSelection, VECTORS_FIELD};
use index::Snapshot;
use model::ServiceError;
use search::format::{Formatter, TooLongError};
use search::{Hit, MatchingWords};
use segment::geo::{Point, distance};
use serde::Serialize;
use serde_json::{Map, Value};
use settings::GEO_FIELD;

use super::budget::AnswerBudget;
use super::federated::FederationMember;
use super::request::{HitView, SearchRequest};
use super::rerank::RerankScores;
use crate::common::failure::index_failure;
use crate::models::embedding::{ShownData, add_vectors};

/// Bytes of stored documents to read before the first is written.
const READ_AHEAD_BYTES: usize = 32 << 20;

pub(super) struct HitWriter<'a> {
    snapshot: &'a Snapshot,
    view: &'a HitView,
    budget: &'a AnswerBudget,
    fields: FieldSelection,
    with_vectors: bool,
    formatter: Option<Formatter<'a>>,
    /// Point that hits show their distance from.
    origin: Option<Point>,
    rerank_scores: Option<&'a RerankScores>,
}

impl<'a> HitWriter<'a> {
    pub fn new(
        snapshot: &'a Snapshot,
        request: &'a SearchRequest,
        words: &'a MatchingWords,
        origin: Option<Point>,
    ) -> Self {
        let view = &request.view;
        let settings = snapshot.typed_settings();
        let formatter = view.format.as_ref().map(|format| {
            Formatter::new(
                settings,
                snapshot.tokenizer(),
                words,
                request.criteria.locales.as_deref(),
                view.attributes_to_retrieve.as_deref(),
                format,
                |name| snapshot.knows_field(name),
            )
        });
        let formatter = formatter.filter(Formatter::has_work);
        let displayed = settings.displayed_attributes.as_deref();
        let fields = selection(view, displayed);
        let with_vectors = view.retrieve_vectors && is_displayed(VECTORS_FIELD, displayed);
        let budget = &request.budget;
        Self {
            snapshot,
            view,
            budget,
            fields,
            with_vectors,
            formatter,
            origin,
            rerank_scores: None,
        }
    }

    /// Adds the reranker's scores to the hits.
    pub fn with_rerank_scores(self, scores: &'a RerankScores) -> Self {
        Self { rerank_scores: Some(scores), ..self }
    }

    /// Writes each hit with its `_federation` member.
    pub fn write_federated(
        &self,
        hits: &[(&Hit, FederationMember)],
    ) -> Result<Vec<String>, ServiceError> {
        let documents = self.read(&hits.iter().map(|(hit, _)| *hit).collect::<Vec<_>>())?;
        let mut written = Vec::with_capacity(hits.len());
        for ((hit, member), json) in hits.iter().zip(documents) {
            let json = self.stored(hit, json)?;
            let mut out = String::with_capacity(json.len());
            self.write_hit(hit, &json, Some(member), &mut out)?;
            self.budget.spend(out.len())?;
            written.push(out);
        }
        Ok(written)
    }

    /// Writes the hits as a JSON array, in order.
    pub fn write(&self, hits: &[Hit]) -> Result<String, ServiceError> {
        let documents = self.read(&hits.iter().collect::<Vec<_>>())?;
        let length: usize = documents.iter().flatten().map(|json| json.len() + 1).sum();
        let mut out = String::with_capacity(length + 2);
        out.push('[');
        for (hit, json) in hits.iter().zip(documents) {
            let before = out.len();
            if before > 1 {
                out.push(',');
            }
            self.write_hit(hit, &self.stored(hit, json)?, None, &mut out)?;
            self.budget.spend(out.len() - before)?;
        }
        out.push(']');
        Ok(out)
    }

    /// Returns the documents in the order of the hits, but reads them in the order of the store,
    /// since neighbours share a block. Stops reading ahead at a bound.
    fn read(&self, hits: &[&Hit]) -> Result<Vec<Option<String>>, ServiceError> {
        let mut places: Vec<usize> = (0..hits.len()).collect();
        places.sort_unstable_by_key(|&place| hits[place].doc_id);
        let mut documents = vec![None; hits.len()];
        let mut length = 0;
        for place in places {
            let json = self.stored(hits[place], None)?;
            length += json.len();
            documents[place] = Some(json);
            if length > READ_AHEAD_BYTES {
                break;
            }
        }
        Ok(documents)
    }

    /// Reads the document of a hit, unless it was read ahead.
    fn stored(&self, hit: &Hit, ahead: Option<String>) -> Result<String, ServiceError> {
        if let Some(json) = ahead {
            return Ok(json);
        }
        let doc_id = hit.doc_id;
        let json = self.snapshot.document(doc_id).map_err(index_failure)?;
        json.ok_or_else(|| {
            ServiceError::internal(format!("document {doc_id} was found but is missing"))
        })
    }

    fn write_hit(
        &self,
        hit: &Hit,
        json: &str,
        federation: Option<&FederationMember>,
        out: &mut String,
    ) -> Result<(), ServiceError> {
        let begin = out.len();
        self.fields.write(json, &|name| self.snapshot.knows_field(name), out);
        if self.with_vectors {
            add_vectors(self.snapshot, hit.doc_id, json, ShownData::Shown, out)?;
        }
        if let Some(origin) = self.origin
            && let Some(point) = shown_point(&out[begin..])
        {
            add_member("_geoDistance", &(distance(origin, point).round() as u64), out)?;
        }
        if let Some(federation) = federation {
            add_member("_federation", federation, out)?;
        }
        if let Some(formatter) = &self.formatter {
            let document: Map<String, Value> =
                serde_json::from_str(json).map_err(ServiceError::internal)?;
            let formatted = formatter.format(&document, self.budget.left());
            let (formatted, positions) =
                formatted.map_err(|TooLongError| self.budget.exceeded())?;
            if let Some(formatted) = formatted {
                add_member("_formatted", &formatted, out)?;
            }
            if let Some(positions) = positions {
                add_member("_matchesPosition", &positions, out)?;
            }
        }
        if self.view.ranking_score {
            add_member("_rankingScore", &hit.score, out)?;
            if let Some(score) = self.rerank_scores.and_then(|scores| scores.score(hit)) {
                add_member("_rerankScore", &score, out)?;
            }
        }
        if self.view.ranking_score_details {
            let mut details = hit.details();
            let order = details.len();
            if let Some(detail) = self.rerank_scores.and_then(|scores| scores.detail(hit, order)) {
                details.insert("rerank".to_owned(), detail);
            }
            add_member("_rankingScoreDetails", &details, out)?;
        }
        Ok(())
    }
}

/// Returns the coordinates of a document, if they are shown.
fn shown_point(json: &str) -> Option<Point> {
    let document = Document::parse(json).ok()?;
    let place: Value = serde_json::from_str(document.get(GEO_FIELD)?).ok()?;
    let coordinate = |name: &str| match place.get(name)? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    Some(Point { lat: coordinate("lat")?, lng: coordinate("lng")? })
}

/// Selects names that are requested and displayed, each exactly as given: requesting an object
/// shows nothing if only a part of it is displayed.
fn selection(view: &HitView, displayed: Option<&[String]>) -> FieldSelection {
    let wanted = view.attributes_to_retrieve.as_deref();
    let wanted = wanted.filter(|names| !names.iter().any(|name| name == "*"));
    match (wanted, displayed) {
        (None, None) => FieldSelection::all(),
        (None, Some(displayed)) => FieldSelection::names(displayed.to_vec()),
        (Some(wanted), _) => {
            let names = wanted.iter().filter(|name| is_displayed(name, displayed));
            FieldSelection::names(names.cloned().collect())
        }
    }
}

fn is_displayed(name: &str, displayed: Option<&[String]>) -> bool {
    displayed.is_none_or(|displayed| displayed.iter().any(|shown| shown == name))
}

/// Adds a member to the JSON object at the end of `out`.
fn add_member(name: &str, value: &impl Serialize, out: &mut String) -> Result<(), ServiceError> {
    let value = serde_json::to_string(value).map_err(ServiceError::internal)?;
    out.pop();
    if !out.ends_with('{') {
        out.push(',');
    }
    out.push('"');
    out.push_str(name);
    out.push_str("\":");
    out.push_str(&value);
    out.push('}');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(wanted: Option<&[&str]>, displayed: Option<&[&str]>, expected: &str) {
        let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let view = HitView { attributes_to_retrieve: wanted.map(owned), ..HitView::default() };
        let displayed = displayed.map(owned);
        let mut out = String::new();
        let json = r#"{"id":1,"a":{"b":2,"c":3},"_vectors":{"x":[1]}}"#;
        selection(&view, displayed.as_deref()).write(json, &|_| true, &mut out);
        assert_eq!(out, expected, "{wanted:?} of {displayed:?}");
    }

    #[test]
    fn fields_are_shown_if_they_are_asked_for_and_displayed() {
        check(None, None, r#"{"id":1,"a":{"b":2,"c":3}}"#);
        check(Some(&["*", "id"]), None, r#"{"id":1,"a":{"b":2,"c":3}}"#);
        check(Some(&["id"]), None, r#"{"id":1}"#);
        check(Some(&["a.c"]), None, r#"{"a":{"c":3}}"#);
        check(Some(&[]), None, "{}");
        check(None, Some(&["a.b"]), r#"{"a":{"b":2}}"#);
        check(Some(&["*"]), Some(&["a.b"]), r#"{"a":{"b":2}}"#);
        check(Some(&["id", "a.b"]), Some(&["a.b"]), r#"{"a":{"b":2}}"#);
        check(Some(&["a"]), Some(&["a.b"]), "{}");
        check(Some(&["a.b"]), Some(&["a"]), "{}");
    }

    #[test]
    fn a_place_is_told_from_what_is_shown() {
        for (json, expected) in [
            (r#"{"_geo":{"lat":1,"lng":-2.5}}"#, Some(Point { lat: 1.0, lng: -2.5 })),
            (r#"{"_geo":{"lat":"45.75","lng":"4"}}"#, Some(Point { lat: 45.75, lng: 4.0 })),
            (r#"{"_geo":{"lat":1}}"#, None),
            (r#"{"_geo":null}"#, None),
            (r#"{"id":1}"#, None),
            ("{}", None),
        ] {
            assert_eq!(shown_point(json), expected, "{json}");
        }
    }

    #[test]
    fn members_are_added_to_full_and_to_empty_objects() {
        for (object, expected) in [("{}", r#"{"_s":1.0}"#), (r#"{"a":{}}"#, r#"{"a":{},"_s":1.0}"#)]
        {
            let mut out = object.to_owned();
            add_member("_s", &1.0, &mut out).unwrap();
            assert_eq!(out, expected);
        }
    }
}
