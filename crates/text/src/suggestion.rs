//! Detects likely typos of names, for hints in error messages. Requests choose both names, and the
//! cost of a comparison grows with the product of their lengths, so long names are not compared.

const MAX_BYTES: usize = 64;

/// Returns whether `name` is probably a typo of `meant`.
pub fn is_likely_typo(name: &str, meant: &str) -> bool {
    distance(name, meant).is_some()
}

/// Returns the candidate that `name` is most probably a typo of; the first of equally near ones.
pub fn closest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let similar = candidates
        .into_iter()
        .filter_map(|candidate| Some((distance(name, candidate)?, candidate)));
    similar.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

/// Returns the number of edits between the two; `None` if they are too many for a typo.
fn distance(name: &str, meant: &str) -> Option<usize> {
    if name.len() > MAX_BYTES || meant.len() > MAX_BYTES {
        return None;
    }
    if name.to_lowercase() == meant.to_lowercase() {
        return Some(0);
    }
    let most = match meant.chars().count() {
        0..=2 => return None,
        3..=7 => 1,
        _ => 2,
    };
    if name.chars().count().abs_diff(meant.chars().count()) > most {
        return None;
    }
    let distance = strsim::damerau_levenshtein(name, meant);
    (distance <= most).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_few_edits_are_typos() {
        for (name, meant, expected) in [
            ("manaul", "manual", true),
            ("Hand", "hand", true),
            ("withBred", "withBreed", true),
            ("_vector", "_vectors", true),
            ("vector", "_vectors", true),
            ("a", "b", false),
            ("M", "m", true),
            ("ghost", "mini", false),
            ("bend", "hand", false),
            ("", "hand", false),
        ] {
            assert_eq!(is_likely_typo(name, meant), expected, "{name} {meant}");
        }
        let long = "x".repeat(MAX_BYTES);
        assert!(is_likely_typo(&long, &long[1..]));
        assert!(!is_likely_typo(&format!("{long}x"), &long));
    }

    #[test]
    fn the_nearest_candidate_is_suggested() {
        assert_eq!(closest("withBred", ["basic", "withBreeds", "withBreed"]), Some("withBreed"));
        assert_eq!(closest("nope", ["my emb", "u"]), None);
    }
}
