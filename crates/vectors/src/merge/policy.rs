//! Merge policy of a store. Files are joined as they double, so that there are few and a vector is
//! copied only a few times; the graph is compacted after a sixteenth of it has changed, so that
//! writing it costs little compared to inserting the changes.

use crate::numbered_files::NumberedFile;
use crate::store::State;

/// Number of small files that are joined into one.
const FAN_IN: usize = 8;
/// The graph is compacted when one in this many nodes has come or gone.
const COMPACT_SHARE: u64 = 16;
/// Fewest changes that justify a compaction.
const SMALLEST_COMPACTION: u64 = 2_000;
/// Most rows of links copied to memory, at 128 bytes each.
const MOST_CHANGED_ROWS: u32 = 2 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Joins the files from this one on; rows keep their nodes.
    Join { from: usize },
    /// Joins these files, if there are any, and compacts the graph with new nodes.
    Compact { from: usize },
}

pub fn next_step(state: &State) -> Option<Step> {
    let files = state.files.as_slice();
    if state.is_small() {
        // Without a graph, nodes mean nothing and are all reassigned.
        let is_due = state.graph.file().is_some()
            || suffix_to_join(files, 0).is_some()
            || files.iter().any(is_half_dead);
        return is_due.then(|| Step::Compact { from: start_of_rewrite(files) });
    }
    if is_fold_due(state) {
        return Some(Step::Compact { from: start_of_rewrite(files) });
    }
    let in_file = state.graph.nodes_in_file();
    let recent = files.iter().position(|numbered| numbered.first_node() >= in_file)?;
    suffix_to_join(files, recent).map(|from| Step::Join { from })
}

fn is_fold_due(state: &State) -> bool {
    let Some(file) = state.graph.file() else {
        return state.files.iter().any(NumberedFile::is_inserted);
    };
    // Includes nodes without files: rows that a join has left out stay in memory.
    let recent = u64::from(state.files.end().saturating_sub(file.rows(0)));
    let old = state.files.iter().filter(|numbered| numbered.first_node() < file.rows(0));
    let living = old.map(|numbered| u64::from(numbered.live_rows())).sum();
    let changes = recent + u64::from(file.living()).saturating_sub(living);
    changes >= SMALLEST_COMPACTION.max(u64::from(file.living()) / COMPACT_SHARE)
        || state.graph.changed_rows() > MOST_CHANGED_ROWS
}

/// Returns the start of the many newest files that are no larger than those after them together.
fn suffix_to_join(files: &[NumberedFile], lowest: usize) -> Option<usize> {
    let start = start_of_suffix(files, lowest);
    (files.len() - start >= FAN_IN).then_some(start)
}

fn start_of_suffix(files: &[NumberedFile], lowest: usize) -> usize {
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

/// Returns the first file to rewrite: a compaction copies the newest files, and all from the first
/// with many dead rows on. A single file stays as it is.
fn start_of_rewrite(files: &[NumberedFile]) -> usize {
    let start = start_of_suffix(files, 0);
    let start = if start + 1 == files.len() { files.len() } else { start };
    files.iter().position(is_full_of_dead).map_or(start, |first| first.min(start))
}

fn is_full_of_dead(numbered: &NumberedFile) -> bool {
    numbered.dead_rows() > 0 && numbered.dead_rows() >= numbered.file.rows() / 4
}

fn is_half_dead(numbered: &NumberedFile) -> bool {
    numbered.dead_rows() > numbered.live_rows()
}
