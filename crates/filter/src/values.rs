//! Parses names and values: a bare word, or anything between quotes.

use crate::Token;
use crate::allowance::weight;
use crate::cursor::{Cursor, is_word_char};
use crate::escapes::unescape;
use crate::syntax_error::{ErrorKind, SyntaxError};

/// Parses a value; `None` if there is none, without moving the cursor. Malformed values are errors,
/// and so are geo names, which are never values.
pub(crate) fn value(cursor: &mut Cursor<'_>) -> Result<Option<Token>, SyntaxError> {
    let start = cursor.at();
    cursor.take_while(char::is_whitespace);
    let token = match cursor.peek() {
        Some(quote @ ('"' | '\'')) => Some(quoted(cursor, quote)?),
        _ => bare_word(cursor)?,
    };
    if token.is_some() {
        cursor.take_weight(weight::VALUE)?;
        cursor.skip_blanks();
    } else {
        cursor.rewind(start);
    }
    Ok(token)
}

pub(crate) fn expect_value(cursor: &mut Cursor<'_>) -> Result<Token, SyntaxError> {
    match value(cursor)? {
        Some(token) => Ok(token),
        None => Err(no_value(cursor)),
    }
}

/// Returns the error for a missing value, with the text up to the next blank or operator.
pub(crate) fn no_value(cursor: &Cursor<'_>) -> SyntaxError {
    let mut cursor = cursor.clone();
    cursor.take_while(char::is_whitespace);
    let kind =
        if is_keyword(cursor.word()) { ErrorKind::KeywordAsValue } else { ErrorKind::NoValue };
    let shown = cursor.take_while(|char| {
        !char.is_whitespace() && !matches!(char, '(' | ')' | '=' | '<' | '>' | '!')
    });
    SyntaxError::new(kind, shown)
}

fn bare_word(cursor: &mut Cursor<'_>) -> Result<Option<Token>, SyntaxError> {
    let word = cursor.word();
    match word {
        "_geoPoint" => return Err(cursor.error_here(ErrorKind::ReservedGeo("_geoPoint"))),
        "_geoDistance" => return Err(cursor.error_here(ErrorKind::ReservedGeo("_geoDistance"))),
        "_geo" => return Err(cursor.error_here(ErrorKind::ReservedGeo("_geo"))),
        "_geoRadius" => return Err(cursor.error_here(ErrorKind::GeoAsValue("_geoRadius"))),
        "_geoBoundingBox" => {
            return Err(cursor.error_here(ErrorKind::GeoAsValue("_geoBoundingBox")));
        }
        _ => {}
    }
    if word.is_empty() || is_keyword(word) {
        return Ok(None);
    }
    let span = cursor.take_while(is_word_char);
    Ok(Some(cursor.token(span)))
}

/// Parses a quoted value from its opening quote, and moves past the closing one.
pub(crate) fn quoted(cursor: &mut Cursor<'_>, quote: char) -> Result<Token, SyntaxError> {
    let open = cursor.at();
    cursor.eat(quote.encode_utf8(&mut [0; 4]));
    let content_start = cursor.at();
    let mut has_escapes = false;
    loop {
        cursor.take_while(|char| char != quote && char != '\\');
        if !cursor.eat("\\") {
            break;
        }
        has_escapes = true;
        if let Some(escaped) = cursor.peek() {
            cursor.eat(escaped.encode_utf8(&mut [0; 4]));
        }
    }
    let content = content_start..cursor.at();
    let token = if has_escapes {
        let Some(value) = unescape(cursor.text(content.clone())) else {
            return Err(SyntaxError::new(ErrorKind::MalformedValue, content));
        };
        cursor.escaped_token(content, &value)
    } else {
        cursor.token(content)
    };
    if !cursor.eat(quote.encode_utf8(&mut [0; 4])) {
        return Err(cursor.error_from(ErrorKind::Unclosed(quote), open));
    }
    Ok(token)
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "AND"
            | "OR"
            | "IN"
            | "NOT"
            | "TO"
            | "EXISTS"
            | "IS"
            | "NULL"
            | "EMPTY"
            | "CONTAINS"
            | "STARTS"
            | "WITH"
            | "_geoRadius"
            | "_geoBoundingBox"
    )
}
