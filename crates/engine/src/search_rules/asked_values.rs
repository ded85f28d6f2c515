//! Which values a filter asks attributes to have. `kind = a`, `kind IN [a, b]` and `kind = a OR
//! price = 3` all ask for the value `a`; what is negated asks for nothing.

use std::collections::{HashMap, HashSet};

use filter::{Condition, Filter, Operator, Token};
use serde_json::Value;
use text::value_form;

use super::limits::RuleLimits;

/// A value that a rule waits for, in the forms that filters compare by.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WantedValue {
    attribute: String,
    text: String,
    number: Option<u64>,
}

impl WantedValue {
    /// None for what no filter can ask for: `null`, arrays and objects.
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

/// Numbers are equal if their forms are.
fn number_form(number: f64) -> u64 {
    // The two zeros are one number.
    (number + 0.0).to_bits()
}

#[derive(Debug)]
pub(super) struct AskedValues<'f> {
    by_attribute: HashMap<&'f str, Asked>,
    looked_at: usize,
    limits: RuleLimits,
}

/// The values of one attribute, in the forms that are compared.
#[derive(Debug, Default)]
struct Asked {
    texts: HashSet<String>,
    numbers: HashSet<u64>,
}

impl<'f> AskedValues<'f> {
    pub fn of(filter: Option<&'f Filter>, limits: RuleLimits) -> Self {
        let mut asked = Self { by_attribute: HashMap::new(), looked_at: 0, limits };
        if let Some(filter) = filter {
            asked.collect(filter.condition(), false, 0);
        }
        asked
    }

    pub fn contains(&self, wanted: &WantedValue) -> bool {
        self.by_attribute.get(wanted.attribute.as_str()).is_some_and(|asked| {
            asked.texts.contains(&wanted.text)
                || wanted.number.is_some_and(|number| asked.numbers.contains(&number))
        })
    }

    /// What stands deeper than `depth` may reach, or behind too many members, asks for nothing.
    fn collect(&mut self, condition: &'f Condition, is_negated: bool, depth: usize) {
        let most = match condition {
            Condition::And(_) => self.limits.filter_and_fuel,
            Condition::Or(_) => self.limits.filter_or_fuel,
            _ => 1,
        };
        let is_too_deep = depth >= self.limits.filter_depth_fuel;
        match condition {
            Condition::And(_) | Condition::Or(_) | Condition::Not(_) if is_too_deep => {}
            Condition::And(members) | Condition::Or(members) => {
                for member in members.iter().take(most) {
                    self.collect(member, is_negated, depth + 1);
                }
            }
            Condition::Not(inner) => self.collect(inner, !is_negated, depth + 1),
            Condition::Compare { attribute, operator: Operator::Equal(value) } if !is_negated => {
                self.add(attribute, std::slice::from_ref(value));
            }
            Condition::Compare { attribute, operator: Operator::NotEqual(value) } if is_negated => {
                self.add(attribute, std::slice::from_ref(value));
            }
            Condition::In { attribute, values }
            | Condition::Foreign { attribute, ids: Some(values), .. }
                if !is_negated =>
            {
                self.add(attribute, values);
            }
            _ => {}
        }
    }

    fn add(&mut self, attribute: &'f Token, values: &[Token]) {
        let asked = self.by_attribute.entry(attribute.value()).or_default();
        for value in values.iter().take(self.limits.filter_fuel.saturating_sub(self.looked_at)) {
            let mut text = String::new();
            value_form(value.value(), &mut text);
            asked.texts.insert(text);
            asked.numbers.extend(value.number().map(number_form));
            self.looked_at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(filter: Value, attribute: &str, value: Value, expected: bool) {
        let parsed = Filter::from_json(&filter).unwrap();
        let wanted = WantedValue::new(attribute, &value).unwrap();
        let asked = AskedValues::of(parsed.as_ref(), RuleLimits::default());
        assert_eq!(asked.contains(&wanted), expected, "{filter} {attribute} {value}");
    }

    #[test]
    fn what_asks_for_a_value() {
        for filter in [
            json!("kind = care"),
            json!("kind = 'CARE'"),
            json!("kind IN [boot, care]"),
            json!("kind = care AND price > 3"),
            json!("kind = boot OR kind = care"),
            json!("kind = care OR price = 3"),
            json!("NOT kind != care"),
            json!("NOT (price > 3 AND NOT (kind = care))"),
            json!(["price > 3", ["kind = boot", "kind = care"]]),
        ] {
            check(filter, "kind", json!("Care"), true);
        }
    }

    #[test]
    fn what_does_not() {
        for filter in [
            json!("kind = boot"),
            json!("kind != care"),
            json!("kind NOT IN [care]"),
            json!("NOT kind = care"),
            json!("NOT (kind = care OR price = 3)"),
            json!("kind EXISTS"),
            json!("kind IN []"),
            json!("other = care"),
            json!("kind STARTS WITH care"),
            json!([]),
        ] {
            check(filter, "kind", json!("care"), false);
        }
        let wanted = WantedValue::new("kind", &json!("care")).unwrap();
        assert!(!AskedValues::of(None, RuleLimits::default()).contains(&wanted));
    }

    #[test]
    fn numbers_and_booleans_compare_as_in_filters() {
        check(json!("price = 40"), "price", json!(40), true);
        check(json!("price = 40.0"), "price", json!(40), true);
        check(json!("price = 4e1"), "price", json!("40"), true);
        check(json!("price = -0"), "price", json!(0), true);
        check(json!("price = 41"), "price", json!(40), false);
        check(json!("sold = TRUE"), "sold", json!(true), true);
        check(json!("sold = false"), "sold", json!(true), false);
        assert_eq!(WantedValue::new("a", &json!(null)), None);
        assert_eq!(WantedValue::new("a", &json!([1])), None);
    }

    #[test]
    fn so_many_values_are_looked_at() {
        let numbers: Vec<String> = (0..5000).map(|number| number.to_string()).collect();
        let filter = json!(format!("price IN [{}]", numbers.join(",")));
        check(filter.clone(), "price", json!(4095), true);
        check(filter, "price", json!(4096), false);
    }

    #[test]
    fn so_many_members_and_levels_are_looked_at() {
        for operator in [" AND ", " OR "] {
            let members: Vec<String> = (0..101).map(|number| format!("a{number} = 1")).collect();
            let filter = json!(members.join(operator));
            check(filter.clone(), "a99", json!(1), true);
            check(filter, "a100", json!(1), false);
        }
        let nested = |levels: usize| {
            let level = |inner: String, _| format!("b = 2 AND (c = 3 OR ({inner}))");
            json!((0..levels).fold("a = 1".to_owned(), level))
        };
        check(nested(12), "a", json!(1), true);
        check(nested(13), "a", json!(1), false);
    }
}
