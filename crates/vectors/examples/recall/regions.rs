//! Filters that pass documents lying together, and where queries stand to these: a filter of that
//! kind is easy for a search from its midst and hard for one from elsewhere.

use roaring::RoaringBitmap;
use segment::DocId;

use crate::dot;

/// Documents around some of them.
pub struct Region {
    pub name: &'static str,
    pub filter: RoaringBitmap,
    centers: Vec<Center>,
}

struct Center {
    direction: Vec<f32>,
    /// The cosine of the farthest document that passes because of it.
    farthest: f32,
}

/// Where a query stands to a region.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum QueryPosition {
    Inside,
    Outside,
    /// Among the third of all queries that is farthest away.
    Far,
}

pub const PLACES: [(&str, QueryPosition); 3] = [
    ("inside", QueryPosition::Inside),
    ("outside", QueryPosition::Outside),
    ("far", QueryPosition::Far),
];

impl Region {
    /// Creates a region of this many documents, around some drawn ones. Directions are unit
    /// vectors.
    pub fn around(
        name: &'static str,
        directions: &[Vec<f32>],
        centers: usize,
        documents: usize,
    ) -> Self {
        let mut region = Self { name, filter: RoaringBitmap::new(), centers: Vec::new() };
        for number in 0..centers {
            let center = &directions[(7 + 7919 * number) % directions.len()];
            let mut near: Vec<(f32, DocId)> = directions
                .iter()
                .zip(0..)
                .map(|(direction, doc_id)| (dot(center, direction), doc_id))
                .collect();
            let last = documents / centers - 1;
            let (_, &mut (farthest, _), _) =
                near.select_nth_unstable_by(last, |left, right| right.0.total_cmp(&left.0));
            region.filter.extend(near[..=last].iter().map(|(_, doc_id)| *doc_id));
            region.centers.push(Center { direction: center.clone(), farthest });
        }
        region
    }

    /// Where each of these queries stands.
    pub fn places(&self, queries: &[Vec<f32>]) -> Vec<QueryPosition> {
        let beyond: Vec<f32> = queries.iter().map(|query| self.beyond(query)).collect();
        let mut sorted = beyond.clone();
        sorted.sort_by(f32::total_cmp);
        let far = sorted.get(2 * sorted.len() / 3).copied().unwrap_or(0.0);
        let place = |&beyond: &f32| match beyond {
            beyond if beyond <= 0.0 => QueryPosition::Inside,
            beyond if beyond < far => QueryPosition::Outside,
            _ => QueryPosition::Far,
        };
        beyond.iter().map(place).collect()
    }

    /// How far beyond the border of the region a query is.
    fn beyond(&self, query: &[f32]) -> f32 {
        let length = dot(query, query).sqrt();
        let beyond = |center: &Center| center.farthest - dot(query, &center.direction) / length;
        self.centers.iter().map(beyond).fold(f32::INFINITY, f32::min)
    }
}
