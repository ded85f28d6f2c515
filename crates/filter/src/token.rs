//! A piece of a filter with its place in the text, for messages that point at it.

use std::fmt::{self, Debug, Display};
use std::ops::Range;
use std::sync::Arc;

/// A name, a value or a keyword, without surrounding quotes.
#[derive(Clone)]
pub struct Token {
    source: Arc<str>,
    span: Range<usize>,
    /// Set if it differs from the text at `span`.
    unescaped: Option<Arc<str>>,
}

impl Token {
    pub(crate) fn new(source: &Arc<str>, span: Range<usize>) -> Self {
        Self { source: Arc::clone(source), span, unescaped: None }
    }

    pub(crate) fn escaped(source: &Arc<str>, span: Range<usize>, value: &str) -> Self {
        Self { unescaped: Some(value.into()), ..Self::new(source, span) }
    }

    pub(crate) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the text, with escapes resolved.
    pub fn value(&self) -> &str {
        match &self.unescaped {
            Some(value) => value,
            None => self.source.get(self.span.clone()).unwrap_or_default(),
        }
    }

    /// Returns the value as a finite number, if it is one.
    pub fn number(&self) -> Option<f64> {
        self.value().parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// Formats an error message for this token: the message, then `<from>:<to> <filter>`.
    pub fn error(&self, message: impl Display) -> String {
        pointed(&self.source, &self.span, message)
    }
}

impl Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}@{:?}", self.value(), self.span)
    }
}

/// Columns are characters, from 1 within the line; the end is exclusive and counted from the
/// start even when a line ends in between.
pub(crate) fn pointed(source: &str, span: &Range<usize>, message: impl Display) -> String {
    let before = source.get(..span.start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let from = line.chars().count() + 1;
    let to = from + source.get(span.clone()).unwrap_or_default().chars().count();
    format!("{message}\n{from}:{to} {source}")
}
