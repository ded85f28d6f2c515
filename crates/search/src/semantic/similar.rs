//! Documents like another one, by their vectors. Several vectors are compared place by place: the
//! second of one document only with the second of another, and the best place counts.

use std::sync::atomic::AtomicBool;

use filter::Filter;
use hashbrown::HashMap;
use index::Snapshot;
use roaring::RoaringBitmap;
use segment::DocId;
use settings::Distribution;
use vectors::{Request, Store};

use super::shifted;
use crate::filtering;
use crate::query::{Hit, SearchError};
use crate::score::Score;

#[derive(Debug, Clone)]
pub struct SimilarQuery<'q> {
    pub target: DocId,
    pub store: &'q Store,
    pub distribution: Option<Distribution>,
    pub filter: Option<&'q Filter>,
    pub offset: usize,
    pub limit: usize,
    pub threshold: Option<f64>,
    pub cancelled: &'q AtomicBool,
}

#[derive(Debug)]
pub struct Similar {
    pub hits: Vec<Hit>,
    /// How many documents could be shown.
    pub total: u64,
}

pub fn similar(snapshot: &Snapshot, query: &SimilarQuery<'_>) -> Result<Similar, SearchError> {
    let mut candidates = match query.filter {
        Some(filter) => filtering::matching(snapshot, filter, query.cancelled)?,
        None => snapshot.live().clone(),
    };
    candidates.remove(query.target);

    let wanted = query.offset.saturating_add(query.limit);
    let nearest = nearest(query, &candidates, wanted)?;
    let is_enough = |similarity: f32| {
        query.threshold.is_none_or(|threshold| f64::from(similarity) >= threshold)
    };
    let enough: Vec<(DocId, f32)> =
        nearest.iter().copied().take_while(|(_, similarity)| is_enough(*similarity)).collect();
    // What is under the threshold does not count, nor what has no vectors, if it comes to that
    // before the window is full.
    let is_cut = query.threshold.is_some_and(|threshold| threshold > 0.0) && enough.len() < wanted;
    let total = if is_cut { enough.len() as u64 } else { candidates.len() };
    let page = enough.into_iter().skip(query.offset).take(query.limit);
    let hits =
        page.map(|(doc_id, similarity)| Hit::new(doc_id, vec![Score::Vector(Some(similarity))]));
    Ok(Similar { hits: hits.collect(), total })
}

/// The nearest documents with their similarities, nearest first.
fn nearest(
    query: &SimilarQuery<'_>,
    candidates: &RoaringBitmap,
    wanted: usize,
) -> Result<Vec<(DocId, f32)>, SearchError> {
    if query.limit == 0 {
        return Ok(Vec::new());
    }
    let mut best: HashMap<DocId, f32> = HashMap::new();
    for (place, vector) in query.store.vectors_of(query.target)?.iter().enumerate() {
        let request = Request {
            limit: wanted,
            filter: Some(candidates),
            nth: Some(place),
            cancelled: query.cancelled,
            effort: None,
        };
        for found in query.store.search(vector, &request)? {
            let similarity = best.entry(found.doc_id).or_insert(found.similarity);
            *similarity = similarity.max(found.similarity);
        }
    }
    let mut nearest: Vec<(DocId, f32)> = best.into_iter().collect();
    nearest.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    nearest.truncate(wanted);
    for (_, similarity) in &mut nearest {
        *similarity = shifted(*similarity, query.distribution);
    }
    Ok(nearest)
}

#[cfg(test)]
mod tests;
