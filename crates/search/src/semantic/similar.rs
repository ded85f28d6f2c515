//! Finds documents similar to another one by their vectors. Several vectors are compared index by
//! index: the second of one document only with the second of another, and the best index counts.

use filter::Filter;
use hashbrown::HashMap;
use index::Snapshot;
use model::Cancel;
use roaring::RoaringBitmap;
use segment::DocId;
use settings::Distribution;
use vectors::{Request, Store};

use crate::error::SearchError;
use crate::filtering;
use crate::found::Hit;
use crate::score::Score;
use crate::vector_query::shifted;

#[derive(Debug, Clone)]
pub struct SimilarQuery<'q> {
    /// The document itself, which is excluded; `None` if it is not in this index.
    pub target: Option<DocId>,
    /// Its vectors, in their order.
    pub vectors: &'q [Vec<f32>],
    pub store: &'q Store,
    pub distribution: Option<Distribution>,
    pub filter: Option<&'q Filter>,
    pub offset: usize,
    pub limit: usize,
    pub threshold: Option<f64>,
    pub cancel: &'q Cancel,
}

#[derive(Debug)]
pub struct SimilarDocuments {
    pub hits: Vec<Hit>,
    /// Similarities before any distribution, which determined their order.
    pub nearness: Vec<f32>,
    pub counts: SimilarCounts,
}

/// The counts that determine the total. The counts of several parts of an index are added.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SimilarCounts {
    /// Documents that pass the filter.
    pub candidates: u64,
    /// Documents that are similar enough, as far as they were searched for.
    pub enough: u64,
}

impl SimilarCounts {
    /// Returns how many documents a search for `wanted` documents can show: documents below the
    /// threshold do not count, nor do documents without vectors if they are reached before the
    /// window is full.
    pub fn total(self, threshold: Option<f64>, wanted: usize) -> u64 {
        let has_threshold = threshold.is_some_and(|threshold| threshold > 0.0);
        if has_threshold && self.enough < wanted as u64 { self.enough } else { self.candidates }
    }
}

impl std::ops::AddAssign for SimilarCounts {
    fn add_assign(&mut self, other: Self) {
        self.candidates = self.candidates.saturating_add(other.candidates);
        self.enough = self.enough.saturating_add(other.enough);
    }
}

pub fn similar(
    snapshot: &Snapshot,
    query: &SimilarQuery<'_>,
) -> Result<SimilarDocuments, SearchError> {
    let mut candidates = match query.filter {
        Some(filter) => filtering::matching(snapshot, filter, query.cancel)?,
        None => snapshot.live().clone(),
    };
    if let Some(target) = query.target {
        candidates.remove(target);
    }

    let wanted = query.offset.saturating_add(query.limit);
    let nearest = nearest(query, &candidates, wanted)?;
    let is_enough = |similarity: f32| {
        query.threshold.is_none_or(|threshold| f64::from(similarity) >= threshold)
    };
    let shown = |nearness: f32| shifted(nearness, query.distribution);
    let enough: Vec<(DocId, f32)> =
        nearest.into_iter().take_while(|(_, nearness)| is_enough(shown(*nearness))).collect();
    let counts = SimilarCounts { candidates: candidates.len(), enough: enough.len() as u64 };
    let page = enough.into_iter().skip(query.offset).take(query.limit);
    let (mut hits, mut nearnesses) = (Vec::new(), Vec::new());
    for (doc_id, nearness) in page {
        hits.push(Hit::new(doc_id, vec![Score::Vector(Some(shown(nearness)))]));
        nearnesses.push(nearness);
    }
    Ok(SimilarDocuments { hits, nearness: nearnesses, counts })
}

/// Returns the nearest documents with their similarities, nearest first.
fn nearest(
    query: &SimilarQuery<'_>,
    candidates: &RoaringBitmap,
    wanted: usize,
) -> Result<Vec<(DocId, f32)>, SearchError> {
    if query.limit == 0 {
        return Ok(Vec::new());
    }
    let mut best: HashMap<DocId, f32> = HashMap::new();
    for (place, vector) in query.vectors.iter().enumerate() {
        let request = Request {
            limit: wanted,
            filter: Some(candidates),
            nth: Some(place),
            cancel: query.cancel,
            ef: None,
        };
        for found in query.store.search(vector, &request)? {
            let similarity = best.entry(found.doc_id).or_insert(found.similarity);
            *similarity = similarity.max(found.similarity);
        }
    }
    let mut nearest: Vec<(DocId, f32)> = best.into_iter().collect();
    nearest.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    nearest.truncate(wanted);
    Ok(nearest)
}

#[cfg(test)]
mod tests;
