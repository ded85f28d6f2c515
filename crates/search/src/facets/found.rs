//! Merges the facet values found by several instances as if one instance had found them.

use std::collections::HashMap;

use index::Snapshot;
use settings::FacetOrder;
use text::{fold, value_form};

/// The order of the values found, and the maximum number shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FacetDisplay {
    pub order: FacetOrder,
    pub most: usize,
}

impl FacetDisplay {
    pub fn of(snapshot: &Snapshot, facet: &str) -> Self {
        let faceting = &snapshot.typed_settings().faceting;
        let order = *faceting.orders.get(facet).unwrap_or(&faceting.order);
        Self { order, most: faceting.max_values_per_facet }
    }
}

/// Sums the counts of equal values, which may have several spellings: that of the first instance is
/// shown. `by_text` is true if values were searched by their beginning, even an empty one.
pub fn merge_found(
    found: impl IntoIterator<Item = Vec<(String, u64)>>,
    shown: FacetDisplay,
    by_text: bool,
) -> Vec<(String, u64)> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut values: Vec<Value> = Vec::new();
    let mut normal = String::new();
    for (spelling, count) in found.into_iter().flatten() {
        value_form(&spelling, &mut normal);
        if let Some(&place) = places.get(&normal) {
            values[place].count = values[place].count.saturating_add(count);
            continue;
        }
        places.insert(normal.clone(), values.len());
        values.push(Value { normal: normal.clone(), spelling, count });
    }
    match (shown.order, by_text) {
        (FacetOrder::Count, _) => {
            values.sort_unstable_by(|a, b| (b.count, &b.normal).cmp(&(a.count, &a.normal)));
        }
        (FacetOrder::Alpha, false) => values.sort_unstable_by(|a, b| a.normal.cmp(&b.normal)),
        (FacetOrder::Alpha, true) => {
            values.sort_by_cached_key(|value| (folded(&value.normal), value.normal.clone()));
        }
    }
    values.truncate(shown.most);
    values.into_iter().map(|value| (value.spelling, value.count)).collect()
}

fn folded(normal: &str) -> String {
    let mut folded = String::new();
    fold(normal, &mut folded);
    folded
}

struct Value {
    normal: String,
    spelling: String,
    count: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(order: FacetOrder, most: usize, by_text: bool) -> Vec<String> {
        let part = |values: &[(&str, u64)]| -> Vec<(String, u64)> {
            values.iter().map(|(value, count)| ((*value).to_owned(), *count)).collect()
        };
        let parts =
            [part(&[("Élan", 1), ("Ebb", 2), ("flow", 1)]), part(&[("ebb", 1), ("FLOW", 2)])];
        let merged = merge_found(parts, FacetDisplay { order, most }, by_text);
        merged.iter().map(|(value, count)| format!("{value} {count}")).collect()
    }

    #[test]
    fn counts_are_summed_whatever_the_spelling() {
        assert_eq!(merged(FacetOrder::Count, 9, false), ["flow 3", "Ebb 3", "Élan 1"]);
        assert_eq!(merged(FacetOrder::Count, 1, true), ["flow 3"]);
        assert_eq!(merged(FacetOrder::Alpha, 0, false), [""; 0]);
    }

    #[test]
    fn with_a_text_accents_do_not_count_for_the_order() {
        assert_eq!(merged(FacetOrder::Alpha, 9, false), ["Ebb 3", "Élan 1", "flow 3"]);
        assert_eq!(merged(FacetOrder::Alpha, 2, true), ["Ebb 3", "Élan 1"]);
    }
}
