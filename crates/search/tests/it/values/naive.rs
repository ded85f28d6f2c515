//! Answers the same queries by reading every document, as the contract specifies.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use filter::Order;
use index::Snapshot;
use search::facets::Facets;
use serde_json::{Map, Value};
use settings::{FacetOrder, RankingRule, Settings};
use text::value_form;

use crate::values::ask::{Ask, Condition};
use crate::values::world::World;

/// Document numbers in order, the total, and per attribute the facet values with their counts and
/// the extremes of its numbers.
#[derive(Debug, PartialEq)]
pub struct Answer {
    hits: Vec<u32>,
    total: u64,
    facets: Vec<(String, Vec<(String, u64)>)>,
    stats: Vec<(String, f64, f64)>,
}

/// The values that the documents have under one name.
#[derive(Debug, Default)]
struct Held {
    values: BTreeSet<HeldValue>,
    spellings: BTreeMap<HeldValue, String>,
    is_null: bool,
    is_empty: bool,
}

/// One value: numbers before texts.
#[derive(Debug, Clone, PartialEq)]
enum HeldValue {
    Number(f64),
    Text(String),
}

impl Eq for HeldValue {}

impl PartialOrd for HeldValue {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for HeldValue {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (HeldValue::Number(one), HeldValue::Number(other)) => one.total_cmp(other),
            (HeldValue::Number(_), HeldValue::Text(_)) => Ordering::Less,
            (HeldValue::Text(_), HeldValue::Number(_)) => Ordering::Greater,
            (HeldValue::Text(one), HeldValue::Text(other)) => one.as_bytes().cmp(other.as_bytes()),
        }
    }
}

type Fields = BTreeMap<String, Held>;

pub fn answer(world: &World, snapshot: &Snapshot, ask: &Ask) -> Answer {
    let settings = Settings::from_stored(&world.settings);
    let documents: BTreeMap<u32, Fields> = world
        .numbered(snapshot)
        .into_iter()
        .map(|(number, document)| (number, fields(document)))
        .collect();
    let texts = world.numbered(snapshot);
    let matches = |number: &u32| {
        let has_word = ask.text.is_none_or(|word| {
            texts[number]["text"].as_str().unwrap().split(' ').any(|one| one == word.trim())
        });
        has_word
            && ask.filter.as_ref().is_none_or(|condition| {
                satisfies(condition, &documents[number], &|name| snapshot.knows_field(name))
            })
    };
    let mut order: Vec<u32> = documents.keys().copied().filter(matches).collect();
    let criteria = criteria(&settings, ask);
    order.sort_by(|one, other| {
        let by = |(name, order): &(String, Order)| {
            compare(documents[one].get(name), documents[other].get(name), *order)
        };
        criteria.iter().map(by).find(|ordering| ordering.is_ne()).unwrap_or(one.cmp(other))
    });

    let distinct = ask.distinct.as_ref().or(settings.distinct_attribute.as_ref());
    let (hits, counted) = match distinct {
        Some(attribute) => without_duplicates(&order, attribute, &documents, ask),
        None => (order.clone(), order.iter().copied().collect()),
    };
    let hits = hits.into_iter().skip(ask.offset).take(ask.limit).collect();
    let mut answer =
        Answer { hits, total: counted.len() as u64, facets: Vec::new(), stats: Vec::new() };
    let mut names: Vec<&String> = ask.facets.iter().collect();
    names.sort();
    for name in facet_names(snapshot, &settings, &names) {
        answer.count(&name, &counted, &documents, &settings);
    }
    answer
}

/// The attributes that facets ask for: the named ones and what is inside them, where some
/// document has ever had them and they can be filtered by.
fn facet_names(snapshot: &Snapshot, settings: &Settings, asked: &[&String]) -> Vec<String> {
    let is_from_request = |name: &str| {
        asked.iter().any(|asked| {
            name.strip_prefix(asked.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    };
    let names = snapshot.field_names().filter(|name| is_from_request(name));
    names.filter(|name| settings.filterable_rule(name).is_some()).map(str::to_owned).collect()
}

/// The sort criteria: the rules of the settings, with the request's `sort` inserted.
fn criteria(settings: &Settings, ask: &Ask) -> Vec<(String, Order)> {
    let mut criteria: Vec<(String, Order)> = Vec::new();
    for rule in &settings.ranking_rules {
        match rule {
            RankingRule::Sort => criteria.extend(ask.sort.iter().cloned()),
            RankingRule::Asc(name) => criteria.push((name.clone(), Order::Asc)),
            RankingRule::Desc(name) => criteria.push((name.clone(), Order::Desc)),
            _ => {}
        }
    }
    // Of a name that comes again only the first counts.
    let mut names = BTreeSet::new();
    criteria.retain(|(name, _)| names.insert(name.clone()));
    criteria
}

fn compare(one: Option<&Held>, other: Option<&Held>, order: Order) -> Ordering {
    let best = |held: Option<&Held>| -> Option<HeldValue> {
        let values = &held?.values;
        if order == Order::Asc {
            return values.first().cloned();
        }
        let numbers = values.iter().rev().find(|value| matches!(value, HeldValue::Number(_)));
        numbers.or(values.last()).cloned()
    };
    match (best(one), best(other)) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(one), Some(other)) => {
            let same_kind =
                matches!(one, HeldValue::Number(_)) == matches!(other, HeldValue::Number(_));
            let ordering = one.cmp(&other);
            if same_kind && order == Order::Desc { ordering.reverse() } else { ordering }
        }
    }
}

/// Returns hits, and the documents that the total counts. Up to the end of the window the best of
/// the documents that share a value is kept; an exact total counts the first one of the others.
fn without_duplicates(
    order: &[u32],
    attribute: &str,
    documents: &BTreeMap<u32, Fields>,
    ask: &Ask,
) -> (Vec<u32>, BTreeSet<u32>) {
    let none = BTreeSet::new();
    let values = |number: &u32| documents[number].get(attribute).map_or(&none, |held| &held.values);
    let mut seen: BTreeSet<&HeldValue> = BTreeSet::new();
    let mut hits = Vec::new();
    let is_new = |number: &u32, seen: &BTreeSet<&HeldValue>| {
        !values(number).iter().any(|value| seen.contains(value))
    };
    // Where nothing is shown nothing is looked at.
    let end = if ask.limit == 0 { 0 } else { ask.offset + ask.limit };
    for number in order {
        if hits.len() < end && is_new(number, &seen) {
            hits.push(*number);
            seen.extend(values(number));
        }
    }
    let all: BTreeSet<u32> = order.iter().copied().collect();
    let mut counted: BTreeSet<u32> = hits.iter().copied().collect();
    for number in &all {
        if !counted.contains(number) && is_new(number, &seen) {
            counted.insert(*number);
            if ask.exhaustive {
                seen.extend(values(number));
            }
        }
    }
    (hits, counted)
}

fn satisfies(condition: &Condition, fields: &Fields, knows: &dyn Fn(&str) -> bool) -> bool {
    let has = |attribute: &str, test: &dyn Fn(&HeldValue) -> bool| {
        fields.get(attribute).is_some_and(|held| held.values.iter().any(test))
    };
    match condition {
        Condition::And(members) => members.iter().all(|member| satisfies(member, fields, knows)),
        Condition::Or(members) => members.iter().any(|member| satisfies(member, fields, knows)),
        Condition::Not(inner) => !satisfies(inner, fields, knows),
        Condition::Is(attribute, what) => fields.get(attribute).is_some_and(|held| match *what {
            "IS NULL" => held.is_null,
            "IS EMPTY" => held.is_empty,
            _ => true,
        }),
        Condition::In(attribute, values) => {
            values.iter().any(|value| has(attribute, &|held| equals(held, value)))
        }
        Condition::Between(attribute, from, to) => {
            let numbers = number(from).zip(number(to));
            let (from, to) = (form(from), form(to));
            has(attribute, &|held| match held {
                HeldValue::Number(held) => {
                    numbers.is_some_and(|(from, to)| (from..=to).contains(held))
                }
                HeldValue::Text(held) => {
                    (from.as_bytes()..=to.as_bytes()).contains(&held.as_bytes())
                }
            })
        }
        Condition::Compare(attribute, operator, value) => {
            let text = form(value);
            let ordered = |test: &dyn Fn(Ordering) -> bool| {
                has(attribute, &|held| match held {
                    HeldValue::Number(held) => {
                        number(value).is_some_and(|value| test(held.total_cmp(&value)))
                    }
                    HeldValue::Text(held) => test(held.as_bytes().cmp(text.as_bytes())),
                })
            };
            match *operator {
                "=" => has(attribute, &|held| equals(held, value)),
                "!=" => knows(attribute) && !has(attribute, &|held| equals(held, value)),
                ">" => ordered(&Ordering::is_gt),
                ">=" => ordered(&Ordering::is_ge),
                "<" => ordered(&Ordering::is_lt),
                "<=" => ordered(&Ordering::is_le),
                "STARTS WITH" if text.is_empty() => fields.contains_key(attribute),
                "STARTS WITH" => has(attribute, &|held| {
                    text_of(held).is_some_and(|held| held.starts_with(&text))
                }),
                _ => has(attribute, &|held| text_of(held).is_some_and(|held| held.contains(&text))),
            }
        }
    }
}

fn text_of(held: &HeldValue) -> Option<&str> {
    match held {
        HeldValue::Text(text) => Some(text),
        HeldValue::Number(_) => None,
    }
}

fn equals(held: &HeldValue, value: &str) -> bool {
    match held {
        HeldValue::Number(held) => number(value) == Some(*held),
        HeldValue::Text(held) => *held == form(value),
    }
}

fn number(text: &str) -> Option<f64> {
    let number: f64 = text.parse().ok()?;
    // Minus zero is zero.
    number.is_finite().then_some(number + 0.0)
}

fn form(text: &str) -> String {
    let mut form = String::new();
    value_form(text, &mut form);
    form
}

fn fields(document: &Map<String, Value>) -> Fields {
    let mut fields = Fields::new();
    members("", document, &mut fields);
    fields
}

fn members(parent: &str, object: &Map<String, Value>, fields: &mut Fields) {
    for (key, value) in object {
        let name = if parent.is_empty() { key.clone() } else { format!("{parent}.{key}") };
        let held = fields.entry(name.clone()).or_default();
        held.is_null |= value.is_null();
        held.is_empty |= value.as_str().is_some_and(str::is_empty)
            || value.as_array().is_some_and(Vec::is_empty)
            || value.as_object().is_some_and(Map::is_empty);
        leaves(&name, value, fields);
    }
}

fn leaves(name: &str, value: &Value, fields: &mut Fields) {
    let (value, spelling) = match value {
        Value::Object(object) => return members(name, object, fields),
        Value::Array(items) => return items.iter().for_each(|item| leaves(name, item, fields)),
        Value::Null => return,
        Value::Bool(value) => (HeldValue::Text(value.to_string()), value.to_string()),
        Value::Number(number) => (HeldValue::Number(number.as_f64().unwrap() + 0.0), String::new()),
        Value::String(text) if text.is_empty() => return,
        Value::String(text) => (HeldValue::Text(form(text)), text.clone()),
    };
    let held = fields.entry(name.to_owned()).or_default();
    held.spellings.entry(value.clone()).or_insert(spelling);
    held.values.insert(value);
}

impl Answer {
    pub fn new(hits: Vec<u32>, total: u64, facets: Facets) -> Self {
        Self {
            hits,
            total,
            facets: facets.distribution.into_iter().collect(),
            stats: facets
                .stats
                .into_iter()
                .map(|(name, (least, most))| (name, least, most))
                .collect(),
        }
    }

    fn count(
        &mut self,
        name: &str,
        counted: &BTreeSet<u32>,
        documents: &BTreeMap<u32, Fields>,
        settings: &Settings,
    ) {
        let mut counts: BTreeMap<&HeldValue, (u64, String)> = BTreeMap::new();
        for number in counted {
            let Some(held) = documents[number].get(name) else { continue };
            for value in &held.values {
                let shown = || match value {
                    HeldValue::Number(number) => number.to_string(),
                    HeldValue::Text(_) => held.spellings[value].clone(),
                };
                counts.entry(value).or_insert_with(|| (0, shown())).0 += 1;
            }
        }
        let numbers: Vec<f64> = counts
            .keys()
            .filter_map(|value| match value {
                HeldValue::Number(number) => Some(*number),
                HeldValue::Text(_) => None,
            })
            .collect();
        if let (Some(least), Some(most)) = (numbers.first(), numbers.last()) {
            self.stats.push((name.to_owned(), *least, *most));
        }
        let mut list: Vec<(&HeldValue, u64, String)> =
            counts.into_iter().map(|(value, (count, shown))| (value, count, shown)).collect();
        let faceting = &settings.faceting;
        let order = faceting.orders.get(name).unwrap_or(&faceting.order);
        list.sort_by(|one, other| match order {
            FacetOrder::Alpha => match (one.0, other.0) {
                (HeldValue::Number(_), HeldValue::Number(_)) => one.2.cmp(&other.2),
                (one, other) => one.cmp(other),
            },
            FacetOrder::Count => {
                let kind = |held: &HeldValue| matches!(held, HeldValue::Text(_));
                let by_kind = kind(one.0).cmp(&kind(other.0));
                by_kind.then(other.1.cmp(&one.1)).then_with(|| other.0.cmp(one.0))
            }
        });
        list.truncate(faceting.max_values_per_facet);
        // A number and a text that read the same share a key; the later one has it.
        let mut shown: Vec<(String, u64)> = Vec::new();
        for (_, count, key) in list {
            match shown.iter_mut().find(|(known, _)| *known == key) {
                Some((_, known)) => *known = count,
                None => shown.push((key, count)),
            }
        }
        self.facets.push((name.to_owned(), shown));
    }
}
