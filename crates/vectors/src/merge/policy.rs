//! What a store needs next. Files are joined as they double, so that there are few of them and a
//! vector is copied a few times at most; the graph is written anew after a sixteenth of it has
//! changed, so that writing it costs little beside entering what changed.

use crate::placed::Placed;
use crate::store::State;

/// So many small files become one.
const FAN_IN: usize = 8;
/// The graph is written anew when one in so many nodes has come or gone.
const FOLD_SHARE: u64 = 16;
/// Fewer changes than this are no reason.
const SMALLEST_FOLD: u64 = 2_000;
/// Rows of links that are copied to memory, at 128 bytes each.
const MOST_CHANGED_ROWS: u32 = 2 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The files from this one on become one; its rows keep their nodes.
    Join { from: usize },
    /// The same, if there is any, and the graph is written anew with new nodes.
    Fold { from: usize },
}

pub fn next_step(state: &State) -> Option<Step> {
    let files = state.files.as_slice();
    if state.is_small() {
        // Without a graph nodes mean nothing, and all are given anew.
        let is_due = state.graph.file().is_some()
            || suffix_to_join(files, 0).is_some()
            || files.iter().any(is_half_dead);
        return is_due.then(|| Step::Fold { from: start_of_rewrite(files) });
    }
    if is_fold_due(state) {
        return Some(Step::Fold { from: start_of_rewrite(files) });
    }
    let in_file = state.graph.nodes_in_file();
    let recent = files.iter().position(|placed| placed.first_node() >= in_file)?;
    suffix_to_join(files, recent).map(|from| Step::Join { from })
}

fn is_fold_due(state: &State) -> bool {
    let Some(file) = state.graph.file() else {
        return state.files.iter().any(Placed::is_entered);
    };
    // Not only those that are still there: nodes of rows that a join has left out stay in memory.
    let recent = u64::from(state.files.end().saturating_sub(file.rows(0)));
    let old = state.files.iter().filter(|placed| placed.first_node() < file.rows(0));
    let living = old.map(|placed| u64::from(placed.live_rows())).sum();
    let changes = recent + u64::from(file.living()).saturating_sub(living);
    changes >= SMALLEST_FOLD.max(u64::from(file.living()) / FOLD_SHARE)
        || state.graph.changed_rows() > MOST_CHANGED_ROWS
}

/// Where the newest files start that are no larger than those after them together, if they are
/// many.
fn suffix_to_join(files: &[Placed], lowest: usize) -> Option<usize> {
    let start = start_of_suffix(files, lowest);
    (files.len() - start >= FAN_IN).then_some(start)
}

fn start_of_suffix(files: &[Placed], lowest: usize) -> usize {
    let mut rows = 0;
    let mut start = files.len();
    while start > lowest {
        let older = files[start - 1].live_rows();
        if start < files.len() && older > rows {
            break;
        }
        rows += older;
        start -= 1;
    }
    start
}

/// A fold copies the newest files, and all from the first that has many dead rows on. One file
/// alone stays as it is.
fn start_of_rewrite(files: &[Placed]) -> usize {
    let start = start_of_suffix(files, 0);
    let start = if start + 1 == files.len() { files.len() } else { start };
    files.iter().position(is_full_of_dead).map_or(start, |first| first.min(start))
}

fn is_full_of_dead(placed: &Placed) -> bool {
    placed.dead_rows() > 0 && placed.dead_rows() >= placed.file.rows() / 4
}

fn is_half_dead(placed: &Placed) -> bool {
    placed.dead_rows() > placed.live_rows()
}
