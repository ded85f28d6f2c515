//! Who may enter: what a route asks for, what the Authorization header brings, and the answer of
//! the engine to both. It comes before anything else that could be wrong with a request.

use axum::http::{HeaderMap, header};
use engine::Engine;
use engine::keys::{Access, Action};
use model::ServiceError;

use auth::AuthError;

/// What one route asks of a key.
#[derive(Debug, Clone)]
pub struct Guard {
    /// Ways in: one of them is enough, and takes all of its actions. None for what everybody may
    /// ask.
    ways: Vec<Vec<Action>>,
    /// Whether the path names the index that the request is about.
    names_index: bool,
}

impl Guard {
    /// `action` is the column of the route table: an action, several joined by `+` of which all
    /// are needed, or several joined by `|` of which one is.
    pub fn new(pattern: &str, action: Option<&str>) -> Self {
        // One that is not known would be a slip in the table. Then nobody passes but those who
        // may do everything, until the test that walks the table is heeded.
        let named = |name: &str| name.parse().unwrap_or(Action::All);
        let ways = action.into_iter().flat_map(|ways| ways.split('|'));
        Self {
            ways: ways.map(|names| names.split('+').map(named).collect()).collect(),
            names_index: pattern.starts_with("/indexes/{uid}"),
        }
    }

    /// What the sender of a request may see, if it may make the request at all. `uid` is the name
    /// in the path.
    pub fn admit(
        &self,
        engine: &Engine,
        headers: &HeaderMap,
        uid: &str,
    ) -> Result<Access, ServiceError> {
        self.admit_to(engine, headers, self.names_index.then_some(uid))
    }

    /// Whether the sender of a request passes for some index.
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

/// The token of a request; none where there is no header at all. The scheme is compared as it
/// stands, and everything behind the first blank is the token.
pub fn bearer_token(headers: &HeaderMap) -> Result<Option<&str>, AuthError> {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = sent.next() else { return Ok(None) };
    // Two of them could mean one thing to whoever stands in front of us and another to us.
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
