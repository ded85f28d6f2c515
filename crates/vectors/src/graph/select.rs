//! Neighbour selection heuristic of HNSW: links go to near nodes in different directions. A
//! candidate nearer to a chosen one than to the row's own node is left out, since it is found
//! through the chosen one.

use crate::error::Result;
use crate::graph::format::LOWEST_WIDTH;
use crate::space::Space;

#[derive(Debug, Clone, Copy)]
pub struct Choice<'v> {
    /// Distance from the node that owns the row.
    pub distance: f32,
    pub index: u32,
    pub row: &'v [u8],
}

/// Chooses at most `most` candidates, which must be sorted nearest first.
pub fn select<'v>(
    space: &Space,
    candidates: impl IntoIterator<Item = Result<Choice<'v>>>,
    most: usize,
) -> Result<Vec<Choice<'v>>> {
    let mut chosen = Vec::with_capacity(LOWEST_WIDTH);
    add_chosen(space, candidates, most, &mut chosen)?;
    Ok(chosen)
}

/// Adds choices to those already made.
pub fn add_chosen<'v>(
    space: &Space,
    candidates: impl IntoIterator<Item = Result<Choice<'v>>>,
    most: usize,
    chosen: &mut Vec<Choice<'v>>,
) -> Result<()> {
    let mut twins = 0;
    for candidate in candidates {
        if chosen.len() >= most {
            break;
        }
        let candidate = candidate?;
        // Equal vectors are nearer to each other than to anything else; they must not crowd out
        // links that lead away from them.
        if space.is_twin(candidate.distance) {
            if twins >= most / 2 {
                continue;
            }
            twins += 1;
        }
        let is_hidden =
            |other: &Choice<'_>| space.distance(candidate.row, other.row) < candidate.distance;
        if !chosen.iter().any(is_hidden) {
            chosen.push(candidate);
        }
    }
    Ok(())
}

/// Sorts candidates nearest first. Ties are broken at random, differently in each row: in a fixed
/// order, many equal vectors would all link to the same few, and the others could not be reached.
pub fn sort(own: u32, candidates: &mut [Choice<'_>]) {
    let lot = |index: u32| (index ^ own.rotate_left(16)).wrapping_mul(0x9e37_79b1);
    candidates.sort_unstable_by(|left, right| {
        let nearer = left.distance.total_cmp(&right.distance);
        nearer.then_with(|| lot(left.index).cmp(&lot(right.index)))
    });
}
