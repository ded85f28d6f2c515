//! Relevance metrics of one list of hits, given the grades of documents for its query.
//!
//! A grade above zero means that the document answers the query; the higher, the better. Documents
//! without a grade count as zero. Every measure is between 0 and 1.

use std::collections::HashMap;

/// Document id → grade, for one query.
pub(super) type Grades = HashMap<String, f64>;

/// A relevance metric; `ALL` is the order of display.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    Ndcg,
    Recall,
    Mrr,
    Precision,
}

impl Measure {
    pub(super) const ALL: [Self; 4] = [Self::Ndcg, Self::Recall, Self::Mrr, Self::Precision];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ndcg => "NDCG",
            Self::Recall => "recall",
            Self::Mrr => "MRR",
            Self::Precision => "precision",
        }
    }
}

/// The values of one query, one for each of `Measure::ALL`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Values([f64; Measure::ALL.len()]);

impl Values {
    /// Computes all metrics. `hits` are ids, best first; only the first `cut` count.
    pub(super) fn of(hits: &[String], grades: &Grades, cut: usize) -> Self {
        let hits = &hits[..hits.len().min(cut)];
        let found: Vec<f64> =
            hits.iter().map(|id| grades.get(id).copied().unwrap_or_default()).collect();
        Self([
            ndcg(&found, grades, cut),
            recall(&found, grades, cut),
            reciprocal_rank(&found),
            relevant(&found) as f64 / cut.max(1) as f64,
        ])
    }

    pub(super) fn get(&self, measure: Measure) -> f64 {
        self.0[measure as usize]
    }
}

/// Computes the discounted cumulative gain, relative to that of the ideal list.
fn ndcg(found: &[f64], grades: &Grades, cut: usize) -> f64 {
    let mut best: Vec<f64> = grades.values().copied().collect();
    best.sort_by(|one, other| other.total_cmp(one));
    best.truncate(cut);
    share(gain(found), gain(&best))
}

fn gain(grades: &[f64]) -> f64 {
    let each = grades.iter().zip(2_u32..);
    each.map(|(grade, discount)| (grade.exp2() - 1.0) / f64::from(discount).log2()).sum()
}

/// Computes the share of relevant documents found, at most `cut` of them: a list of ten holds ten.
fn recall(found: &[f64], grades: &Grades, cut: usize) -> f64 {
    let all = grades.values().filter(|grade| **grade > 0.0).count();
    share(relevant(found) as f64, all.min(cut) as f64)
}

/// Returns one divided by the rank of the first relevant hit.
fn reciprocal_rank(found: &[f64]) -> f64 {
    let first = found.iter().position(|grade| *grade > 0.0);
    first.map_or(0.0, |place| 1.0 / (place + 1) as f64)
}

fn relevant(found: &[f64]) -> usize {
    found.iter().filter(|grade| **grade > 0.0).count()
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grades(all: &[(&str, f64)]) -> Grades {
        all.iter().map(|(id, grade)| ((*id).to_owned(), *grade)).collect()
    }

    #[track_caller]
    fn check(hits: &str, judged: &[(&str, f64)], cut: usize, expected: [f64; 4]) {
        let hits: Vec<String> = hits.split_whitespace().map(str::to_owned).collect();
        let values = Values::of(&hits, &grades(judged), cut);
        for (measure, expected) in Measure::ALL.into_iter().zip(expected) {
            let value = values.get(measure);
            assert!((value - expected).abs() < 1e-4, "{measure:?}: {value}, not {expected}");
        }
    }

    #[test]
    fn values_are_those_computed_by_hand() {
        // Gains 7 and 1: (0/1 + 1/1.58496 + 7/2) / (7/1 + 1/1.58496 + 0) = 4.13093 / 7.63093
        check("x b a", &[("a", 3.0), ("b", 1.0)], 10, [0.54134, 1.0, 0.5, 0.2]);
        // (1/1 + 1/2) / (1/1 + 1/1.58496 + 1/2) = 1.5 / 2.13093
        check("a x b", &[("a", 1.0), ("b", 1.0), ("c", 1.0)], 3, [0.70392, 0.66667, 1.0, 0.66667]);
    }

    #[test]
    fn the_best_list_has_one_and_an_empty_one_nothing() {
        let judged = [("a", 2.0), ("b", 1.0), ("c", 0.0)];
        check("a b", &judged, 2, [1.0; 4]);
        check("", &judged, 2, [0.0; 4]);
        check("c x", &judged, 2, [0.0; 4]);
    }

    #[test]
    fn hits_behind_the_cut_do_not_count() {
        check("x y a", &[("a", 1.0)], 2, [0.0; 4]);
    }

    #[test]
    fn a_short_list_can_have_full_recall() {
        let judged = [("a", 1.0), ("b", 1.0), ("c", 1.0)];
        check("c a", &judged, 2, [1.0; 4]);
    }

    #[test]
    fn only_ndcg_depends_on_the_order_after_the_first_hit() {
        let judged = [("a", 1.0), ("b", 2.0), ("c", 3.0)];
        let values = |hits: &str| {
            let hits: Vec<String> = hits.split_whitespace().map(str::to_owned).collect();
            Values::of(&hits, &grades(&judged), 10)
        };
        let (one, other) = (values("a c b"), values("a b c"));
        assert!(one.get(Measure::Ndcg) > other.get(Measure::Ndcg));
        for measure in [Measure::Recall, Measure::Mrr, Measure::Precision] {
            assert!((one.get(measure) - other.get(measure)).abs() < 1e-12, "{measure:?}");
        }
    }
}
