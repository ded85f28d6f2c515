//! The number of edits between two words: insert, delete, substitute, or swap two neighbours.

/// For a prefix, the distance to the best beginning of `word`.
pub fn edit_distance(query: &str, word: &str, is_prefix: bool) -> usize {
    let query: Vec<char> = query.chars().collect();
    let word: Vec<char> = word.chars().collect();
    let columns = word.len() + 1;
    let mut cost = vec![0; (query.len() + 1) * columns];
    for i in 0..=query.len() {
        for j in 0..=word.len() {
            cost[i * columns + j] = if i == 0 || j == 0 {
                i + j
            } else {
                let before = |di: usize, dj: usize| cost[(i - di) * columns + j - dj];
                let differs = usize::from(query[i - 1] != word[j - 1]);
                let mut best = (before(1, 0) + 1).min(before(0, 1) + 1).min(before(1, 1) + differs);
                let swapped =
                    i > 1 && j > 1 && query[i - 1] == word[j - 2] && query[i - 2] == word[j - 1];
                if swapped {
                    best = best.min(before(2, 2) + 1);
                }
                best
            };
        }
    }
    let last_row = &cost[query.len() * columns..];
    if is_prefix { last_row.iter().copied().min().unwrap_or(0) } else { last_row[word.len()] }
}
