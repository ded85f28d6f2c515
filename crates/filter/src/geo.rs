//! The syntax of `_geoRadius(…)`, `_geoBoundingBox([…], […])` and `_geoPolygon([…], […], […])`.
//! After such a name at the start of a condition, the rest must follow.

use crate::allowance::weight;
use crate::cursor::Cursor;
use crate::syntax_error::{ErrorKind, SyntaxError};
use crate::{Condition, Token};

/// The error of parsing a list.
enum ListError {
    /// The text at this place does not match; the caller chooses the message.
    Mismatch(usize),
    Syntax(SyntaxError),
}

impl ListError {
    fn into_syntax_error(self, cursor: &Cursor<'_>, kind: ErrorKind) -> SyntaxError {
        match self {
            ListError::Mismatch(at) => cursor.error_from(kind, at),
            ListError::Syntax(error) => error,
        }
    }
}

/// Returns `None` if no geo condition begins here.
pub(crate) fn condition(cursor: &mut Cursor<'_>) -> Result<Option<Condition>, SyntaxError> {
    let condition = if cursor.eat_word("_geoRadius") {
        radius(cursor)?
    } else if cursor.eat_word("_geoBoundingBox") {
        bounding_box(cursor)?
    } else if cursor.eat_word("_geoPolygon") {
        polygon(cursor)?
    } else {
        return Ok(None);
    };
    Ok(Some(condition))
}

fn radius(cursor: &mut Cursor<'_>) -> Result<Condition, SyntaxError> {
    let arguments = list(cursor, ["(", ")"], number)
        .map_err(|stop| stop.into_syntax_error(cursor, ErrorKind::GeoRadius))?;
    match arguments.as_slice() {
        [latitude, longitude, radius, resolution @ ..] if resolution.len() <= 1 => {
            Ok(Condition::GeoRadius {
                latitude: latitude.clone(),
                longitude: longitude.clone(),
                radius: radius.clone(),
                resolution: resolution.first().cloned(),
            })
        }
        _ => Err(cursor.error_here(ErrorKind::GeoRadiusArguments(arguments.len()))),
    }
}

fn bounding_box(cursor: &mut Cursor<'_>) -> Result<Condition, SyntaxError> {
    let corners = points(cursor, ErrorKind::GeoBox)?;
    match <[Vec<Token>; 2]>::try_from(corners) {
        Ok([top_right, bottom_left]) => Ok(Condition::GeoBox {
            top_right: pair(cursor, top_right)?,
            bottom_left: pair(cursor, bottom_left)?,
        }),
        Err(_) => Err(cursor.error_here(ErrorKind::GeoBox)),
    }
}

fn polygon(cursor: &mut Cursor<'_>) -> Result<Condition, SyntaxError> {
    let points = points(cursor, ErrorKind::GeoPolygon)?;
    if points.len() < 3 {
        let kind = ErrorKind::GeoPolygonPoints(points.len());
        let last = points.last().and_then(|point| point.last());
        return Err(
            last.map_or_else(|| cursor.error_here(kind), |at| SyntaxError::new(kind, at.span()))
        );
    }
    let points = points.into_iter().map(|point| pair(cursor, point)).collect::<Result<_, _>>()?;
    Ok(Condition::GeoPolygon { points })
}

/// Parses `([a, b], [c, d], …)`, each with one or more coordinates.
fn points(cursor: &mut Cursor<'_>, kind: ErrorKind) -> Result<Vec<Vec<Token>>, SyntaxError> {
    list(cursor, ["(", ")"], |cursor| list(cursor, ["[", "]"], number))
        .map_err(|stop| stop.into_syntax_error(cursor, kind))
}

fn pair(cursor: &Cursor<'_>, coordinates: Vec<Token>) -> Result<[Token; 2], SyntaxError> {
    <[Token; 2]>::try_from(coordinates).map_err(|coordinates| {
        let kind = ErrorKind::NotAPair(coordinates.len());
        let first = coordinates.first();
        first.map_or_else(|| cursor.error_here(kind), |at| SyntaxError::new(kind, at.span()))
    })
}

/// Parses one or more items separated by commas. An invalid item is reported at its comma.
fn list<T>(
    cursor: &mut Cursor<'_>,
    [open, close]: [&str; 2],
    item: impl Fn(&mut Cursor<'_>) -> Result<T, ListError>,
) -> Result<Vec<T>, ListError> {
    let padded_item = |cursor: &mut Cursor<'_>| {
        cursor.skip_blanks();
        let item = item(cursor)?;
        cursor.skip_blanks();
        Ok(item)
    };
    if !cursor.eat(open) {
        return Err(ListError::Mismatch(cursor.at()));
    }
    let mut items = vec![padded_item(cursor)?];
    loop {
        let before_comma = cursor.at();
        if !cursor.eat(",") {
            break;
        }
        match padded_item(cursor) {
            Ok(item) => items.push(item),
            Err(ListError::Mismatch(_)) => {
                cursor.rewind(before_comma);
                break;
            }
            Err(error) => return Err(error),
        }
    }
    if cursor.eat(close) { Ok(items) } else { Err(ListError::Mismatch(cursor.at())) }
}

/// Parses a decimal number: `-1`, `+1.`, `.5`, `1e-3`.
fn number(cursor: &mut Cursor<'_>) -> Result<Token, ListError> {
    let start = cursor.at();
    eat_sign(cursor);
    let mut has_digits = eat_digits(cursor);
    if cursor.eat(".") {
        has_digits |= eat_digits(cursor);
    }
    if has_digits && (cursor.eat("e") || cursor.eat("E")) {
        eat_sign(cursor);
        has_digits = eat_digits(cursor);
    }
    if has_digits {
        cursor.take_weight(weight::COORDINATE).map_err(ListError::Syntax)?;
        return Ok(cursor.token(start..cursor.at()));
    }
    cursor.rewind(start);
    Err(ListError::Mismatch(start))
}

fn eat_sign(cursor: &mut Cursor<'_>) {
    if !cursor.eat("-") {
        cursor.eat("+");
    }
}

fn eat_digits(cursor: &mut Cursor<'_>) -> bool {
    !cursor.take_while(|char| char.is_ascii_digit()).is_empty()
}
