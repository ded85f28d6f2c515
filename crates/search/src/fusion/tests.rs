use super::*;

/// A list with these scores, best first.
fn side(list: &[(DocId, f64)]) -> SideList {
    let place =
        |(rank, (id, score)): (u32, &(DocId, f64))| (*id, ListPosition { rank, score: *score });
    SideList::new((1..).zip(list).map(place))
}

fn scores(
    fusion: Fusion,
    ratio: f64,
    words: &[(DocId, f64)],
    vector: &[(DocId, f64)],
    matching: &[DocId],
) -> Vec<f64> {
    let documents: Vec<DocId> = (1..=6).collect();
    let sides = (&side(words), &side(vector));
    let is_match = |id: DocId| matching.contains(&id) || words.iter().any(|(word, _)| *word == id);
    let fused = fuse(fusion, ratio, &documents, sides, is_match);
    fused.iter().map(|fused| fused.score).collect()
}

fn close(left: &[f64], right: &[f64]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(a, b)| (a - b).abs() < 1e-9)
}

const WORDS: &[(DocId, f64)] = &[(3, 0.4), (1, 0.3), (5, 0.2)];
const VECTOR: &[(DocId, f64)] = &[(1, 0.9), (2, 0.8), (3, 0.7), (6, 0.65)];

#[test]
fn reciprocal_ranks_are_added_by_their_weights() {
    for (k, ratio) in [(60, 0.5), (1, 0.2), (1000, 0.9)] {
        let naive = |id: DocId| {
            let rank = |list: &[(DocId, f64)]| list.iter().position(|(other, _)| *other == id);
            let part = |list, weight: f64| {
                rank(list).map_or(0.0, |rank| weight / (f64::from(k) + rank as f64 + 1.0))
            };
            part(WORDS, 1.0 - ratio) + part(VECTOR, ratio)
        };
        // The score is scaled so that the first of both lists has 1.
        let expected: Vec<f64> = (1..=6).map(|id| naive(id) * (f64::from(k) + 1.0)).collect();
        let found = scores(Fusion::Rrf { k }, ratio, WORDS, VECTOR, &[]);
        assert!(close(&found, &expected), "{k} {ratio}: {found:?} {expected:?}");
    }
    let found = scores(Fusion::Rrf { k: 60 }, 0.5, &[(1, 0.1)], &[(1, 0.1)], &[]);
    assert!(close(&found[..1], &[1.0]));
}

#[test]
fn scores_are_scaled_to_the_range_of_their_side() {
    let found = scores(Fusion::Normalized, 0.5, WORDS, VECTOR, &[]);
    // Words: 0 to 0.4, because three documents have none of them. Vector: 0.65 to 0.9.
    let expected = [0.5 * 0.75 + 0.5, 0.3, 0.5 + 0.1, 0.0, 0.25, 0.0];
    assert!(close(&found, &expected), "{found:?}");
    // A document that matches behind the end of the list scores like the last in it.
    let found = scores(Fusion::Normalized, 0.0, WORDS, VECTOR, &[2, 4, 6]);
    assert!(close(&found, &[0.5, 0.0, 1.0, 0.0, 0.0, 0.0]), "{found:?}");
}

#[test]
fn a_side_that_tells_nothing_apart_does_not_change_the_order() {
    let equal: Vec<(DocId, f64)> = (1..=6).map(|id| (id, 0.7)).collect();
    let found = scores(Fusion::Normalized, 0.5, &equal, VECTOR, &[]);
    assert!(close(&found, &[1.0, 0.8, 0.6, 0.5, 0.5, 0.5]), "{found:?}");
    // One that finds nothing leaves the score to the other.
    let found = scores(Fusion::Normalized, 0.5, &[], VECTOR, &[]);
    assert!(close(&found, &[0.5, 0.3, 0.1, 0.0, 0.0, 0.0]), "{found:?}");
    let found = scores(Fusion::Normalized, 0.5, &[], &[], &[]);
    assert!(close(&found, &[0.0; 6]), "{found:?}");
}

#[test]
fn one_document_is_the_best_of_both() {
    let lists = (&side(&[(1, 0.2)]), &side(&[(1, 0.6)]));
    for fusion in [Fusion::Normalized, Fusion::Rrf { k: 60 }] {
        assert_eq!(fuse(fusion, 0.3, &[1], lists, |_| true)[0].score, 1.0);
    }
}
