//! Parses the fusion method of a hybrid search, from a body or a query string.

use deserr::{DeserializeError, Deserr, IntoValue, Value, ValuePointerRef};
use engine::search::Fusion;

use crate::http::field_error::string;
use crate::http::query::{FromParameter, unacceptable};

/// The methods that `fusion` can name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FusionName {
    #[default]
    Score,
    Rrf,
    Normalized,
}

impl<E: DeserializeError> Deserr<E> for FusionName {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, E> {
        let name: String = string(value, at)?;
        match name.as_str() {
            "score" => Ok(Self::Score),
            "rrf" => Ok(Self::Rrf),
            "normalized" => Ok(Self::Normalized),
            _ => {
                let reason = "expected `score`, `rrf` or `normalized`.";
                Err(unacceptable::<V, E>(reason.to_owned(), at))
            }
        }
    }
}

/// The constant `k` of `rrf`.
#[derive(Debug, Clone, Copy)]
pub struct FusionK(pub u16);

impl FusionK {
    fn checked(number: Option<u64>) -> Result<Self, String> {
        let k = number.and_then(|number| u16::try_from(number).ok());
        match k.filter(|k| (1..=Fusion::MAX_K).contains(k)) {
            Some(k) => Ok(Self(k)),
            None => Err(format!("`k` must be an integer from 1 to {}.", Fusion::MAX_K)),
        }
    }
}

impl<E: DeserializeError> Deserr<E> for FusionK {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, E> {
        let number = <u64 as Deserr<E>>::deserialize_from_value(value, at)?;
        Self::checked(Some(number)).map_err(|reason| unacceptable::<V, E>(reason, at))
    }
}

impl FromParameter for FusionK {
    fn from_parameter(text: &str) -> Result<Self, String> {
        Self::checked(text.parse().ok())
    }
}
