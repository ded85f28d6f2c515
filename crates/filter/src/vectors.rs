//! `_vectors EXISTS`, `_vectors.<embedder>[.<kind>] NOT EXISTS`. With any other operator this is an
//! ordinary attribute, so it is tried only after these.

use crate::cursor::{Cursor, is_word_char};
use crate::syntax_error::{ErrorKind, SyntaxError};
use crate::values::quoted;
use crate::{Condition, Token, VectorCondition, VectorKind};

const KEYWORD: &str = "_vectors";

/// Parses again from the start of the attribute. Returns `None` for an ordinary attribute, without
/// moving the cursor.
pub(crate) fn condition(
    cursor: &mut Cursor<'_>,
    attribute_start: usize,
) -> Result<Option<Condition>, SyntaxError> {
    let end = cursor.at();
    cursor.rewind(attribute_start);
    if let Some(vectors) = path(cursor)? {
        let is_negated = cursor.eat_word("NOT");
        cursor.skip_blanks();
        if cursor.eat("EXISTS") {
            let condition = Condition::Vectors(vectors);
            return Ok(Some(if is_negated { condition.negated() } else { condition }));
        }
    }
    cursor.rewind(end);
    Ok(None)
}

/// Parses the path before the operator, and the blanks after it.
fn path(cursor: &mut Cursor<'_>) -> Result<Option<VectorCondition>, SyntaxError> {
    let start = cursor.at();
    if !cursor.eat(KEYWORD) {
        return Ok(None);
    }
    let keyword = cursor.token(start..cursor.at());
    let vectors = if cursor.eat(".") {
        let embedder = embedder(cursor)?;
        VectorCondition { keyword, embedder: Some(embedder), kind: kind(cursor)? }
    } else {
        VectorCondition { keyword, embedder: None, kind: VectorKind::Any }
    };
    let has_blank = cursor.peek().is_some_and(char::is_whitespace);
    cursor.skip_blanks();
    Ok(has_blank.then_some(vectors))
}

fn embedder(cursor: &mut Cursor<'_>) -> Result<Token, SyntaxError> {
    match cursor.peek() {
        None => Err(cursor.error_here(ErrorKind::NoEmbedder)),
        Some(blank) if blank.is_whitespace() => {
            let span = cursor.at()..cursor.at() + blank.len_utf8();
            Err(SyntaxError::new(ErrorKind::NoEmbedder, span))
        }
        Some(_) => expect_name(cursor, ErrorKind::BadEmbedder),
    }
}

fn kind(cursor: &mut Cursor<'_>) -> Result<VectorKind, SyntaxError> {
    let point = cursor.at();
    if !cursor.eat(".") {
        return Ok(VectorKind::Any);
    }
    // A quoted suffix is invalid.
    let is_bare = cursor.peek().is_some_and(is_word_char);
    let (kind, suffix) = match name(cursor)? {
        Some(suffix) if is_bare => match suffix.value() {
            "userProvided" => (VectorKind::UserProvided, "userProvided"),
            "documentTemplate" => (VectorKind::DocumentTemplate, "documentTemplate"),
            "regenerate" => (VectorKind::Regenerate, "regenerate"),
            "fragments" => (VectorKind::Fragment(fragment(cursor)?), "fragments"),
            _ => return Err(bad_suffix(cursor, None, point)),
        },
        _ => return Err(bad_suffix(cursor, None, point)),
    };
    let second_point = cursor.at();
    if cursor.eat(".") {
        name(cursor)?;
        return Err(bad_suffix(cursor, Some(suffix), second_point));
    }
    Ok(kind)
}

/// Returns an error that shows the suffix between the point and the cursor, or else the point.
fn bad_suffix(cursor: &Cursor<'_>, first: Option<&'static str>, point: usize) -> SyntaxError {
    let after_point = point + 1;
    let start = if after_point < cursor.at() { after_point } else { point };
    SyntaxError::new(ErrorKind::VectorSuffix(first), start..cursor.at())
}

fn fragment(cursor: &mut Cursor<'_>) -> Result<Token, SyntaxError> {
    if !cursor.eat(".") {
        return Err(cursor.error_here(ErrorKind::NoFragment));
    }
    expect_name(cursor, ErrorKind::BadFragment)
}

fn expect_name(cursor: &mut Cursor<'_>, kind: ErrorKind) -> Result<Token, SyntaxError> {
    match name(cursor)? {
        Some(name) => Ok(name),
        None => Err(cursor.error_here(kind)),
    }
}

/// Parses a name. Unlike elsewhere, a point ends a bare name.
fn name(cursor: &mut Cursor<'_>) -> Result<Option<Token>, SyntaxError> {
    if let Some(quote @ ('"' | '\'')) = cursor.peek() {
        let start = cursor.at();
        return match quoted(cursor, quote) {
            Ok(name) => Ok(Some(name)),
            Err(SyntaxError { kind: ErrorKind::Unclosed(_), .. }) => {
                Err(cursor.error_from(ErrorKind::VectorQuotes, start))
            }
            Err(error) => Err(error),
        };
    }
    let span = cursor.take_while(|char| is_word_char(char) && char != '.');
    Ok((!span.is_empty()).then(|| cursor.token(span)))
}
