//! Comma-separated lists in query parameters, with or without a `*` for everything.

use deserr::{DeserializeError, Deserr, IntoValue, Value, ValuePointerRef};

use super::field_error::string;
use super::query::{FromParameter, unacceptable};

/// A comma-separated list; empty items are ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List<T>(pub Vec<T>);

impl<T: FromParameter, E: DeserializeError> Deserr<E> for List<T> {
    fn deserialize_from_value<V: IntoValue>(
        value: Value<V>,
        at: ValuePointerRef<'_>,
    ) -> Result<Self, E> {
        let text = string(value, at)?;
        let items: Vec<&str> = text.split(',').filter(|item| !item.is_empty()).collect();
        let mut list = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            list.push(T::from_parameter(item).map_err(|reason| {
                // Errors call a lone item by the parameter's name, and one of several by its index.
                match items.len() {
                    1 => unacceptable::<V, E>(reason, at),
                    _ => unacceptable::<V, E>(reason, at.push_index(index)),
                }
            })?);
        }
        Ok(List(list))
    }
}

/// An item that may also be `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Star<T> {
    All,
    One(T),
}

impl<T: FromParameter> FromParameter for Star<T> {
    fn from_parameter(text: &str) -> Result<Self, String> {
        if text == "*" { Ok(Star::All) } else { T::from_parameter(text).map(Star::One) }
    }
}

impl<T> List<Star<T>> {
    /// Returns the items, or `None` if one of them is `*`, which lifts the restriction.
    pub fn restriction(self) -> Option<Vec<T>> {
        self.0
            .into_iter()
            .map(|item| match item {
                Star::All => None,
                Star::One(item) => Some(item),
            })
            .collect()
    }
}

impl FromParameter for String {
    fn from_parameter(text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::query::QueryError;
    use super::*;

    fn numbers(text: &str) -> Result<Option<Vec<u32>>, String> {
        deserr::deserialize::<List<Star<u32>>, _, QueryError>(serde_json::json!(text))
            .map(List::restriction)
            .map_err(|error| model::ServiceError::from(error).message)
    }

    #[test]
    fn a_star_anywhere_lifts_the_restriction_but_the_rest_is_still_checked() {
        assert_eq!(numbers("1,,3,"), Ok(Some(vec![1, 3])));
        assert_eq!(numbers(""), Ok(Some(vec![])));
        assert_eq!(numbers("1,*"), Ok(None));
        assert_eq!(
            numbers("*,x"),
            Err("Invalid value in parameter `[1]`: could not parse `x` as a positive integer"
                .into())
        );
    }
}
