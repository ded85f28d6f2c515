//! The operators that may follow the name of an attribute.

use crate::allowance::weight;
use crate::cursor::Cursor;
use crate::syntax_error::{ErrorKind, SyntaxError};
use crate::values::{expect_value, value};
use crate::{Condition, Operator, Token, vectors};

/// Returns `None` if no operator follows.
pub(crate) fn operation(
    cursor: &mut Cursor<'_>,
    attribute: Token,
    attribute_start: usize,
) -> Result<Option<Condition>, SyntaxError> {
    cursor.take_weight(weight::CONDITION)?;
    let is_negated = cursor.eat_word("NOT");
    cursor.skip_blanks();
    let condition = if cursor.eat_word("IN") {
        Condition::In { attribute, values: list(cursor)? }
    } else if !is_negated && let Some(operator) = comparison(cursor) {
        Condition::Compare { attribute, operator: operator(expect_value(cursor)?) }
    } else if !is_negated && let Some(condition) = null_or_empty(cursor, &attribute) {
        condition
    } else if let Some(vectors) = vectors::condition(cursor, attribute_start)? {
        // The NOT is already consumed.
        return Ok(Some(vectors));
    } else if cursor.eat("EXISTS") {
        Condition::Compare { attribute, operator: Operator::Exists }
    } else if !is_negated && let Some(operator) = range(cursor)? {
        Condition::Compare { attribute, operator }
    } else if let Some(operator) = text_operator(cursor)? {
        Condition::Compare { attribute, operator }
    } else {
        return Ok(None);
    };
    Ok(Some(if is_negated { condition.negated() } else { condition }))
}

/// `[value, value,]`, after `IN`
fn list(cursor: &mut Cursor<'_>) -> Result<Vec<Token>, SyntaxError> {
    cursor.skip_blanks();
    if !cursor.eat("[") {
        return Err(cursor.error_here(ErrorKind::InWithoutList));
    }
    let mut values = Vec::new();
    while let Some(item) = value(cursor)? {
        values.push(item);
        if !cursor.eat(",") {
            break;
        }
        cursor.skip_blanks();
    }
    let after_values = cursor.at();
    cursor.skip_blanks();
    if cursor.eat("]") {
        cursor.skip_blanks();
        return Ok(values);
    }
    cursor.rewind(after_values);
    let kind = if cursor.is_at_end() { ErrorKind::InListUnclosed } else { ErrorKind::InListItem };
    Err(cursor.error_here(kind))
}

fn comparison(cursor: &mut Cursor<'_>) -> Option<fn(Token) -> Operator> {
    type Comparison = (&'static str, fn(Token) -> Operator);
    // Longer operators come before their prefixes.
    const COMPARISONS: [Comparison; 6] = [
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("!=", Operator::NotEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
        ("=", Operator::Equal),
    ];
    COMPARISONS.into_iter().find_map(|(sign, operator)| cursor.eat(sign).then_some(operator))
}

/// `IS [NOT] NULL`, `IS [NOT] EMPTY`
fn null_or_empty(cursor: &mut Cursor<'_>, attribute: &Token) -> Option<Condition> {
    let start = cursor.at();
    if cursor.eat_word("IS") {
        cursor.skip_blanks();
        let is_negated = cursor.eat_word("NOT");
        cursor.skip_blanks();
        let operator = if cursor.eat("NULL") {
            Some(Operator::Null)
        } else if cursor.eat("EMPTY") {
            Some(Operator::Empty)
        } else {
            None
        };
        if let Some(operator) = operator {
            let condition = Condition::Compare { attribute: attribute.clone(), operator };
            return Some(if is_negated { condition.negated() } else { condition });
        }
    }
    cursor.rewind(start);
    None
}

/// `from TO to`
fn range(cursor: &mut Cursor<'_>) -> Result<Option<Operator>, SyntaxError> {
    let start = cursor.at();
    if let Some(from) = value(cursor)?
        && cursor.eat("TO")
        && cursor.peek().is_some_and(char::is_whitespace)
    {
        return Ok(Some(Operator::Between { from, to: expect_value(cursor)? }));
    }
    cursor.rewind(start);
    Ok(None)
}

/// `CONTAINS value`, `STARTS WITH value`
fn text_operator(cursor: &mut Cursor<'_>) -> Result<Option<Operator>, SyntaxError> {
    let start = cursor.at();
    let starts_with = if cursor.eat("CONTAINS") {
        false
    } else if cursor.eat("STARTS WITH") {
        true
    } else {
        return Ok(None);
    };
    let keyword = cursor.token(start..cursor.at());
    if !starts_with {
        cursor.take_weight(weight::SCAN)?;
    }
    let value = expect_value(cursor)?;
    Ok(Some(if starts_with {
        Operator::StartsWith { keyword, value }
    } else {
        Operator::Contains { keyword, value }
    }))
}
