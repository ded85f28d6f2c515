//! Orders hits by their scores.

/// Orders the first `limit` hits by score, those without one last; the others follow unchanged.
/// Each keeps its previous place beside it. Pinned hits keep their places; equal scores keep the
/// first order.
pub(in crate::search) fn reordered<H>(
    hits: Vec<H>,
    limit: usize,
    is_pinned: impl Fn(&H) -> bool,
    score: impl Fn(usize, &H) -> Option<f64>,
) -> Vec<(usize, H)> {
    let first = hits.iter().take(limit).enumerate();
    let movable: Vec<usize> =
        first.filter(|(_, hit)| !is_pinned(hit)).map(|(place, _)| place).collect();
    let scores: Vec<f64> = hits
        .iter()
        .enumerate()
        .map(|(place, hit)| score(place, hit).unwrap_or(f64::NEG_INFINITY))
        .collect();
    let mut order = movable.clone();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let mut source: Vec<usize> = (0..hits.len()).collect();
    for (place, from) in movable.into_iter().zip(order) {
        source[place] = from;
    }
    let mut hits: Vec<Option<H>> = hits.into_iter().map(Some).collect();
    source.into_iter().filter_map(|from| Some((from, hits[from].take()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(limit: usize, hits: &[(bool, Option<f64>)]) -> Vec<usize> {
        let hits = hits.to_vec();
        let reordered = reordered(hits, limit, |hit| hit.0, |_, hit| hit.1);
        reordered.into_iter().map(|(place, _)| place).collect()
    }

    #[test]
    fn scores_order_the_first_hits_that_are_not_pinned() {
        let hit = |score| (false, Some(score));
        assert_eq!(order(3, &[hit(0.1), hit(0.3), hit(0.2), hit(0.9)]), [1, 2, 0, 3]);
        assert_eq!(order(3, &[hit(0.1), (true, Some(0.0)), hit(0.2)]), [2, 1, 0]);
        assert_eq!(order(9, &[(false, None), hit(-5.0), hit(-5.0)]), [1, 2, 0]);
        assert_eq!(order(0, &[hit(0.1), hit(0.2)]), [0, 1]);
        assert_eq!(order(2, &[]), [0_usize; 0]);
    }
}
