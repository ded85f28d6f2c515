//! The JSON forms of a filter: an expression, or an array of expressions that must all hold, where
//! an inner array holds if one of its expressions does. Blank expressions have no effect.

use serde_json::Value;

use crate::allowance::Allowance;
use crate::parser::parse;
use crate::{Condition, FilterError};

/// Parses the members of a list; an inner list contains alternatives.
pub(crate) fn members(list: &[Value]) -> Result<Vec<Condition>, FilterError> {
    // The JSON types are checked before any expression is parsed.
    let shaped: Vec<Vec<&str>> = list.iter().map(alternatives).collect::<Result<_, _>>()?;
    let allowance = Allowance::new();
    let mut members = Vec::with_capacity(shaped.len());
    for expressions in shaped {
        let mut conditions = Vec::with_capacity(expressions.len());
        for expression in expressions {
            conditions.extend(parse(expression, &allowance)?);
        }
        members.extend(Condition::any_of(conditions));
    }
    Ok(members)
}

fn alternatives(member: &Value) -> Result<Vec<&str>, FilterError> {
    match member {
        Value::String(expression) => Ok(vec![expression]),
        Value::Array(inner) => inner
            .iter()
            .map(|expression| expression.as_str().ok_or_else(|| unexpected("String", expression)))
            .collect(),
        other => Err(unexpected("String, [String]", other)),
    }
}

pub(crate) fn unexpected(expected: &str, found: &Value) -> FilterError {
    FilterError::Syntax(format!(
        "Invalid syntax for the filter parameter: `expected {expected}, found: {found}`."
    ))
}
