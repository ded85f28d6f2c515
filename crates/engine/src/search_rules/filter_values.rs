//! Values that a filter requires of attributes. A filter is a list of alternatives: each `OR` and
//! each value of an `IN` adds one, and `AND` combines them. A rule fires if one alternative
//! requires all values of the rule: `kind = a OR price = 3` requires `a` or 3, never both, and a
//! negated condition requires nothing.

use std::collections::{HashMap, HashSet};

use filter::{Condition, Filter, Operator, Token};
use roaring::RoaringBitmap;
use serde_json::Value;
use text::value_form;

use super::limits::RuleLimits;

/// Limit of the sets combined at the same time, so that their number cannot grow with the number of
/// conditions.
const MOST_SETS: usize = 16;

/// A value of a rule, in the forms that filters compare.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RuleValue {
    attribute: String,
    text: String,
    number: Option<u64>,
}

impl RuleValue {
    /// Creates a value; none for `null`, arrays and objects, which no filter can require.
    pub fn new(attribute: &str, value: &Value) -> Option<Self> {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Bool(value) => value.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        };
        let number = match value {
            Value::Number(number) => number.as_f64(),
            _ => text.parse().ok().filter(|number: &f64| number.is_finite()),
        };
        let mut form = String::new();
        value_form(&text, &mut form);
        let attribute = attribute.to_owned();
        Some(Self { attribute, text: form, number: number.map(number_form) })
    }
}

/// Returns the form by which numbers are compared.
fn number_form(number: f64) -> u64 {
    // Both zeros are equal.
    (number + 0.0).to_bits()
}

/// Values that a filter requires, and how its conditions combine them. Built once per search for
/// all rules.
#[derive(Debug)]
pub(super) struct FilterValues<'f> {
    allowed: Vec<AllowedValues>,
    /// Places in `allowed` by attribute.
    by_attribute: HashMap<&'f str, Vec<usize>>,
    tree: Branches,
    looked_at: usize,
    limits: RuleLimits,
}

/// Values that one condition allows for its attribute, in comparable forms.
#[derive(Debug, Default)]
struct AllowedValues {
    texts: HashSet<String>,
    numbers: HashSet<u64>,
}

impl AllowedValues {
    fn contains(&self, wanted: &RuleValue) -> bool {
        self.texts.contains(&wanted.text)
            || wanted.number.is_some_and(|number| self.numbers.contains(&number))
    }
}

/// Conditions of a filter with `NOT` resolved: an alternative picks one member of each `Any`.
#[derive(Debug)]
enum Branches {
    /// Requires no value.
    Free,
    /// Place in `FilterValues::allowed`.
    Value(usize),
    Any(Vec<Branches>),
    All(Vec<Branches>),
}

impl<'f> FilterValues<'f> {
    pub fn of(filter: Option<&'f Filter>, limits: RuleLimits) -> Self {
        let mut allowed = Self {
            allowed: Vec::new(),
            by_attribute: HashMap::new(),
            tree: Branches::Free,
            looked_at: 0,
            limits,
        };
        if let Some(filter) = filter {
            allowed.tree = allowed.collect(filter.condition(), false, 0);
        }
        allowed
    }

    /// Returns whether one alternative of the filter requires all values.
    pub fn contain_all(&self, wanted: &[RuleValue]) -> bool {
        let mut covered_by: HashMap<usize, RoaringBitmap> = HashMap::new();
        for (number, wanted) in (0_u32..).zip(wanted) {
            let places = self.by_attribute.get(wanted.attribute.as_str()).into_iter().flatten();
            let mut is_asked = false;
            for &place in places.filter(|&&place| self.allowed[place].contains(wanted)) {
                covered_by.entry(place).or_default().insert(number);
                is_asked = true;
            }
            if !is_asked {
                return false;
            }
        }
        // A single value required anywhere is required by some alternative.
        wanted.len() < 2
            || covered(&self.tree, &covered_by)
                .iter()
                .any(|covered| covered.len() == wanted.len() as u64)
    }

    /// Collects a condition. Those deeper than the limit, and members beyond it, require nothing.
    /// Under `NOT` an `OR` requires all of its negated members, and an `AND` one of them.
    fn collect(&mut self, condition: &'f Condition, is_negated: bool, depth: usize) -> Branches {
        let is_too_deep = depth >= self.limits.filter_depth_fuel;
        match condition {
            Condition::And(_) | Condition::Or(_) | Condition::Not(_) if is_too_deep => {
                Branches::Free
            }
            Condition::And(members) | Condition::Or(members) => {
                let is_and = matches!(condition, Condition::And(_));
                let most = match is_and {
                    true => self.limits.filter_and_fuel,
                    false => self.limits.filter_or_fuel,
                };
                let members = members.iter().take(most);
                let members: Vec<Branches> =
                    members.map(|member| self.collect(member, is_negated, depth + 1)).collect();
                match members.is_empty() {
                    true => Branches::Free,
                    false if is_and != is_negated => Branches::All(members),
                    false => Branches::Any(members),
                }
            }
            Condition::Not(inner) => self.collect(inner, !is_negated, depth + 1),
            Condition::Compare { attribute, operator: Operator::Equal(value) } if !is_negated => {
                self.add(attribute, std::slice::from_ref(value))
            }
            Condition::Compare { attribute, operator: Operator::NotEqual(value) } if is_negated => {
                self.add(attribute, std::slice::from_ref(value))
            }
            Condition::In { attribute, values }
            | Condition::Foreign { attribute, ids: Some(values), .. }
                if !is_negated =>
            {
                self.add(attribute, values)
            }
            _ => Branches::Free,
        }
    }

    fn add(&mut self, attribute: &'f Token, values: &[Token]) -> Branches {
        let mut allowed = AllowedValues::default();
        for value in values.iter().take(self.limits.filter_fuel.saturating_sub(self.looked_at)) {
            let mut text = String::new();
            value_form(value.value(), &mut text);
            allowed.texts.insert(text);
            allowed.numbers.extend(value.number().map(number_form));
            self.looked_at += 1;
        }
        let place = self.allowed.len();
        self.allowed.push(allowed);
        self.by_attribute.entry(attribute.value()).or_default().push(place);
        Branches::Value(place)
    }
}

/// Returns the sets of wanted values that alternatives require together, without subsets of others.
fn covered(branches: &Branches, covered_by: &HashMap<usize, RoaringBitmap>) -> Vec<RoaringBitmap> {
    match branches {
        Branches::Free => vec![RoaringBitmap::new()],
        Branches::Value(place) => vec![covered_by.get(place).cloned().unwrap_or_default()],
        Branches::Any(members) => {
            largest(members.iter().flat_map(|member| covered(member, covered_by)).collect())
        }
        Branches::All(members) => {
            let mut sets = vec![RoaringBitmap::new()];
            for member in members {
                let of_member = covered(member, covered_by);
                let pairs = sets.iter().flat_map(|set| of_member.iter().map(move |of| set | of));
                sets = largest(pairs.collect());
            }
            sets
        }
    }
}

/// Removes every set that another set contains. Rules with up to five values never reach the limit.
fn largest(mut sets: Vec<RoaringBitmap>) -> Vec<RoaringBitmap> {
    sets.sort_by_key(|set| std::cmp::Reverse(set.len()));
    let mut largest: Vec<RoaringBitmap> = Vec::new();
    for set in sets {
        if largest.len() < MOST_SETS && !largest.iter().any(|larger| set.is_subset(larger)) {
            largest.push(set);
        }
    }
    largest
}

#[cfg(test)]
#[path = "filter_values_tests.rs"]
mod tests;
