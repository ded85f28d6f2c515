//! Parses validated boosts and weights for searches. As in all stored settings, unknown values are
//! ignored.

use std::collections::BTreeMap;

use serde_json::Value;

use super::dates::{seconds_of_date, seconds_of_duration};
use super::{Boost, Effect, Fall, FallCurve, Growth, Origin};

/// Parses a list of boosts.
pub fn boosts_from(value: &Value) -> Vec<Boost> {
    value.as_array().into_iter().flatten().filter_map(boost).collect()
}

/// Parses weights by attribute or pattern.
pub fn attribute_weights_from(value: &Value) -> BTreeMap<String, f64> {
    let members = value.as_object().into_iter().flatten();
    members.filter_map(|(name, weight)| Some((name.clone(), weight.as_f64()?))).collect()
}

fn boost(value: &Value) -> Option<Boost> {
    let effect = if let Some(filter) = value.get("filter") {
        Effect::Filter(filter.clone())
    } else if let Some(decay) = value.get("decay") {
        Effect::Decay {
            attribute: text(decay, "attribute")?,
            origin: origin(decay)?,
            fall: fall(decay)?,
        }
    } else if let Some(of_value) = value.get("value") {
        Effect::Value {
            attribute: text(of_value, "attribute")?,
            growth: match of_value.get("curve").and_then(Value::as_str) {
                Some("log") => Growth::Log,
                Some("sqrt") => Growth::Sqrt,
                _ => Growth::Linear,
            },
            max: of_value.get("max").and_then(Value::as_f64),
        }
    } else {
        let near = value.get("near")?;
        let coordinate = |name: &str| near.get("_geo")?.get(name)?.as_f64();
        Effect::Near { lat: coordinate("lat")?, lng: coordinate("lng")?, fall: fall(near)? }
    };
    let weight = value.get("weight").and_then(Value::as_f64).unwrap_or(1.0);
    Some(Boost { effect, weight })
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}

/// Parses the origin. A number is a time if the scale or the offset is a duration.
fn origin(decay: &Value) -> Option<Origin> {
    match decay.get("origin")? {
        Value::String(text) if text == "now" => Some(Origin::Now),
        Value::String(text) => seconds_of_date(text).map(Origin::Time),
        number => {
            let number = number.as_f64()?;
            let is_time = ["scale", "offset"]
                .into_iter()
                .any(|name| decay.get(name).is_some_and(Value::is_string));
            let time = super::dates::seconds_of_number(number);
            Some(if is_time { Origin::Time(time) } else { Origin::Number(number) })
        }
    }
}

fn fall(value: &Value) -> Option<Fall> {
    let length = |name: &str| match value.get(name)? {
        Value::String(text) => seconds_of_duration(text),
        number => number.as_f64(),
    };
    Some(Fall {
        curve: match value.get("curve").and_then(Value::as_str) {
            Some("gauss") => FallCurve::Gauss,
            Some("linear") => FallCurve::Linear,
            _ => FallCurve::Exp,
        },
        scale: length("scale")?,
        offset: length("offset").unwrap_or(0.0),
        decay: value.get("decay").and_then(Value::as_f64).unwrap_or(0.5),
    })
}
