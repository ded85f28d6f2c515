//! A question: a filter, a sort, a distinct attribute, a window, facets; and how the engine is
//! asked it.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use filter::{Filter, Order, SortItem, parse_sort};
use index::Snapshot;
use model::Cancel;
use search::{Criteria, Query};
use serde_json::json;
use testkit::Random;

use crate::values::naive::Answer;
use crate::values::world::{ATTRIBUTES, World};

#[derive(Debug)]
pub struct Ask {
    pub filter: Option<Condition>,
    pub sort: Vec<(String, Order)>,
    pub distinct: Option<String>,
    pub text: Option<&'static str>,
    pub offset: usize,
    pub limit: usize,
    pub exhaustive: bool,
    pub facets: Vec<String>,
}

/// A condition that both sides understand.
#[derive(Debug, Clone)]
pub enum Condition {
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Not(Box<Condition>),
    /// Attribute, operator, value.
    Compare(String, &'static str, String),
    Between(String, String, String),
    In(String, Vec<String>),
    /// Attribute and `EXISTS`, `IS NULL` or `IS EMPTY`.
    Is(String, &'static str),
}

const OPERATORS: [&str; 8] = ["=", "!=", ">", ">=", "<", "<=", "STARTS WITH", "CONTAINS"];
const VALUES: [&str; 22] = [
    "red",
    "RED",
    "réd",
    "blue",
    "7",
    "2.5",
    "2.50",
    "10",
    "-1",
    "0",
    "-0",
    "1e9",
    "true",
    "a b",
    "",
    " ",
    "zebra",
    "b",
    "fish",
    "straße",
    "9007199254740992",
    "blue s",
];

impl Ask {
    pub fn random(random: &mut Random, world: &World) -> Self {
        let settings = settings::Settings::from_stored(&world.settings);
        let named = |allowed: &dyn Fn(&str) -> bool| -> Vec<String> {
            let names = ATTRIBUTES.iter().filter(|name| allowed(name));
            names.map(ToString::to_string).collect()
        };
        let filterable = named(&|name| settings.filterable_rule(name).is_some());
        let sortable = named(&|name| settings.is_sortable(name));
        let filter = (!filterable.is_empty() && random.percent(70))
            .then(|| condition(random, &filterable, 3));
        let sort = random
            .some(&sortable, 25)
            .into_iter()
            .map(|name| (name, if random.percent(50) { Order::Asc } else { Order::Desc }))
            .collect();
        let distinct = (!filterable.is_empty() && random.percent(25))
            .then(|| random.one_of(&filterable).clone());
        let exhaustive = random.percent(40);
        Self {
            filter,
            sort,
            distinct,
            text: *random.one_of(&[None, None, Some("tea "), Some("cup ")]),
            offset: if random.percent(70) { 0 } else { random.below(20) },
            limit: *random.one_of(&[20, 20, 5, 1, 0, 100]),
            exhaustive,
            facets: random.share_of(&filterable, 20),
        }
    }

    /// Returns the answer of the engine.
    pub fn put_to(&self, snapshot: &Snapshot) -> Answer {
        let filter = self.filter.as_ref().map(|condition| {
            let text = text_of(condition);
            Filter::from_json(&json!(text))
                .unwrap_or_else(|error| panic!("{text}: {error}"))
                .unwrap()
        });
        let items: Vec<String> = self
            .sort
            .iter()
            .map(|(name, order)| match order {
                Order::Asc => format!("{name}:asc"),
                Order::Desc => format!("{name}:desc"),
            })
            .collect();
        let sort: Vec<SortItem> = parse_sort(&items).unwrap();
        let cancel = Cancel::default();
        let query = Query {
            vector: None,
            boosts: None,
            is_hybrid: false,
            text: self.text,
            criteria: Cow::Owned(Criteria {
                distinct: self.distinct.clone(),
                ..Criteria::default()
            }),
            filter: filter.as_ref(),
            sort: &sort,
            pins: &[],
            offset: self.offset,
            limit: self.limit,
            exhaustive: self.exhaustive,
            with_scores: false,
            with_words: false,
            deadline: Instant::now() + Duration::from_secs(60),
            cancel: &cancel,
        };
        let found = search::run(snapshot, &query).unwrap();
        let facets =
            search::facets::distribution(snapshot, &found.candidates, &self.facets, &cancel)
                .unwrap();
        Answer::new(
            found.hits.iter().map(|hit| hit.doc_id).collect(),
            found.candidates.len(),
            facets,
        )
    }
}

fn condition(random: &mut Random, attributes: &[String], depth: usize) -> Condition {
    if depth > 0 && random.percent(45) {
        let count = 2 + random.below(3);
        let members = (0..count).map(|_| condition(random, attributes, depth - 1)).collect();
        return if random.percent(50) { Condition::And(members) } else { Condition::Or(members) };
    }
    if depth > 0 && random.percent(15) {
        return Condition::Not(Box::new(condition(random, attributes, depth - 1)));
    }
    let attribute = random.one_of(attributes).clone();
    match random.below(12) {
        0 => {
            let values = (0..random.below(4)).map(|_| value(random)).collect();
            Condition::In(attribute, values)
        }
        1 => Condition::Between(attribute, value(random), value(random)),
        2 | 3 => Condition::Is(attribute, random.pick(&["EXISTS", "IS NULL", "IS EMPTY"])),
        _ => Condition::Compare(attribute, random.pick(&OPERATORS), value(random)),
    }
}

fn value(random: &mut Random) -> String {
    random.one_of(&VALUES).to_string()
}

fn text_of(condition: &Condition) -> String {
    let list = |members: &[Condition], between: &str| {
        let members: Vec<String> =
            members.iter().map(|member| format!("({})", text_of(member))).collect();
        members.join(between)
    };
    match condition {
        Condition::And(members) => list(members, " AND "),
        Condition::Or(members) => list(members, " OR "),
        Condition::Not(inner) => format!("NOT ({})", text_of(inner)),
        Condition::Compare(attribute, operator, value) => {
            format!("{attribute} {operator} \"{value}\"")
        }
        Condition::Between(attribute, from, to) => {
            format!("{attribute} \"{from}\" TO \"{to}\"")
        }
        Condition::In(attribute, values) => {
            let values: Vec<String> = values.iter().map(|value| format!("'{value}'")).collect();
            format!("{attribute} IN [{}]", values.join(", "))
        }
        Condition::Is(attribute, what) => format!("{attribute} {what}"),
    }
}
