//! What the runs about vectors share: which documents a filter lets through, the exact answers by
//! comparing with everything, and how much of them an answer has.

use std::thread;

use serde::{Deserialize, Serialize};

use crate::data::vectors::{Matrix, Vectors};

/// So many nearest are asked for.
pub const NEAREST: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    None,
    Tenth,
    Hundredth,
}

impl Filter {
    pub const ALL: [Filter; 3] = [Filter::None, Filter::Tenth, Filter::Hundredth];

    /// One in so many documents passes.
    pub fn one_in(self) -> u32 {
        match self {
            Filter::None => 1,
            Filter::Tenth => 10,
            Filter::Hundredth => 100,
        }
    }

    pub fn lets_through(self, id: u32) -> bool {
        mixed(id).is_multiple_of(self.one_in())
    }

    /// The attribute by which documents are filtered, and what the expression says of it.
    pub fn expression(self) -> Option<&'static str> {
        match self {
            Filter::None => None,
            Filter::Tenth => Some("tenth = 0"),
            Filter::Hundredth => Some("hundredth = 0"),
        }
    }

    /// For the names of rows.
    pub fn suffix(self) -> &'static str {
        match self {
            Filter::None => "",
            Filter::Tenth => " of 10 %",
            Filter::Hundredth => " of 1 %",
        }
    }
}

/// Numbers in a row, in no order any more.
pub fn mixed(id: u32) -> u32 {
    let id = (id ^ (id >> 16)).wrapping_mul(0x045d_9f3b);
    id ^ (id >> 16)
}

/// The ids of the nearest by the cosine, for each query.
pub fn exact(vectors: &Vectors, filter: Filter) -> Vec<Vec<u32>> {
    let stored: Vec<(u32, Vec<f32>)> = (0..)
        .zip(vectors.stored.rows())
        .filter(|(id, _)| filter.lets_through(*id))
        .map(|(id, row)| (id, direction(row)))
        .collect();
    let queries: Vec<&[f32]> = vectors.queries.rows().collect();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let part = queries.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let parts: Vec<_> = queries
            .chunks(part)
            .map(|queries| {
                let stored = &stored;
                scope.spawn(move || queries.iter().map(|query| nearest(query, stored)).collect())
            })
            .collect();
        let join = |part: thread::ScopedJoinHandle<'_, Vec<Vec<u32>>>| {
            part.join().expect("a comparison does not panic")
        };
        parts.into_iter().flat_map(join).collect()
    })
}

fn nearest(query: &[f32], stored: &[(u32, Vec<f32>)]) -> Vec<u32> {
    let mut all: Vec<(f32, u32)> = stored.iter().map(|(id, row)| (-dot(query, row), *id)).collect();
    let count = NEAREST.min(all.len());
    if count < all.len() {
        all.select_nth_unstable_by(count, |left, right| left.0.total_cmp(&right.0));
    }
    all[..count].iter().map(|(_, id)| *id).collect()
}

/// The best of some candidates by their own vectors.
pub fn rescored(query: &[f32], candidates: &[u32], stored: &Matrix) -> Vec<u32> {
    let row = |id: u32| direction(stored.row(id as usize));
    let rows: Vec<_> = candidates.iter().map(|&id| (id, row(id))).collect();
    nearest(query, &rows)
}

/// At length 1.
fn direction(row: &[f32]) -> Vec<f32> {
    let length = dot(row, row).sqrt();
    row.iter().map(|value| value / length).collect()
}

/// With sums side by side, which the compiler turns into wide instructions.
fn dot(left: &[f32], right: &[f32]) -> f32 {
    let mut sums = [0.0; 16];
    for (left, right) in left.chunks(16).zip(right.chunks(16)) {
        for (sum, (left, right)) in sums.iter_mut().zip(left.iter().zip(right)) {
            *sum += left * right;
        }
    }
    sums.iter().sum()
}

/// The share of the exact answers that were found.
pub fn recall(exact: &[Vec<u32>], found: &[Vec<u32>]) -> f64 {
    let right = |(exact, found): (&Vec<u32>, &Vec<u32>)| {
        exact.iter().filter(|id| found.contains(id)).count()
    };
    let all: usize = exact.iter().map(Vec::len).sum();
    exact.iter().zip(found).map(right).sum::<usize>() as f64 / all.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(count: u32) -> Matrix {
        Matrix::new(2, (0..count).flat_map(|id| [1.0, id as f32 / 10.0]).collect())
    }

    #[test]
    fn the_nearest_by_direction_are_found() {
        let vectors = Vectors { stored: line(40), queries: Matrix::new(2, vec![2.0, 4.0]) };
        let mut found = exact(&vectors, Filter::None);
        found[0].sort_unstable();
        // 2.0 : 4.0 is the direction of the twentieth; angles shrink towards the end.
        assert_eq!(found[0].len(), NEAREST);
        assert!(found[0].contains(&20) && !found[0].contains(&0));
        let few = exact(&vectors, Filter::Tenth);
        assert!(few[0].iter().all(|id| Filter::Tenth.lets_through(*id)));
        assert_eq!(recall(&found, &found), 1.0);
        assert_eq!(recall(&found, &[vec![20]]), 0.1);
    }

    #[test]
    fn filters_let_their_share_through() {
        for filter in Filter::ALL {
            let count = (0..100_000).filter(|id| filter.lets_through(*id)).count();
            let expected = 100_000 / filter.one_in() as usize;
            assert!(count.abs_diff(expected) < expected / 10, "{filter:?}: {count}");
        }
    }

    #[test]
    fn candidates_are_put_in_order_by_their_own_vectors() {
        let best = rescored(&[2.0, 4.0], &[3, 20, 39, 19], &line(40));
        assert_eq!(best.len(), 4);
        assert!(best.contains(&20));
    }
}
