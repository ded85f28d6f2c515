//! Authorization: the actions a route requires, the token of the request, and the decision of the
//! engine. It comes before all other checks of a request.

use axum::http::{HeaderMap, header};
use engine::Engine;
use engine::keys::{Access, Action};
use model::ServiceError;

use auth::AuthError;

/// The actions that a route requires of a key.
#[derive(Debug, Clone)]
pub struct Guard {
    /// Alternatives, each a list of actions that are all needed. Empty for public routes.
    ways: Vec<Vec<Action>>,
    /// True if the path names the index that the request is about.
    names_index: bool,
}

impl Guard {
    /// Reads the column of the route table: an action, several joined by `+` of which all are
    /// needed, or several joined by `|` of which one is.
    pub fn new(pattern: &str, action: Option<&str>) -> Self {
        // An unknown name is a mistake in the table, which a test finds. Until then, only keys with
        // all actions pass.
        let named = |name: &str| name.parse().unwrap_or(Action::All);
        let ways = action.into_iter().flat_map(|ways| ways.split('|'));
        Self {
            ways: ways.map(|names| names.split('+').map(named).collect()).collect(),
            names_index: pattern.starts_with("/indexes/{uid}"),
        }
    }

    /// Returns the access of the caller, or an error if it may not make the request. `uid` is the
    /// index named in the path.
    pub fn admit(
        &self,
        engine: &Engine,
        headers: &HeaderMap,
        uid: &str,
    ) -> Result<Access, ServiceError> {
        self.admit_to(engine, headers, self.names_index.then_some(uid))
    }

    /// Returns whether the caller is admitted for at least one index.
    pub fn is_open_somewhere(&self, engine: &Engine, headers: &HeaderMap) -> bool {
        self.admit_to(engine, headers, None).is_ok()
    }

    fn admit_to(
        &self,
        engine: &Engine,
        headers: &HeaderMap,
        index: Option<&str>,
    ) -> Result<Access, ServiceError> {
        let Some((first, others)) = self.ways.split_first() else { return Ok(Access::full()) };
        let token = bearer_token(headers)?;
        let admitted = engine.keys().authorize(token, first, index);
        others.iter().fold(admitted, |admitted, actions| {
            admitted.or_else(|refused| {
                engine.keys().authorize(token, actions, index).map_err(|_| refused)
            })
        })
    }
}

/// Returns the bearer token; `None` without an `Authorization` header. The scheme is
/// case-sensitive, and everything after the first space is the token.
pub fn bearer_token(headers: &HeaderMap) -> Result<Option<&str>, AuthError> {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = sent.next() else { return Ok(None) };
    // A proxy in front of the server and the server itself could each use a different one.
    if sent.next().is_some() {
        return Err(AuthError::MissingHeader);
    }
    let Ok(text) = std::str::from_utf8(value.as_bytes()) else {
        return Err(AuthError::MissingHeader);
    };
    match text.split_once(' ') {
        Some(("Bearer", token)) => Ok(Some(token)),
        None if text == "Bearer" => Err(AuthError::Invalid),
        _ => Err(AuthError::MissingHeader),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn token(values: &[&[u8]]) -> Result<Option<String>, AuthError> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, HeaderValue::from_bytes(value).unwrap());
        }
        bearer_token(&headers).map(|token| token.map(str::to_owned))
    }

    #[test]
    fn everything_behind_the_first_blank_is_the_token() {
        assert_eq!(token(&[]), Ok(None));
        for (value, expected) in [
            ("Bearer abc", "abc"),
            ("Bearer  abc", " abc"),
            ("Bearer abc def", "abc def"),
            ("Bearer \"abc\"", "\"abc\""),
            ("Bearer clé", "clé"),
        ] {
            assert_eq!(token(&[value.as_bytes()]), Ok(Some(expected.to_owned())), "{value}");
        }
    }

    #[test]
    fn other_schemes_are_no_credentials() {
        for value in
            ["", "abc", "bearer abc", "BEARER abc", "Basic abc", "Bearerabc", "Bearer\tabc"]
        {
            assert_eq!(token(&[value.as_bytes()]), Err(AuthError::MissingHeader), "{value}");
        }
        assert_eq!(token(&[b"Bearer"]), Err(AuthError::Invalid));
        assert_eq!(token(&[b"Bearer \xff"]), Err(AuthError::MissingHeader));
        assert_eq!(token(&[b"Bearer a", b"Bearer a"]), Err(AuthError::MissingHeader));
    }

    #[test]
    fn every_action_of_the_table_is_one_that_keys_can_have() {
        for route in crate::routes::route_table() {
            for name in route.action.into_iter().flat_map(|names| names.split(['+', '|'])) {
                assert!(name.parse::<Action>().is_ok(), "{} {}", route.method, route.pattern);
            }
        }
    }
}
