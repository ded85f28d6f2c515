//! Documents of a network: single ones, and pages cut from the documents of all instances.

use engine::{ListDocuments, ListedDocument, ListedDocuments, Page};
use network::ShardScope;
use search::federation::{Candidate, SortKey, merge_answers};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::RemoteSearcher;
use super::ask::parse;
use super::fan_out::{FanOut, PendingAnswers};

/// Page of a remote as it is sent: documents, and the sort values of each.
#[derive(Debug, Deserialize)]
struct WirePage {
    results: Vec<Box<RawValue>>,
    order: Vec<WireSortValues>,
    total: u64,
}

#[derive(Debug, Deserialize)]
struct WireSortValues {
    parts: Vec<SortKey>,
    number: u32,
}

impl RemoteSearcher {
    /// Requests the others' documents of a page, from the first document on.
    pub fn ask_documents(
        &self,
        fan_out: &FanOut,
        uid: &str,
        request: &ListDocuments,
    ) -> PendingAnswers<ListedDocuments> {
        let body = |scope: &ShardScope| {
            json!({
                "offset": 0,
                "limit": request.offset.saturating_add(request.limit),
                "ids": request.ids,
                "filter": scope.narrowed(request.filter.clone()),
                "sort": request.sort,
                "fields": request.view.fields,
                "retrieveVectors": request.view.retrieve_vectors,
            })
        };
        self.ask_others(fan_out, (uid, &request.foreign), "documents/fetch", body, read_page)
    }
}

fn read_page(body: &[u8]) -> Result<ListedDocuments, String> {
    let page: WirePage = parse(body)?;
    if page.order.len() != page.results.len() {
        return Err("there are not as many sort values as documents".to_owned());
    }
    let listed = |(json, place): (Box<RawValue>, WireSortValues)| ListedDocument {
        parts: place.parts,
        number: place.number,
        json: json.get().to_owned(),
    };
    let documents = page.results.into_iter().zip(page.order).map(listed).collect();
    Ok(ListedDocuments { documents, total: page.total })
}

/// Merges the pages. Ties stand in the order of their numbers where these are common to all
/// instances; otherwise the documents of this instance come first, then those of each remote.
pub fn merge_documents(
    fan_out: &FanOut,
    request: &ListDocuments,
    own: Option<ListedDocuments>,
    remotes: Vec<(String, ListedDocuments)>,
) -> Page<String> {
    let all = own.into_iter().chain(remotes.into_iter().map(|(_, page)| page));
    let mut total: u64 = 0;
    let mut lists = Vec::new();
    for (place, page) in all.enumerate() {
        total = total.saturating_add(page.total);
        let query = if fan_out.has_common_numbers() { 0 } else { place };
        let candidate = |document: ListedDocument| Candidate {
            parts: document.parts,
            score: 1.0,
            query,
            number: u64::from(document.number),
            pin: None,
            distinct: Vec::new(),
            hit: document.json,
        };
        lists.push(page.documents.into_iter().map(candidate).collect());
    }
    let ListDocuments { offset, limit, .. } = *request;
    let merged = merge_answers(lists, offset.saturating_add(limit));
    let results = merged.hits.into_iter().skip(offset).map(|candidate| candidate.hit).collect();
    Page { results, offset, limit, total: usize::try_from(total).unwrap_or(usize::MAX) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_must_say_where_each_document_belongs() {
        let place = |number: u32| json!({"parts": [], "number": number});
        let page = |results: serde_json::Value, order: serde_json::Value| {
            let page = json!({"results": results, "order": order, "total": 7, "offset": 0});
            read_page(page.to_string().as_bytes())
        };
        let read = page(json!([{"id": 1}]), json!([place(3)])).unwrap();
        assert_eq!((read.documents[0].json.as_str(), read.documents[0].number), ("{\"id\":1}", 3));
        assert_eq!(read.total, 7);
        assert!(page(json!([{"id": 1}]), json!([])).is_err());
        assert!(page(json!([{"id": 1}]), json!([{"parts": [{"nope": 1}], "number": 1}])).is_err());
        assert!(read_page(b"{}").is_err() && read_page(b"").is_err());
    }
}
