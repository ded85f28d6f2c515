//! Merges the facets of one index whose documents are on several instances, as if one instance had
//! all of them. Each part must be complete, as values that were cut off cannot be counted.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use settings::FacetOrder;
use text::value_form;

use super::distribution::{Facets, NUMBERS_AS_TEXT};
use super::found::FacetDisplay;

/// Sums the counts of each value and truncates each attribute as `shown_of` specifies. `documents`
/// is the number of counted documents in all parts.
pub fn unite(
    parts: impl IntoIterator<Item = Facets>,
    shown_of: impl Fn(&str) -> FacetDisplay,
    documents: u64,
) -> Facets {
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    let mut extremes: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for part in parts {
        for (attribute, values) in part.distribution {
            counts.entry(attribute).or_default().add(values);
        }
        for (attribute, (least, greatest)) in part.stats {
            let (min, max) = extremes.entry(attribute).or_insert((least, greatest));
            (*min, *max) = (min.min(least), max.max(greatest));
        }
    }
    let distribution = counts.into_iter().map(|(attribute, counts)| {
        let shown = shown_of(&attribute);
        (attribute, counts.shown(shown, documents))
    });
    Facets { distribution: distribution.collect(), stats: extremes.into_iter().collect() }
}

/// The values of one attribute. Several spellings of a value count as one, shown as in the first
/// part that has it.
#[derive(Default)]
struct Counts {
    places: HashMap<String, usize>,
    values: Vec<Value>,
}

struct Value {
    normal: String,
    spelling: String,
    number: Option<f64>,
    count: u64,
}

impl Counts {
    fn add(&mut self, values: Vec<(String, u64)>) {
        let mut normal = String::new();
        for (spelling, count) in values {
            value_form(&spelling, &mut normal);
            if let Some(&place) = self.places.get(&normal) {
                self.values[place].count = self.values[place].count.saturating_add(count);
                continue;
            }
            self.places.insert(normal.clone(), self.values.len());
            let number = spelling.parse().ok().filter(|number: &f64| number.is_finite());
            self.values.push(Value { normal: normal.clone(), spelling, number, count });
        }
    }

    fn shown(mut self, shown: FacetDisplay, documents: u64) -> Vec<(String, u64)> {
        let are_texts = documents <= NUMBERS_AS_TEXT;
        self.values.sort_unstable_by(|left, right| match (left.number, right.number) {
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => match shown.order {
                FacetOrder::Count => right.count.cmp(&left.count).then(b.total_cmp(&a)),
                FacetOrder::Alpha if are_texts => left.spelling.cmp(&right.spelling),
                FacetOrder::Alpha => a.total_cmp(&b),
            },
            (None, None) => match shown.order {
                FacetOrder::Count => (right.count, &right.normal).cmp(&(left.count, &left.normal)),
                FacetOrder::Alpha => left.normal.cmp(&right.normal),
            },
        });
        self.values.truncate(shown.most);
        self.values.into_iter().map(|value| (value.spelling, value.count)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facets(values: &[(&str, u64)], stats: &[(&str, (f64, f64))]) -> Facets {
        let values = values.iter().map(|(value, count)| ((*value).to_owned(), *count)).collect();
        let stats = stats.iter().map(|(name, stats)| ((*name).to_owned(), *stats)).collect();
        Facets { distribution: vec![("kind".to_owned(), values)], stats }
    }

    fn united(order: FacetOrder, most: usize, documents: u64) -> Vec<String> {
        let parts = [
            facets(&[("10", 1), ("9", 4), ("Oak", 2), ("elm", 1)], &[]),
            facets(&[("10", 3), ("oak", 1), ("élan", 3)], &[]),
        ];
        let united = unite(parts, |_| FacetDisplay { order, most }, documents);
        let [(name, values)] = &united.distribution[..] else { panic!("{united:?}") };
        assert_eq!(name, "kind");
        values.iter().map(|(value, count)| format!("{value} {count}")).collect()
    }

    #[test]
    fn values_are_summed_and_ordered_as_by_one_instance() {
        let (alpha, count) = (FacetOrder::Alpha, FacetOrder::Count);
        assert_eq!(united(alpha, 9, 3000), ["10 4", "9 4", "elm 1", "élan 3", "Oak 3"]);
        assert_eq!(united(alpha, 2, 3001), ["9 4", "10 4"]);
        assert_eq!(united(count, 9, 5), ["10 4", "9 4", "Oak 3", "élan 3", "elm 1"]);
        assert_eq!(united(count, 3, 5), ["10 4", "9 4", "Oak 3"]);
    }

    #[test]
    fn numbers_have_the_extremes_of_all() {
        let parts = [
            facets(&[], &[("a", (1.0, 2.0))]),
            facets(&[], &[("a", (-1.0, 1.5)), ("b", (0.0, 0.0))]),
        ];
        let united = unite(parts, |_| FacetDisplay { order: FacetOrder::Alpha, most: 1 }, 2);
        let expected = [("a", (-1.0, 2.0)), ("b", (0.0, 0.0))];
        assert_eq!(united.stats, expected.map(|(name, stats)| (name.to_owned(), stats)));
    }
}
