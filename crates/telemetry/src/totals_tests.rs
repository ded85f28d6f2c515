//! Tests the totals of kinds of events: their clients, their time, their size.

use std::collections::BTreeSet;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, prop_assert_eq, proptest};
use serde_json::{Value, json};

use super::*;
use crate::batch::MAX_MESSAGE_BYTES;
use crate::{Reading, name, plain};

crate::figures! {
    outcome() {
        "requests.total_succeeded", "", Succeeded, Reading::Nothing;
        "requests.99th_response_time", "", ResponseTime, Reading::Nothing;
    }
    search(words: u64) {
        ..outcome();
        "q.most", "", Largest, words;
        "q.all", "", Sum, words;
    }
    names(first: &str, second: &str) {
        "names.first", "", Names, name(first);
        "names.second", "", JoinedNames, name(second);
    }
}

crate::events! {
    counted() = plain, "Plain", "";
    searched(words: u64) = search, "Searched", "";
    named(first: &str, second: &str) = names, "Named", "";
}

fn at(second: u64) -> OffsetDateTime {
    OffsetDateTime::UNIX_EPOCH + Duration::from_secs(second)
}

fn event(number: u64) -> Event {
    match number % 3 {
        0 => counted(),
        1 => searched(number),
        _ => named(&format!("name {}", number % 7), &format!("name {}", number % 5)),
    }
}

fn merged(numbers: &[u64]) -> Vec<(&'static str, OffsetDateTime, Value)> {
    let mut totals = Totals::default();
    for &number in numbers {
        let agent = format!("sdk {}; app {}", number % 4, number % 3);
        totals.add(event(number), Some(&agent), at(number));
    }
    totals.reports().map(|(name, first, fields)| (name, first, fields.into_json())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_requests_does_not_matter(
        (numbers, shuffled) in vec(0..100_000_u64, 0..200)
            .prop_flat_map(|numbers| (Just(numbers.clone()), Just(numbers).prop_shuffle()))
    ) {
        prop_assert_eq!(merged(&numbers), merged(&shuffled));
    }

    #[test]
    fn clients_and_the_first_time_are_what_counting_gives(numbers in vec(0..1000_u64, 1..100)) {
        let numbers: Vec<u64> = numbers.into_iter().map(|number| 3 * number + 1).collect();
        let [(name, first, figures)] = merged(&numbers).try_into().unwrap();
        prop_assert_eq!(name, "Searched");
        prop_assert_eq!(Some(first), numbers.iter().min().map(|&first| at(first)));
        let agents: BTreeSet<String> = numbers
            .iter()
            .flat_map(|number| [format!("sdk {}", number % 4), format!("app {}", number % 3)])
            .collect();
        prop_assert_eq!(figures, json!({
            "user-agent": agents,
            "requests": {
                "total_received": numbers.len(), "total_succeeded": 0, "99th_response_time": null,
            },
            "q": {"most": numbers.iter().max(), "all": numbers.iter().sum::<u64>()},
        }));
    }
}

#[test]
fn kinds_are_reported_in_the_order_of_their_table() {
    let names: Vec<_> = merged(&[2, 1, 0]).into_iter().map(|(name, ..)| name).collect();
    assert_eq!(names, ["Plain", "Searched", "Named"]);
    assert_eq!(KINDS.iter().map(|kind| kind.order).collect::<Vec<_>>(), [1, 2, 3]);
    for event in [event(0), event(1), event(2)] {
        assert_eq!(event.readings.len(), event.kind.figures().len());
        assert_eq!(event.readings.capacity(), event.readings.len());
    }
}

#[test]
fn client_chosen_names_fill_at_most_a_message() {
    let mut totals = Totals::default();
    let mut peak = 0;
    for number in 0..400_000_u64 {
        let agent = format!("{number} {}", "x".repeat(150));
        let event = match number % 3 {
            2 => named(&format!("key {number}"), &format!("type/{number}")),
            _ => event(number),
        };
        totals.add(event, Some(&agent), at(number));
        peak = peak.max(totals.weight());
    }
    for (name, _, fields) in totals.reports() {
        let length = fields.into_json().to_string().len();
        assert!(length < MAX_MESSAGE_BYTES, "{name}: {length}");
    }
    assert!(peak < 3 * (27 << 10), "{peak}");
}
