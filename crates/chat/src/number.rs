//! Numbers of a completion that are passed through unchanged. Their types are checked, because a
//! provider answers a text in their place with its own error, or not at all; their range is up to
//! the provider.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The type of a number, and its name in messages.
pub(crate) trait NumberKind {
    const NAME: &'static str;
    const IS_FLOAT: bool = false;

    fn contains(number: i128) -> bool;
}

#[derive(Debug)]
pub(crate) struct F32;
#[derive(Debug)]
pub(crate) struct U8;
#[derive(Debug)]
pub(crate) struct U32;
#[derive(Debug)]
pub(crate) struct I64;

impl NumberKind for F32 {
    const NAME: &'static str = "f32";
    const IS_FLOAT: bool = true;

    fn contains(_: i128) -> bool {
        true
    }
}

impl NumberKind for U8 {
    const NAME: &'static str = "u8";

    fn contains(number: i128) -> bool {
        u8::try_from(number).is_ok()
    }
}

impl NumberKind for U32 {
    const NAME: &'static str = "u32";

    fn contains(number: i128) -> bool {
        u32::try_from(number).is_ok()
    }
}

impl NumberKind for I64 {
    const NAME: &'static str = "i64";

    fn contains(number: i128) -> bool {
        i64::try_from(number).is_ok()
    }
}

/// A number of this kind, with its original digits.
#[derive(Debug)]
pub(crate) struct Number<K> {
    pub value: Value,
    kind: PhantomData<K>,
}

impl<'de, K: NumberKind> Deserialize<'de> for Number<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = deserializer.deserialize_any(NumberVisitor(PhantomData::<K>))?;
        Ok(Self { value, kind: PhantomData })
    }
}

struct NumberVisitor<K>(PhantomData<K>);

impl<K: NumberKind> NumberVisitor<K> {
    fn integer<E: Error>(
        self,
        value: Value,
        number: i128,
        found: Unexpected<'_>,
    ) -> Result<Value, E> {
        if K::contains(number) { Ok(value) } else { Err(E::invalid_value(found, &self)) }
    }
}

impl<K: NumberKind> Visitor<'_> for NumberVisitor<K> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(K::NAME)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Value, E> {
        self.integer(Value::from(number), number.into(), Unexpected::Unsigned(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Value, E> {
        self.integer(Value::from(number), number.into(), Unexpected::Signed(number))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Value, E> {
        if K::IS_FLOAT {
            return Ok(Value::from(number));
        }
        Err(E::invalid_type(Unexpected::Float(number), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<K: NumberKind>(text: &str) -> Result<String, String> {
        let number: Result<Number<K>, _> = serde_json::from_str(text);
        number.map(|number| number.value.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_keep_their_digits() {
        assert_eq!(read::<F32>("0.7"), Ok("0.7".to_owned()));
        assert_eq!(read::<F32>("1"), Ok("1".to_owned()));
        assert_eq!(read::<I64>("-3"), Ok("-3".to_owned()));
        assert_eq!(read::<U32>("4294967295"), Ok("4294967295".to_owned()));
    }

    #[test]
    fn other_values_than_numbers_are_refused() {
        for (found, expected) in [
            (read::<F32>("\"hot\""), "invalid type: string \"hot\", expected f32"),
            (read::<U32>("1.5"), "invalid type: floating point `1.5`, expected u32"),
            (read::<U32>("-1"), "invalid value: integer `-1`, expected u32"),
            (read::<U8>("256"), "invalid value: integer `256`, expected u8"),
            (
                read::<I64>("18446744073709551615"),
                "invalid value: integer `18446744073709551615`, expected i64",
            ),
            (read::<I64>("[]"), "invalid type: sequence, expected i64"),
        ] {
            let found = found.unwrap_err();
            assert!(found.starts_with(expected), "{found}");
        }
    }
}
