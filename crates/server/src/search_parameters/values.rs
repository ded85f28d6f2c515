//! Parameter types of searches, for bodies and query strings: strategies, numbers from 0 to 1,
//! languages, lists.

use deserr::{
    DeserializeError, Deserr, ErrorKind, IntoValue, Value, ValuePointerRef, take_cf_content,
};
use engine::search::{Language, Strategy, locale};

use crate::http::field_error::string;
use crate::http::query::{FromParameter, unacceptable};

/// A matching strategy. `any` does not exist in Meilisearch, so messages do not list it.
#[derive(Debug, Clone, Copy, Default)]
pub struct MatchingStrategy(pub Strategy);

impl<E: DeserializeError> Deserr<E> for MatchingStrategy {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, E> {
        let name: String = string(value, at)?;
        let strategy = Strategy::from_name(&name).map(Self);
        strategy.ok_or_else(|| unknown::<V, E>(&name, &["last", "all", "frequency"], at))
    }
}

fn unknown<V: IntoValue, E: DeserializeError>(
    value: &str,
    accepted: &[&str],
    at: ValuePointerRef<'_>,
) -> E {
    take_cf_content(E::error::<V>(None, ErrorKind::UnknownValue { value, accepted }, at))
}

/// A field that may be absent but not null, and that records whether it was sent.
#[derive(Debug, Clone, Copy)]
pub struct Explicit<T>(pub Option<T>);

impl<T> Default for Explicit<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Deserr<E>, E: DeserializeError> Deserr<E> for Explicit<T> {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, E> {
        T::deserialize_from_value(value, at).map(|value| Self(Some(value)))
    }
}

/// A value that a query string contains as JSON text.
#[derive(Debug, Clone)]
pub struct Json(pub serde_json::Value);

impl FromParameter for Json {
    fn from_parameter(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map(Self).map_err(|error| format!("it is no JSON: {error}"))
    }
}

/// The weight of the scores of a query in a federated search.
#[derive(Debug, Clone, Copy)]
pub struct Weight(pub f64);

impl Default for Weight {
    fn default() -> Self {
        Self(1.0)
    }
}

impl<E: DeserializeError> Deserr<E> for Weight {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, E> {
        let weight = <f64 as Deserr<E>>::deserialize_from_value(value, at)?;
        if weight >= 0.0 {
            return Ok(Self(weight));
        }
        let reason = "the value of `weight` is invalid, expected a positive float (>= 0.0).";
        Err(unacceptable::<V, E>(reason.to_owned(), at))
    }
}

macro_rules! fractions {
    ($($kind:ident = $name:literal;)*) => {$(
        /// A number from 0 to 1.
        #[derive(Debug, Clone, Copy)]
        pub struct $kind(pub f64);

        impl $kind {
            fn checked(number: Option<f64>) -> Result<Self, String> {
                match number {
                    Some(number) if (0.0..=1.0).contains(&number) => Ok(Self(number)),
                    _ => Err(concat!(
                        "the value of `", $name,
                        "` is invalid, expected a float between `0.0` and `1.0`.",
                    ).to_owned()),
                }
            }
        }

        impl<E: DeserializeError> Deserr<E> for $kind {
            fn deserialize_from_value<V: IntoValue>(
                value: Value<V>,
                at: ValuePointerRef<'_>,
            ) -> Result<Self, E> {
                let number = <f64 as Deserr<E>>::deserialize_from_value(value, at)?;
                Self::checked(Some(number)).map_err(|reason| unacceptable::<V, E>(reason, at))
            }
        }

        impl FromParameter for $kind {
            fn from_parameter(text: &str) -> Result<Self, String> {
                Self::checked(text.parse().ok())
            }
        }
    )*};
}

fractions! {
    Threshold = "rankingScoreThreshold";
    SemanticRatio = "semanticRatio";
}

/// How many of the top hits are reranked.
#[derive(Debug, Clone, Copy)]
pub struct RerankLimit(pub usize);

impl RerankLimit {
    /// Upper limit, since a cross-encoder reads each hit together with the query.
    pub const MOST: usize = 200;

    fn checked(number: Option<usize>) -> Result<Self, String> {
        match number {
            Some(number) if (1..=Self::MOST).contains(&number) => Ok(Self(number)),
            _ => Err(format!(
                "the value of `limit` is invalid, expected an integer from 1 to {}.",
                Self::MOST
            )),
        }
    }
}

impl Default for RerankLimit {
    fn default() -> Self {
        Self(50)
    }
}

impl<E: DeserializeError> Deserr<E> for RerankLimit {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, E> {
        let number = <usize as Deserr<E>>::deserialize_from_value(value, at)?;
        Self::checked(Some(number)).map_err(|reason| unacceptable::<V, E>(reason, at))
    }
}

impl FromParameter for RerankLimit {
    fn from_parameter(text: &str) -> Result<Self, String> {
        Self::checked(text.parse().ok())
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Locale(pub Language);

pub fn languages(locales: Vec<Locale>) -> Vec<Language> {
    locales.into_iter().map(|Locale(language)| language).collect()
}

impl<E: DeserializeError> Deserr<E> for Locale {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, E> {
        let code: String = string(value, at)?;
        match locale::parse(&code) {
            Some(language) => Ok(Self(language)),
            None => Err(unknown::<V, E>(&code, &locale::codes().collect::<Vec<_>>(), at)),
        }
    }
}

impl FromParameter for Locale {
    fn from_parameter(text: &str) -> Result<Self, String> {
        locale::parse(text).map(Self).ok_or_else(|| {
            let codes = locale::sorted_codes().join(", ");
            format!("Unsupported locale `{text}`, expected one of {codes}")
        })
    }
}

impl FromParameter for f32 {
    fn from_parameter(text: &str) -> Result<Self, String> {
        text.parse().map_err(|error: std::num::ParseFloatError| error.to_string())
    }
}

/// A comma-separated list; empty items are ignored. Unlike in other lists, errors of items name the
/// parameter, not the position.
#[derive(Debug, Clone)]
pub struct Items<T>(pub Vec<T>);

impl<T: FromParameter, E: DeserializeError> Deserr<E> for Items<T> {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, E> {
        let text: String = string(value, at)?;
        let items = text.split(',').filter(|item| !item.is_empty());
        items
            .map(T::from_parameter)
            .collect::<Result<_, _>>()
            .map(Items)
            .map_err(|reason| unacceptable::<V, E>(reason, at))
    }
}
