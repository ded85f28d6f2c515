//! The grammar from the whole filter down to single conditions, by recursive descent:
//!
//! ```text
//! filter  = or
//! or      = and ("OR" and)*
//! and     = not ("AND" not)*
//! not     = "NOT" not | primary
//! primary = "(" or ")" | geo | foreign | attribute operation
//! ```
//!
//! Every step down counts towards the depth limit, which bounds the recursion here and the depth of
//! the tree. What comes next decides between the alternatives, so time is linear in the text.

use std::sync::Arc;

use crate::allowance::{Allowance, weight};
use crate::cursor::Cursor;
use crate::operation::operation;
use crate::syntax_error::{ErrorKind, SyntaxError};
use crate::values::{no_value, value};
use crate::{Condition, FilterError, Operator, ShardCondition, ShardOperator, geo};

const MAX_DEPTH: usize = 150;

/// Returns `None` for blank text.
pub(crate) fn parse(text: &str, allowance: &Allowance) -> Result<Option<Condition>, FilterError> {
    allowance.take_text(text)?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    let source: Arc<str> = text.into();
    let mut cursor = Cursor::new(&source, allowance);
    match whole(&mut cursor) {
        Ok(condition) => Ok(Some(condition)),
        Err(error) => Err(error.into_error(&source)),
    }
}

fn whole(cursor: &mut Cursor<'_>) -> Result<Condition, SyntaxError> {
    let condition = or(cursor, 0)?;
    if cursor.is_at_end() { Ok(condition) } else { Err(cursor.error_here(ErrorKind::TrailingText)) }
}

fn or(cursor: &mut Cursor<'_>, depth: usize) -> Result<Condition, SyntaxError> {
    check_depth(cursor, depth)?;
    let first = and(cursor, depth + 1)?;
    if !eat_joining(cursor, "OR") {
        return Ok(first);
    }
    let mut members = vec![first, and(cursor, depth + 1)?];
    while eat_joining(cursor, "OR") {
        members.push(and(cursor, depth + 1)?);
    }
    Ok(Condition::Or(members))
}

fn and(cursor: &mut Cursor<'_>, depth: usize) -> Result<Condition, SyntaxError> {
    check_depth(cursor, depth)?;
    let first = not(cursor, depth + 1)?;
    if !eat_joining(cursor, "AND") {
        return Ok(first);
    }
    let mut members = vec![first, not(cursor, depth + 1)?];
    while eat_joining(cursor, "AND") {
        members.push(not(cursor, depth + 1)?);
    }
    Ok(Condition::And(members))
}

fn not(cursor: &mut Cursor<'_>, depth: usize) -> Result<Condition, SyntaxError> {
    check_depth(cursor, depth)?;
    if eat_joining(cursor, "NOT") {
        Ok(not(cursor, depth + 1)?.negated())
    } else {
        primary(cursor, depth + 1)
    }
}

fn primary(cursor: &mut Cursor<'_>, depth: usize) -> Result<Condition, SyntaxError> {
    check_depth(cursor, depth)?;
    let start = cursor.at();
    cursor.skip_blanks();
    if cursor.eat("(") {
        cursor.skip_blanks();
        let condition = or(cursor, depth + 1)?;
        cursor.skip_blanks();
        if !cursor.eat(")") {
            return Err(cursor.error_from(ErrorKind::Unclosed(')'), start));
        }
        cursor.skip_blanks();
        return Ok(condition);
    }
    if let Some(condition) = geo::condition(cursor)? {
        return Ok(condition);
    }
    if cursor.word() == "_foreign" && cursor.rest().starts_with("_foreign(") {
        return foreign(cursor, depth);
    }
    let attribute_start = cursor.at();
    let is_shard = cursor.word() == "_shard";
    let Some(attribute) = value(cursor)? else {
        let error = no_value(cursor);
        return Err(match error.kind {
            ErrorKind::KeywordAsValue => error,
            _ => cursor.error_from(ErrorKind::NoOperation, start),
        });
    };
    match operation(cursor, attribute, attribute_start)? {
        Some(condition) if is_shard => Ok(of_shard(condition)),
        Some(condition) => Ok(condition),
        None => Err(cursor.error_from(ErrorKind::NoOperation, start)),
    }
}

/// Converts a condition on the bare name `_shard`; with other operators that is an ordinary
/// attribute.
fn of_shard(condition: Condition) -> Condition {
    let (keyword, operator) = match condition {
        Condition::Not(inner) => return of_shard(*inner).negated(),
        Condition::In { attribute, values } => (attribute, ShardOperator::In(values)),
        Condition::Compare { attribute, operator: Operator::Equal(shard) } => {
            (attribute, ShardOperator::Equal(shard))
        }
        Condition::Compare { attribute, operator: Operator::NotEqual(shard) } => {
            (attribute, ShardOperator::NotEqual(shard))
        }
        other => return other,
    };
    Condition::Shard(ShardCondition { keyword, operator, documents: None })
}

/// `_foreign(attribute, condition)`
fn foreign(cursor: &mut Cursor<'_>, depth: usize) -> Result<Condition, SyntaxError> {
    let start = cursor.at();
    cursor.eat("_foreign(");
    cursor.take_weight(weight::SCAN)?;
    let Some(attribute) = value(cursor)? else {
        return Err(cursor.error_here(ErrorKind::Foreign));
    };
    if !cursor.eat(",") {
        return Err(cursor.error_here(ErrorKind::Foreign));
    }
    cursor.skip_blanks();
    let condition_start = cursor.at();
    let condition = or(cursor, depth + 1).map_err(|error| match error.kind {
        // There was no condition at all.
        ErrorKind::NoOperation if error.span.start == condition_start => {
            cursor.error_from(ErrorKind::Foreign, condition_start)
        }
        _ => error,
    })?;
    cursor.skip_blanks();
    if cursor.is_at_end() {
        return Err(cursor.error_from(ErrorKind::Unclosed(')'), start));
    }
    if !cursor.eat(")") {
        return Err(cursor.error_here(ErrorKind::Foreign));
    }
    Ok(Condition::Foreign { attribute, condition: Box::new(condition), ids: None })
}

/// Skips a keyword with the blanks around it; the cursor does not move if it is missing.
fn eat_joining(cursor: &mut Cursor<'_>, keyword: &str) -> bool {
    let start = cursor.at();
    cursor.skip_blanks();
    let found = cursor.eat_word(keyword);
    if found {
        cursor.skip_blanks();
    } else {
        cursor.rewind(start);
    }
    found
}

fn check_depth(cursor: &Cursor<'_>, depth: usize) -> Result<(), SyntaxError> {
    if depth > MAX_DEPTH { Err(cursor.error_here(ErrorKind::TooDeep)) } else { Ok(()) }
}
