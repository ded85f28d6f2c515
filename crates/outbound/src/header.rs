//! Validates headers before a call.

use reqwest::header::{HeaderName, HeaderValue};

/// Error of a header; never contains its value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    #[error("{0}")]
    Name(String),
    #[error("{0}")]
    Value(String),
}

pub fn check_header(name: &str, value: &str) -> Result<(), HeaderError> {
    HeaderName::from_bytes(name.as_bytes())
        .map_err(|error| HeaderError::Name(error.to_string()))?;
    HeaderValue::from_str(value).map_err(|error| HeaderError::Value(error.to_string()))?;
    Ok(())
}
