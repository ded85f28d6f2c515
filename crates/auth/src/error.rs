//! Errors of authorization, in the words of the interface, spelling included: clients match on
//! them. No message shows a key.

use std::collections::BTreeSet;

use model::{Code, ServiceError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthError {
    /// No credentials, or unreadable ones.
    MissingHeader,
    /// Keys cannot be managed without a master key.
    MissingMasterKey,
    /// The key is unknown, expired, or lacks the action.
    Invalid,
    /// The key is not for this index.
    KeyWithoutIndex {
        index: String,
        allowed: Vec<String>,
    },
    /// The rules of the tenant token do not name this index.
    TokenWithoutIndex {
        index: String,
        allowed: Vec<String>,
    },
    /// The key that signed the tenant token is not for this index. The token's holder must not
    /// learn what it is for.
    ParentWithoutIndex {
        index: String,
    },
    TokenExpired {
        end: i64,
        now: i64,
    },
    TokenUnreadable(String),
}

impl AuthError {
    pub(crate) fn key_without_index(index: &str, allowed: &BTreeSet<&str>) -> Self {
        Self::KeyWithoutIndex { index: index.to_owned(), allowed: owned(allowed) }
    }

    pub(crate) fn token_without_index(index: &str, allowed: &BTreeSet<&str>) -> Self {
        Self::TokenWithoutIndex { index: index.to_owned(), allowed: owned(allowed) }
    }

    fn code(&self) -> Code {
        match self {
            Self::MissingHeader => Code::MissingAuthorizationHeader,
            Self::MissingMasterKey => Code::MissingMasterKey,
            _ => Code::InvalidApiKey,
        }
    }

    fn message(&self) -> String {
        match self {
            Self::MissingHeader => "The Authorization header is missing. It must use the bearer \
                                    authorization method."
                .to_owned(),
            Self::MissingMasterKey => "Sonde is running without a master key. To access this API \
                                       endpoint, you must have set a master key at launch."
                .to_owned(),
            Self::Invalid => "The provided API key is invalid.".to_owned(),
            Self::KeyWithoutIndex { index, allowed } => format!(
                "The API key cannot acces the index `{index}`, authorized indexes are {allowed:?}."
            ),
            Self::TokenWithoutIndex { index, allowed } => format!(
                "The provided tenant token cannot acces the index `{index}`, allowed indexes are \
                 {allowed:?}."
            ),
            Self::ParentWithoutIndex { index } => format!(
                "The API key used to generate this tenant token cannot acces the index `{index}`."
            ),
            Self::TokenExpired { end, now } => {
                format!("Tenant token expired. Was valid up to `{end}` and we're now `{now}`.")
            }
            Self::TokenUnreadable(cause) => format!("Could not decode tenant token, {cause}."),
        }
    }
}

fn owned(names: &BTreeSet<&str>) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

impl From<AuthError> for ServiceError {
    fn from(error: AuthError) -> Self {
        ServiceError::new(error.code(), error.message())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_worded_as_clients_know_them() {
        let told = |error: AuthError| ServiceError::from(error).message;
        let allowed = BTreeSet::from(["zeta", "a*"]);
        assert_eq!(
            told(AuthError::key_without_index("x", &allowed)),
            r#"The API key cannot acces the index `x`, authorized indexes are ["a*", "zeta"]."#
        );
        assert_eq!(
            told(AuthError::token_without_index("x", &BTreeSet::new())),
            "The provided tenant token cannot acces the index `x`, allowed indexes are []."
        );
        assert_eq!(
            told(AuthError::TokenExpired { end: 5, now: 6 }),
            "Tenant token expired. Was valid up to `5` and we're now `6`."
        );
    }
}
