//! Comparable scores of different searches. The scores of relevance rules are folded into one
//! weighted number up to the next rule that sorts, and sort values are compared as such. Keys
//! travel between instances, so their form on the wire is exact.

use std::cmp::Ordering;

use filter::Order;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::exact;
use crate::score::{Score, ranking_score, without_factor};

/// One key of a comparison, in the order of the rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SortKey {
    /// The combined score of relevance rules.
    Rank(#[serde(with = "exact::number")] f64),
    /// Similarity to the vector of the query.
    Similarity(#[serde(with = "exact::number")] f64),
    Value {
        #[serde(with = "OrderForm")]
        order: Order,
        #[serde(with = "exact::value")]
        value: Value,
    },
    /// Metres; `None` without a point.
    Distance {
        #[serde(with = "OrderForm")]
        order: Order,
        #[serde(with = "exact::optional_number")]
        metres: Option<f64>,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Order", rename_all = "camelCase")]
enum OrderForm {
    Asc,
    Desc,
}

/// Returns the sort keys of a document. A pinned document is not compared and has none.
pub(crate) fn sort_keys(scores: &[Score], weight: f64) -> Vec<SortKey> {
    let (scores, factor) = without_factor(scores);
    let weight = weight * factor;
    let mut keys = Vec::new();
    let mut start = 0;
    for (place, score) in scores.iter().enumerate() {
        let key = match score {
            Score::Value { order, value, .. } => {
                SortKey::Value { order: *order, value: value.clone() }
            }
            Score::Boost { sum, .. } => SortKey::Value { order: Order::Desc, value: (*sum).into() },
            Score::Distance { order, nearest, .. } => {
                SortKey::Distance { order: *order, metres: nearest.map(|(_, metres)| metres) }
            }
            Score::Vector(_) => {
                SortKey::Similarity(ranking_score(std::slice::from_ref(score)) * weight)
            }
            Score::Pin(_) => return Vec::new(),
            _ => continue,
        };
        push_rank(&scores[start..place], weight, &mut keys);
        keys.push(key);
        start = place + 1;
    }
    push_rank(&scores[start..], weight, &mut keys);
    keys
}

fn push_rank(scores: &[Score], weight: f64, keys: &mut Vec<SortKey>) {
    if !scores.is_empty() {
        keys.push(SortKey::Rank(ranking_score(scores) * weight));
    }
}

/// Compares hits of the two sides of one query. Greater is better; ranks and similarities are on
/// the same scale.
pub(crate) fn compare_within_query(left: &[SortKey], right: &[SortKey]) -> Ordering {
    let by_pairs = left.iter().zip(right).map(|(left, right)| match (left, right) {
        (
            SortKey::Rank(left) | SortKey::Similarity(left),
            SortKey::Rank(right) | SortKey::Similarity(right),
        ) => compare_numbers(*left, *right),
        (SortKey::Rank(rank) | SortKey::Similarity(rank), _) => rank_against_sort(*rank),
        (_, SortKey::Rank(rank) | SortKey::Similarity(rank)) => rank_against_sort(*rank).reverse(),
        // Sorted by different attributes or directions: neither is better.
        _ => compare_keys(left, right).unwrap_or(Ordering::Equal),
    });
    first_difference(by_pairs).then(left.len().cmp(&right.len()))
}

/// Compares hits of different queries, each by its keys and its weighted global score. Greater is
/// better. If two keys are not comparable, the longer list wins.
pub fn compare(left: (&[SortKey], f64), right: (&[SortKey], f64)) -> Ordering {
    let ((left, left_score), (right, right_score)) = (left, right);
    for (key, other) in left.iter().zip(right) {
        match compare_keys(key, other) {
            Some(Ordering::Equal) => {}
            Some(order) => return order,
            None => return left.len().cmp(&right.len()).then(left_score.total_cmp(&right_score)),
        }
    }
    left.len().cmp(&right.len())
}

/// Returns `None` if the keys are not comparable.
fn compare_keys(left: &SortKey, right: &SortKey) -> Option<Ordering> {
    Some(match (left, right) {
        (SortKey::Rank(left), SortKey::Rank(right))
        | (SortKey::Similarity(left), SortKey::Similarity(right)) => compare_numbers(*left, *right),
        (
            SortKey::Value { order, value: left },
            SortKey::Value { order: other_order, value: right },
        ) if order == other_order => compare_values(left, right, *order),
        (
            SortKey::Distance { order, metres: left },
            SortKey::Distance { order: other_order, metres: right },
        ) if order == other_order => compare_distances(*left, *right, *order),
        _ => return None,
    })
}

fn first_difference(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Compares numbers; differences within rounding errors are ignored.
fn compare_numbers(left: f64, right: f64) -> Ordering {
    if (left - right).abs() <= f64::EPSILON { Ordering::Equal } else { left.total_cmp(&right) }
}

/// A ranked document is better than one that was only sorted, unless it is no match.
fn rank_against_sort(rank: f64) -> Ordering {
    if rank == 0.0 { Ordering::Less } else { Ordering::Greater }
}

/// Compares values: numbers before texts, and null last, in both directions.
fn compare_values(left: &Value, right: &Value, order: Order) -> Ordering {
    let class = |value: &Value| match value {
        Value::Number(_) => 2,
        Value::Null => 0,
        _ => 1,
    };
    let by_class = class(left).cmp(&class(right));
    by_class.then_with(|| {
        let ascending = match (left, right) {
            (Value::Number(left), Value::Number(right)) => {
                let number = |number: &serde_json::Number| number.as_f64().unwrap_or_default();
                number(left).total_cmp(&number(right))
            }
            (Value::String(left), Value::String(right)) => left.cmp(right),
            _ => Ordering::Equal,
        };
        best_first(ascending, order)
    })
}

fn compare_distances(left: Option<f64>, right: Option<f64>, order: Order) -> Ordering {
    match (left, right) {
        (Some(left), Some(right)) => best_first(left.total_cmp(&right), order),
        (left, right) => left.is_some().cmp(&right.is_some()),
    }
}

fn best_first(ascending: Ordering, order: Order) -> Ordering {
    match order {
        Order::Asc => ascending.reverse(),
        Order::Desc => ascending,
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering::{Equal, Greater, Less};

    use serde_json::json;

    use super::*;
    use crate::score::{BoostScore, Rank};

    fn value(order: Order, value: Value) -> SortKey {
        SortKey::Value { order, value }
    }

    #[test]
    fn ranks_up_to_a_sort_are_one_part() {
        let words = |rank| Score::Words(Rank { rank, max: 2 });
        let sort = Score::Value { name: None, order: Order::Asc, value: json!(7) };
        assert_eq!(
            sort_keys(&[words(1), Score::Typo(Rank { rank: 2, max: 2 }), sort, words(2)], 0.5),
            [SortKey::Rank(0.25), value(Order::Asc, json!(7)), SortKey::Rank(0.5)]
        );
        assert_eq!(sort_keys(&[Score::Vector(Some(0.5))], 0.5), [SortKey::Similarity(0.25)]);
        let boosted = BoostScore { sum: 0.0, factor: 0.5, parts: Vec::new() };
        let factor = Score::Factor(boosted.clone());
        assert_eq!(
            sort_keys(&[Score::Vector(Some(0.5)), factor.clone()], 0.5),
            [SortKey::Similarity(0.125)]
        );
        assert_eq!(
            sort_keys(&[Score::Bm25(1.0), Score::FactorDetails(boosted), words(1), factor], 1.0),
            [SortKey::Rank(0.5 * (1.0 - 0.5 / 65_536.0))]
        );
        let boost = Score::Boost { sum: 1.5, parts: Vec::new() };
        assert_eq!(
            sort_keys(&[words(2), boost], 1.0),
            [SortKey::Rank(1.0), value(Order::Desc, json!(1.5))]
        );
        assert_eq!(sort_keys(&[], 0.5), []);
    }

    #[test]
    fn better_key_decides() {
        let (asc, desc) = (Order::Asc, Order::Desc);
        let distance = |order, metres| SortKey::Distance { order, metres };
        for (left, right, expected) in [
            (vec![SortKey::Rank(0.5)], vec![SortKey::Rank(0.4)], Greater),
            (vec![SortKey::Rank(0.5)], vec![SortKey::Rank(0.5)], Equal),
            (vec![], vec![SortKey::Rank(0.0)], Less),
            (vec![value(asc, json!(1))], vec![value(asc, json!(2))], Greater),
            (vec![value(desc, json!(1))], vec![value(desc, json!(2))], Less),
            (vec![value(desc, json!(1))], vec![value(desc, json!("z"))], Greater),
            (vec![value(asc, json!(null))], vec![value(asc, json!("z"))], Less),
            (vec![value(desc, json!("b"))], vec![value(desc, json!("a"))], Greater),
            (vec![value(asc, json!(1))], vec![value(desc, json!(2))], Equal),
            (vec![value(asc, json!(1))], vec![SortKey::Rank(0.1)], Less),
            (vec![value(asc, json!(1))], vec![SortKey::Rank(0.0)], Greater),
            (vec![distance(asc, Some(5.0))], vec![distance(asc, Some(9.0))], Greater),
            (vec![distance(desc, Some(5.0))], vec![distance(desc, None)], Greater),
            (vec![SortKey::Rank(0.5), value(asc, json!(3))], vec![SortKey::Rank(0.5)], Greater),
        ] {
            let compare = compare_within_query;
            assert_eq!(compare(&left, &right), expected, "{left:?} {right:?}");
            assert_eq!(compare(&right, &left), expected.reverse(), "{right:?} {left:?}");
        }
    }

    #[test]
    fn longer_list_wins_when_keys_are_not_comparable() {
        let (asc, desc) = (Order::Asc, Order::Desc);
        let rank = |rank| vec![SortKey::Rank(rank)];
        let ranked_then_sorted = vec![SortKey::Rank(0.1), value(asc, json!(3))];
        let near_then_sorted = vec![SortKey::Similarity(0.9), value(asc, json!(3))];
        for (left, right, expected) in [
            ((rank(0.5), 0.5), (rank(0.4), 0.4), Greater),
            ((rank(0.5), 0.5), (rank(0.5), 0.6), Equal),
            ((rank(0.5), 0.5), (vec![], 1.0), Greater),
            ((rank(0.5), 0.5), (vec![SortKey::Similarity(0.4)], 0.4), Greater),
            ((rank(0.5), 0.5), (vec![SortKey::Similarity(0.6)], 0.6), Less),
            ((ranked_then_sorted.clone(), 0.1), (vec![SortKey::Similarity(0.9)], 0.9), Greater),
            ((ranked_then_sorted, 0.1), (near_then_sorted, 0.9), Less),
            ((vec![value(asc, json!(1))], 1.0), (vec![value(desc, json!(2))], 2.0), Less),
            ((vec![value(asc, json!(1))], 1.0), (vec![value(asc, json!(2))], 2.0), Greater),
            ((rank(0.5), 0.5), (vec![value(desc, json!(2))], 1.0), Less),
        ] {
            let (left, right) = ((&left.0[..], left.1), (&right.0[..], right.1));
            assert_eq!(compare(left, right), expected, "{left:?} {right:?}");
            assert_eq!(compare(right, left), expected.reverse(), "{right:?} {left:?}");
        }
    }

    #[test]
    fn sort_keys_survive_serialization() {
        let keys = vec![
            SortKey::Rank(0.1 + 0.2),
            SortKey::Similarity(1.0 / 3.0),
            value(Order::Asc, json!(5e-324)),
            value(Order::Desc, json!("čaj")),
            value(Order::Desc, json!(null)),
            SortKey::Distance { order: Order::Asc, metres: Some(0.1 + 0.7) },
            SortKey::Distance { order: Order::Desc, metres: None },
        ];
        let text = serde_json::to_string(&keys).unwrap();
        assert_eq!(serde_json::from_str::<Vec<SortKey>>(&text).unwrap(), keys, "{text}");
    }
}
