//! Numbers on the wire between instances, as text: what is read back is the very number, so that
//! documents which tie in one instance tie across several.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

pub(crate) mod number {
    use super::*;

    pub fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

pub(crate) mod optional_number {
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
        text.map(|text| text.parse().map_err(serde::de::Error::custom)).transpose()
    }
}

/// A value that is sorted by: a number, a text or nothing.
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
