//! Tests folds by examples, and against plain counting over lists of requests in any order.

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_assert_eq, proptest};
use proptest::{option, prop_oneof};
use serde_json::json;

use super::*;

const NAMES: &[&str] = &["a", "b", "c"];
const ALL: [Fold; 15] = [
    Fold::Any,
    Fold::Sum,
    Fold::Largest,
    Fold::Least,
    Fold::Average,
    Fold::MostUsed(NAMES),
    Fold::MostUsedFlag,
    Fold::Union(NAMES),
    Fold::Distinct,
    Fold::Names,
    Fold::JoinedNames,
    Fold::Succeeded,
    Fold::Failed,
    Fold::Degraded,
    Fold::ResponseTime,
];

/// A reading and the outcome of its request.
type Request = (Reading, Option<RequestOutcome>);

fn folded(fold: Fold, requests: &[Request]) -> Value {
    let mut accumulator = Accumulator::new(fold);
    for (reading, outcome) in requests {
        accumulator.add(reading.clone(), *outcome);
    }
    accumulator.value()
}

fn numbers(numbers: &[u64]) -> Vec<Request> {
    numbers.iter().map(|&number| (Reading::Number(number), None)).collect()
}

fn requests() -> impl Strategy<Value = Vec<Request>> {
    let reading = prop_oneof![
        Just(Reading::Nothing),
        (0..5_u64).prop_map(Reading::Number),
        (0..1_000_000_u64).prop_map(Reading::Number),
        "[a-z]{0,3}".prop_map(|text| Reading::Name(text.into())),
    ];
    let outcome = (any::<bool>(), any::<bool>(), 0..3_000_000_u64).prop_map(
        |(succeeded, degraded, micros)| RequestOutcome {
            succeeded,
            degraded: succeeded && degraded,
            elapsed: Duration::from_micros(micros),
        },
    );
    vec((reading, option::of(outcome)), 0..100)
}

/// Returns the value of a figure, counted over the whole list.
fn counted(fold: Fold, requests: &[Request]) -> Value {
    let numbers: Vec<u64> = requests
        .iter()
        .filter_map(|(reading, _)| if let Reading::Number(it) = reading { Some(*it) } else { None })
        .collect();
    let names: std::collections::BTreeSet<&str> = requests
        .iter()
        .filter_map(|(reading, _)| if let Reading::Name(it) = reading { Some(&**it) } else { None })
        .filter(|name| !name.is_empty())
        .collect();
    let names: Vec<&str> = names.into_iter().collect();
    let outcomes: Vec<RequestOutcome> = requests.iter().filter_map(|(_, it)| *it).collect();
    let times = |wanted: u64| numbers.iter().filter(|&&number| number == wanted).count();
    match fold {
        Fold::Any => json!(numbers.iter().any(|&number| number > 0)),
        Fold::Sum => json!(numbers.iter().sum::<u64>()),
        Fold::Largest => json!(numbers.iter().max()),
        Fold::Least => json!(numbers.iter().min()),
        Fold::Average if numbers.is_empty() => json!(null),
        Fold::Average => {
            let mean = numbers.iter().sum::<u64>() as f64 / numbers.len() as f64;
            json!((mean * 100.0).round() / 100.0)
        }
        Fold::MostUsed(known) => {
            let most = (0..known.len()).rev().max_by_key(|&name| times(name as u64));
            json!(most.filter(|&name| times(name as u64) > 0).map(|name| known[name]))
        }
        Fold::MostUsedFlag => match (times(1), times(0)) {
            (0, 0) => json!(null),
            (trues, falses) => json!(trues >= falses),
        },
        Fold::Union(known) => {
            let is_set = |bit: usize| numbers.iter().any(|number| number & (1 << bit) != 0);
            json!(
                (0..known.len())
                    .filter(|&bit| is_set(bit))
                    .map(|bit| known[bit])
                    .collect::<Vec<_>>()
            )
        }
        Fold::Distinct => {
            json!(numbers.iter().collect::<HashSet<_>>().len())
        }
        Fold::Names => json!(names),
        Fold::JoinedNames => json!(names.join("; ")),
        Fold::Succeeded => json!(outcomes.iter().filter(|it| it.succeeded).count()),
        Fold::Failed => json!(outcomes.iter().filter(|it| !it.succeeded).count()),
        Fold::Degraded => json!(outcomes.iter().filter(|it| it.degraded).count()),
        Fold::ResponseTime => {
            let mut times = Histogram::default();
            outcomes.iter().filter(|it| it.succeeded).for_each(|it| times.add(it.elapsed));
            Value::from(&times)
        }
    }
}

proptest! {
    #[test]
    fn the_order_of_requests_does_not_matter(
        (requests, shuffled) in requests()
            .prop_flat_map(|requests| (Just(requests.clone()), Just(requests).prop_shuffle()))
    ) {
        for fold in ALL {
            prop_assert_eq!(folded(fold, &requests), folded(fold, &shuffled), "{:?}", fold);
        }
    }

    #[test]
    fn values_are_what_counting_gives(requests in requests()) {
        for fold in ALL {
            let requests: Vec<Request> = match fold {
                // Flags are 0 and 1.
                Fold::MostUsedFlag => requests
                    .iter()
                    .filter(|(reading, _)| !matches!(reading, Reading::Number(2..)))
                    .cloned()
                    .collect(),
                _ => requests.clone(),
            };
            prop_assert_eq!(folded(fold, &requests), counted(fold, &requests), "{:?}", fold);
        }
    }
}

#[test]
fn values_before_the_first_request() {
    for (fold, expected) in [
        (Fold::Any, json!(false)),
        (Fold::Sum, json!(0)),
        (Fold::Largest, json!(null)),
        (Fold::Least, json!(null)),
        (Fold::Average, json!(null)),
        (Fold::MostUsed(NAMES), json!(null)),
        (Fold::MostUsedFlag, json!(null)),
        (Fold::Union(NAMES), json!([])),
        (Fold::Distinct, json!(0)),
        (Fold::Names, json!([])),
        (Fold::JoinedNames, json!("")),
        (Fold::Succeeded, json!(0)),
        (Fold::ResponseTime, json!(null)),
    ] {
        assert_eq!(folded(fold, &[]), expected, "{fold:?}");
        // A request that does not concern the figure changes nothing.
        assert_eq!(folded(fold, &[(Reading::Nothing, None)]), expected, "{fold:?}");
    }
}

#[test]
fn equals_are_decided_by_the_order_of_names() {
    assert_eq!(folded(Fold::MostUsed(NAMES), &numbers(&[2, 1, 2, 1, 0, 7])), json!("b"));
    assert_eq!(folded(Fold::MostUsedFlag, &numbers(&[0, 1])), json!(true));
    assert_eq!(folded(Fold::MostUsedFlag, &numbers(&[0, 1, 0])), json!(false));
    assert_eq!(folded(Fold::Union(NAMES), &numbers(&[4, 1, 8])), json!(["a", "c"]));
}

#[test]
fn private_values_count_once_and_memory_is_bounded() {
    let mut distinct = Accumulator::new(Fold::Distinct);
    for value in ["a", "b", "a"] {
        distinct.add(crate::hash(value).into(), None);
    }
    assert_eq!(distinct.value(), json!(2));
    (0..100_000_u64).for_each(|value| distinct.add(value.into(), None));
    assert_eq!(distinct.value(), json!(MOST_DISTINCT));
    let mut names = Accumulator::new(Fold::Names);
    (0..100_000).for_each(|number| names.add(crate::name(&format!("name {number}")), None));
    assert!(names.text_bytes() <= MOST_NAME_BYTES && names.text_bytes() > MOST_NAME_BYTES - 100);
}
