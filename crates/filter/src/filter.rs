//! A whole filter.

use std::fmt::{self, Display};

use model::features::Features;
use serde_json::Value;

use crate::allowance::Allowance;
use crate::parser::parse;
use crate::{Condition, FilterError, canonical, features, json};

/// A filter with at least one condition: empty forms have no `Filter`. Displayed in its canonical
/// spelling.
#[derive(Debug, Clone)]
pub struct Filter {
    condition: Condition,
    /// True if the condition is the AND of a list of filters, which can be extended.
    is_list: bool,
}

impl Filter {
    /// Parses the JSON forms of a filter: a string, or an array of strings and arrays of strings.
    /// `null` is not one of them; where it may mean no filter, the caller handles it.
    pub fn from_json(value: &Value) -> Result<Option<Filter>, FilterError> {
        match value {
            Value::String(expression) => {
                let condition = parse(expression, &Allowance::new())?;
                Ok(condition.map(Filter::lone))
            }
            Value::Array(list) => Ok(Self::all_of(json::members(list)?)),
            other => Err(json::unexpected("String, Array", other)),
        }
    }

    pub fn condition(&self) -> &Condition {
        &self.condition
    }

    /// Returns the filter in its canonical spelling, with tokens of that text.
    #[must_use]
    pub fn canonical(&self) -> Filter {
        self.map(canonical::canonical)
    }

    /// Joins two filters by AND. Arrays are concatenated.
    #[must_use]
    pub fn and(self, other: Filter) -> Filter {
        let mut members = self.into_members();
        members.extend(other.into_members());
        Filter { condition: Condition::And(members), is_list: true }
    }

    /// Rejects conditions whose experimental feature is disabled.
    pub fn check_features(&self, features: &Features) -> Result<(), FilterError> {
        features::check(&self.condition, features)
    }

    pub(crate) fn lone(condition: Condition) -> Filter {
        Filter { condition, is_list: false }
    }

    pub(crate) fn map(&self, change: impl FnOnce(&Condition) -> Condition) -> Filter {
        Filter { condition: change(&self.condition), is_list: self.is_list }
    }

    fn all_of(members: Vec<Condition>) -> Option<Filter> {
        let is_list = members.len() > 1;
        Condition::all_of(members).map(|condition| Filter { condition, is_list })
    }

    fn into_members(self) -> Vec<Condition> {
        match self.condition {
            Condition::And(members) if self.is_list => members,
            other => vec![other],
        }
    }
}

impl Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&canonical::text(&self.condition))
    }
}
