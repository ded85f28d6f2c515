//! Merges the suggestions of several instances.

use std::collections::BTreeMap;

use super::Suggestion;

/// Merges equal phrases: their counts are added, and the spelling is that of the highest count.
pub fn merge_suggestions(
    lists: impl IntoIterator<Item = Vec<Suggestion>>,
    limit: usize,
) -> Vec<Suggestion> {
    let mut merged: BTreeMap<String, (Suggestion, u64)> = BTreeMap::new();
    for suggestion in lists.into_iter().flatten() {
        let count = suggestion.count;
        match merged.get_mut(&suggestion.words) {
            Some((known, most)) => {
                known.count = known.count.saturating_add(count);
                if count > *most {
                    (known.text, *most) = (suggestion.text, count);
                }
            }
            None => {
                merged.insert(suggestion.words.clone(), (suggestion, count));
            }
        }
    }
    let mut all: Vec<Suggestion> = merged.into_values().map(|(merged, _)| merged).collect();
    let length = |suggestion: &Suggestion| suggestion.words.split(' ').count();
    all.sort_by(|one, other| {
        other.count.cmp(&one.count).then_with(|| length(one).cmp(&length(other)))
    });
    all.truncate(limit);
    all
}
