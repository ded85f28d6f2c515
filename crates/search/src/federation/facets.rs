//! Merges the facets of several indexes: counts are summed by the text of the value, and numbers by
//! their extremes. Conflicting value orders are detected beforehand.

use std::collections::{BTreeMap, HashMap};

use settings::{FacetOrder, Settings};

use crate::facets::Facets;

/// Sums all counts, sorts the values of each attribute as `order_of` specifies, and keeps at most
/// `most` of them.
pub fn merge_facets(
    all: impl IntoIterator<Item = Facets>,
    order_of: impl Fn(&str) -> FacetOrder,
    most: Option<usize>,
) -> Facets {
    let mut counts: BTreeMap<String, HashMap<String, u64>> = BTreeMap::new();
    let mut extremes: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for facets in all {
        for (attribute, values) in facets.distribution {
            let counts = counts.entry(attribute).or_default();
            for (value, count) in values {
                *counts.entry(value).or_default() += count;
            }
        }
        for (attribute, (least, greatest)) in facets.stats {
            let (min, max) = extremes.entry(attribute).or_insert((least, greatest));
            (*min, *max) = (min.min(least), max.max(greatest));
        }
    }
    let ordered = |(attribute, counts): (String, HashMap<String, u64>)| {
        let mut values: Vec<(String, u64)> = counts.into_iter().collect();
        match order_of(&attribute) {
            FacetOrder::Alpha => values.sort_unstable(),
            FacetOrder::Count => values.sort_unstable_by(|a, b| (b.1, &b.0).cmp(&(a.1, &a.0))),
        }
        values.truncate(most.unwrap_or(usize::MAX));
        (attribute, values)
    };
    Facets {
        distribution: counts.into_iter().map(ordered).collect(),
        stats: extremes.into_iter().collect(),
    }
}

/// The value order of each attribute, as given by the first index that shows it.
#[derive(Debug, Default)]
pub struct FacetOrders {
    of: BTreeMap<String, (String, FacetOrder)>,
}

impl FacetOrders {
    /// Adds the attributes that an index shows. Returns an error message if an earlier index orders
    /// the values of one of them differently.
    pub fn add<'a>(
        &mut self,
        uid: &str,
        settings: &Settings,
        attributes: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), String> {
        let faceting = &settings.faceting;
        for attribute in attributes {
            let order = *faceting.orders.get(attribute).unwrap_or(&faceting.order);
            let (first, first_order) =
                self.of.entry(attribute.to_owned()).or_insert_with(|| (uid.to_owned(), order));
            if *first_order != order {
                return Err(format!(
                    "Inconsistent order for values in facet `{attribute}`: index `{first}` \
                     {}, but index `{uid}` {}.\n - Hint: Remove `federation.mergeFacets` or \
                     change `faceting.sortFacetValuesBy` to be consistent in settings.",
                    in_words(*first_order),
                    in_words(order)
                ));
            }
        }
        Ok(())
    }

    /// Returns the order of an attribute; alphabetical if no local index shows it.
    pub fn of(&self, attribute: &str) -> FacetOrder {
        self.of.get(attribute).map_or(FacetOrder::Alpha, |(_, order)| *order)
    }
}

fn in_words(order: FacetOrder) -> &'static str {
    match order {
        FacetOrder::Alpha => "orders alphabetically",
        FacetOrder::Count => "orders by count",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facets(attribute: &str, values: &[(&str, u64)], stats: Option<(f64, f64)>) -> Facets {
        let values = values.iter().map(|(value, count)| (value.to_string(), *count)).collect();
        Facets {
            distribution: vec![(attribute.to_owned(), values)],
            stats: stats.map(|stats| (attribute.to_owned(), stats)).into_iter().collect(),
        }
    }

    #[test]
    fn counts_are_summed_ordered_and_cut() {
        let all = || {
            [
                facets("kind", &[("b", 2), ("a", 1)], Some((1.0, 5.0))),
                facets("kind", &[("b", 1), ("c", 3), ("Z", 1)], Some((-2.0, 3.0))),
                facets("age", &[("7", 1)], None),
            ]
        };
        let shown = |order, most| {
            let merged = merge_facets(all(), |_| order, most);
            let attributes: Vec<String> =
                merged.distribution.iter().map(|(name, _)| name.clone()).collect();
            assert_eq!(attributes, ["age", "kind"]);
            assert_eq!(merged.stats, [("kind".to_owned(), (-2.0, 5.0))]);
            let of_kind = &merged.distribution[1].1;
            of_kind.iter().map(|(value, count)| format!("{value}{count}")).collect::<Vec<_>>()
        };
        assert_eq!(shown(FacetOrder::Alpha, None), ["Z1", "a1", "b3", "c3"]);
        assert_eq!(shown(FacetOrder::Count, None), ["c3", "b3", "a1", "Z1"]);
        assert_eq!(shown(FacetOrder::Alpha, Some(2)), ["Z1", "a1"]);
        assert_eq!(shown(FacetOrder::Count, Some(0)), [""; 0]);
    }

    #[test]
    fn indexes_must_agree_about_the_order() {
        let by_count = settings_of(serde_json::json!({ "genre": "count" }));
        let usual = Settings::default();
        let mut orders = FacetOrders::default();
        orders.add("books", &usual, ["genre", "lang"]).unwrap();
        orders.add("films", &by_count, ["lang", "year"]).unwrap();
        let refused = orders.add("films", &by_count, ["lang", "genre"]).unwrap_err();
        assert_eq!(
            refused,
            "Inconsistent order for values in facet `genre`: index `books` orders \
             alphabetically, but index `films` orders by count.\n - Hint: Remove \
             `federation.mergeFacets` or change `faceting.sortFacetValuesBy` to be consistent in \
             settings."
        );
        assert_eq!(orders.of("lang"), FacetOrder::Alpha);
        assert_eq!(orders.of("unknown"), FacetOrder::Alpha);
    }

    fn settings_of(orders: serde_json::Value) -> Settings {
        Settings::from_stored(&serde_json::json!({ "faceting": { "sortFacetValuesBy": orders } }))
    }
}
