//! Scores of different searches, made comparable: what the rules that rank say is folded into
//! one weighted number up to the next rule that sorts, and values that are sorted by are compared
//! as such.

use std::cmp::Ordering;

use filter::Order;
use serde_json::Value;

use crate::score::{Score, ranking_score};

/// One thing to compare, in the order of the rules.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    Rank(f64),
    Value {
        order: Order,
        value: Value,
    },
    /// Metres; none without a place.
    Distance {
        order: Order,
        metres: Option<f64>,
    },
}

pub(crate) fn parts(scores: &[Score], weight: f64) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (place, score) in scores.iter().enumerate() {
        let part = match score {
            Score::Value { order, value, .. } => {
                Part::Value { order: *order, value: value.clone() }
            }
            Score::Distance { order, nearest, .. } => {
                Part::Distance { order: *order, metres: nearest.map(|(_, metres)| metres) }
            }
            _ => continue,
        };
        push_rank(&scores[start..place], weight, &mut parts);
        parts.push(part);
        start = place + 1;
    }
    push_rank(&scores[start..], weight, &mut parts);
    parts
}

fn push_rank(scores: &[Score], weight: f64, parts: &mut Vec<Part>) {
    if !scores.is_empty() {
        parts.push(Part::Rank(ranking_score(scores) * weight));
    }
}

/// Greater is better.
pub(crate) fn compare(left: &[Part], right: &[Part]) -> Ordering {
    let mut pairs = (left.iter(), right.iter());
    loop {
        let order = match (pairs.0.next(), pairs.1.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(left), Some(right)) => compare_parts(left, right),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

fn compare_parts(left: &Part, right: &Part) -> Ordering {
    match (left, right) {
        (Part::Rank(left), Part::Rank(right)) => {
            if (left - right).abs() <= f64::EPSILON {
                return Ordering::Equal;
            }
            left.total_cmp(right)
        }
        (Part::Rank(rank), _) => rank_against_sort(*rank),
        (_, Part::Rank(rank)) => rank_against_sort(*rank).reverse(),
        (Part::Value { order, value: left }, Part::Value { order: other_order, value: right })
            if order == other_order =>
        {
            compare_values(left, right, *order)
        }
        (
            Part::Distance { order, metres: left },
            Part::Distance { order: other_order, metres: right },
        ) if order == other_order => compare_distances(*left, *right, *order),
        // Sorted by other things, or the other way round: neither is better.
        _ => Ordering::Equal,
    }
}

/// A document that was ranked is better than one that was only sorted, unless it is no match.
fn rank_against_sort(rank: f64) -> Ordering {
    if rank == 0.0 { Ordering::Less } else { Ordering::Greater }
}

/// Numbers before texts, and what has no value last, in both directions.
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
    use crate::score::Rank;

    fn value(order: Order, value: Value) -> Part {
        Part::Value { order, value }
    }

    #[test]
    fn ranks_up_to_a_sort_are_one_part() {
        let words = |rank| Score::Words(Rank { rank, max: 2 });
        let sort = Score::Value { name: None, order: Order::Asc, value: json!(7) };
        assert_eq!(
            parts(&[words(1), Score::Typo(Rank { rank: 2, max: 2 }), sort, words(2)], 0.5),
            [Part::Rank(0.25), value(Order::Asc, json!(7)), Part::Rank(0.5)]
        );
        assert_eq!(parts(&[Score::Vector(Some(0.5))], 0.5), [Part::Rank(0.25)]);
        assert_eq!(parts(&[], 0.5), []);
    }

    #[test]
    fn the_better_part_decides() {
        let (asc, desc) = (Order::Asc, Order::Desc);
        let distance = |order, metres| Part::Distance { order, metres };
        for (left, right, expected) in [
            (vec![Part::Rank(0.5)], vec![Part::Rank(0.4)], Greater),
            (vec![Part::Rank(0.5)], vec![Part::Rank(0.5)], Equal),
            (vec![], vec![Part::Rank(0.0)], Less),
            (vec![value(asc, json!(1))], vec![value(asc, json!(2))], Greater),
            (vec![value(desc, json!(1))], vec![value(desc, json!(2))], Less),
            (vec![value(desc, json!(1))], vec![value(desc, json!("z"))], Greater),
            (vec![value(asc, json!(null))], vec![value(asc, json!("z"))], Less),
            (vec![value(desc, json!("b"))], vec![value(desc, json!("a"))], Greater),
            (vec![value(asc, json!(1))], vec![value(desc, json!(2))], Equal),
            (vec![value(asc, json!(1))], vec![Part::Rank(0.1)], Less),
            (vec![value(asc, json!(1))], vec![Part::Rank(0.0)], Greater),
            (vec![distance(asc, Some(5.0))], vec![distance(asc, Some(9.0))], Greater),
            (vec![distance(desc, Some(5.0))], vec![distance(desc, None)], Greater),
            (vec![Part::Rank(0.5), value(asc, json!(3))], vec![Part::Rank(0.5)], Greater),
        ] {
            assert_eq!(compare(&left, &right), expected, "{left:?} {right:?}");
            assert_eq!(compare(&right, &left), expected.reverse(), "{right:?} {left:?}");
        }
    }
}
