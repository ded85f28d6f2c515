//! Lossless text form of numbers on the wire between instances: documents that tie in one instance
//! must tie across several. Where the interface has JSON numbers, [`Exact`] parses them from their
//! text, since the JSON parser may return a neighbour of the number that was written.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A JSON number that is parsed without rounding errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exact<T>(pub T);

impl<'de> Deserialize<'de> for Exact<f64> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let number: f64 = text.get().parse().map_err(Error::custom)?;
        match number.is_finite() {
            true => Ok(Self(number)),
            false => Err(Error::custom("number out of range")),
        }
    }
}

impl<'de> Deserialize<'de> for Exact<f32> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let number: f32 = text.get().parse().map_err(Error::custom)?;
        match number.is_finite() {
            true => Ok(Self(number)),
            false => Err(Error::custom("number out of range")),
        }
    }
}

/// For members of the interface that are ordinary JSON numbers.
pub mod plain_number {
    use super::*;

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Exact::<f64>::deserialize(deserializer).map(|number| number.0)
    }
}

pub(crate) mod number {
    use super::*;

    pub fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(Error::custom)
    }
}

pub mod optional_number {
    use super::*;

    pub fn serialize<S: Serializer>(
        number: &Option<f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        number.as_ref().map(f64::to_string).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<f64>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| text.parse().map_err(Error::custom)).transpose()
    }
}

/// A sort value: a number, a text or null.
pub(crate) mod value {
    use super::*;

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    enum Form {
        Number(#[serde(with = "number")] f64),
        Text(String),
        Nothing,
    }

    pub fn serialize<S: Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
        let form = match value {
            Value::Number(number) => Form::Number(number.as_f64().unwrap_or_default()),
            Value::String(text) => Form::Text(text.clone()),
            _ => Form::Nothing,
        };
        form.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        Ok(match Form::deserialize(deserializer)? {
            Form::Number(number) => number.into(),
            Form::Text(text) => text.into(),
            Form::Nothing => Value::Null,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_numbers_are_read_as_what_they_say() {
        let mut nearly = 0;
        for place in 1..2000_u64 {
            let number =
                (place.wrapping_mul(0x9e37_79b9_7f4a_7c15) as f64 / 2.0_f64.powi(64)).sqrt();
            let text = serde_json::to_string(&number).unwrap();
            assert_eq!(serde_json::from_str::<Exact<f64>>(&text).unwrap(), Exact(number));
            nearly += u32::from(serde_json::from_str::<f64>(&text).unwrap() != number);
            let small = number as f32;
            let text = format!("{small:?}");
            assert_eq!(serde_json::from_str::<Exact<f32>>(&text).unwrap(), Exact(small));
        }
        assert!(nearly > 0, "the reader of JSON is exact, this is not needed any more");
    }

    #[test]
    fn non_numbers_are_rejected() {
        for wrong in ["null", "\"1\"", "\"NaN\"", "[1]", "1e999", "{}"] {
            assert!(serde_json::from_str::<Exact<f64>>(wrong).is_err(), "{wrong}");
            assert!(serde_json::from_str::<Exact<f32>>(wrong).is_err(), "{wrong}");
        }
        for (text, number) in [("3", 3.0), ("-2.5E+3", -2500.0), ("1e-400", 0.0), ("-0.0", 0.0)] {
            assert_eq!(serde_json::from_str::<Exact<f64>>(text).unwrap().0, number);
        }
    }
}
