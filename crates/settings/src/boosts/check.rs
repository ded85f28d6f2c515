//! Validates boosts and attribute weights, in a setting or a search. Of a filter only the JSON type
//! is checked; parsing it is left to the filter grammar.

use deserr::ValueKind;
use serde_json::{Value, json};

use super::dates::{seconds_of_date, seconds_of_duration};
use crate::error::{JsonPath, SettingError, take};
use crate::geo_fields::{GEO_FIELD, GEOJSON_FIELD};
use crate::shape::{CheckResult, Member, Shape};

/// Every boost is evaluated for every document that is ranked.
const MOST_BOOSTS: usize = 20;
const MOST_WEIGHTS: usize = 1000;
const HIGHEST_WEIGHT: f64 = 1000.0;
/// The members of which a boost has exactly one.
const EFFECTS: [&str; 4] = ["filter", "decay", "value", "near"];

/// Validates and normalises the search parameter `boosts`.
pub fn check_boosts(value: Value) -> Result<Value, String> {
    BOOSTS.check(value, JsonPath::Origin.push_key("boosts")).map_err(|error| error.0)
}

/// Validates the search parameter `attributeWeights`.
pub fn check_attribute_weights(value: Value) -> Result<Value, String> {
    let at = JsonPath::Origin.push_key("attributeWeights");
    ATTRIBUTE_WEIGHTS.check(value, at).map_err(|error| error.0)
}

pub(crate) const BOOSTS: Shape =
    Shape::Checked(&Shape::List(&Shape::Component("Boost", &BOOST)), |value, at| {
        match value.as_array().map(Vec::len) {
            Some(count) if count > MOST_BOOSTS => {
                let reason = format!("it has {count} boosts, and {MOST_BOOSTS} are the most");
                Err(SettingError::value(reason, at))
            }
            _ => Shape::List(&BOOST).check(value, at),
        }
    });

pub(crate) const ATTRIBUTE_WEIGHTS: Shape =
    Shape::Checked(&Shape::Dictionary(&Shape::NumberBetween(0, 1000)), |value, at| {
        match value.as_object().map(serde_json::Map::len) {
            Some(count) if count > MOST_WEIGHTS => {
                let reason = format!("it has {count} attributes, and {MOST_WEIGHTS} are the most");
                Err(SettingError::value(reason, at))
            }
            _ => Shape::Dictionary(&WEIGHT).check(value, at),
        }
    });

const BOOST: Shape = Shape::custom(|value, at| {
    const MEMBERS: &[Member] = &[
        Member::optional("filter", Shape::custom(filter)),
        Member::optional("decay", DECAY),
        Member::optional("value", VALUE),
        Member::optional("near", NEAR),
        Member::or_default("weight", WEIGHT, || json!(1)),
    ];
    let boost = Shape::Object(MEMBERS).check(value, at)?;
    let effects = EFFECTS.iter().filter(|name| boost.get(name).is_some()).count();
    if effects != 1 {
        let reason = "a boost has exactly one of `filter`, `decay`, `value` and `near`";
        return Err(SettingError::value(reason, at));
    }
    Ok(boost)
});

const DECAY: Shape = Shape::Object(&[
    Member::mandatory("attribute", Shape::custom(attribute)),
    Member::mandatory("origin", Shape::custom(origin)),
    Member::mandatory("scale", Shape::custom(scale)),
    Member::or_default("offset", Shape::custom(offset), || json!(0)),
    Member::or_default("decay", Shape::custom(share), || json!(0.5)),
    Member::or_default("curve", FALL_CURVE, || json!("exp")),
]);

const VALUE: Shape = Shape::Object(&[
    Member::mandatory("attribute", Shape::custom(attribute)),
    Member::or_default("curve", Shape::Word(&["linear", "log", "sqrt"]), || json!("linear")),
    Member::optional("max", Shape::custom(positive)),
]);

const NEAR: Shape = Shape::Object(&[
    Member::mandatory("_geo", POINT),
    Member::mandatory("scale", Shape::custom(positive)),
    Member::or_default("offset", Shape::custom(not_negative), || json!(0)),
    Member::or_default("decay", Shape::custom(share), || json!(0.5)),
    Member::or_default("curve", FALL_CURVE, || json!("exp")),
]);

const POINT: Shape = Shape::Object(&[
    Member::mandatory("lat", Shape::custom(latitude)),
    Member::mandatory("lng", Shape::custom(longitude)),
]);

const FALL_CURVE: Shape = Shape::Word(&["exp", "gauss", "linear"]);

const WEIGHT: Shape = Shape::custom(|value, at| {
    let is_weight = |number| (0.0..=HIGHEST_WEIGHT).contains(&number);
    number(value, at, is_weight, "expected a number from 0 to 1000")
});

fn filter(value: Value, at: JsonPath<'_>) -> CheckResult {
    match value {
        Value::String(_) | Value::Array(_) => Ok(value),
        other => {
            Err(SettingError::wrong_kind(other, &[ValueKind::String, ValueKind::Sequence], at))
        }
    }
}

fn attribute(value: Value, at: JsonPath<'_>) -> CheckResult {
    let name = take::<String>(value, at)?;
    let is_inside = |field: &str| crate::pattern::covers(field, &name);
    if name.is_empty() {
        return Err(SettingError::value("the name of an attribute is not empty", at));
    }
    if is_inside(GEO_FIELD) || is_inside(GEOJSON_FIELD) || is_inside("_vectors") {
        let reason = format!("`{name}` has no values to boost by; use `near` for places");
        return Err(SettingError::value(reason, at));
    }
    Ok(Value::String(name))
}

fn origin(value: Value, at: JsonPath<'_>) -> CheckResult {
    match &value {
        Value::String(text) if text == "now" || seconds_of_date(text).is_some() => Ok(value),
        Value::String(_) => {
            let reason = "expected a number, `now`, or a date like `2024-01-31` or \
                          `2024-01-31T12:00:00Z`";
            Err(SettingError::value(reason, at))
        }
        _ => number(value, at, |_| true, ""),
    }
}

fn scale(value: Value, at: JsonPath<'_>) -> CheckResult {
    match duration(&value, at)? {
        Some(seconds) if seconds > 0.0 => Ok(value),
        Some(_) => Err(SettingError::value("expected more than 0", at)),
        None => positive(value, at),
    }
}

fn offset(value: Value, at: JsonPath<'_>) -> CheckResult {
    match duration(&value, at)? {
        Some(_) => Ok(value),
        None => not_negative(value, at),
    }
}

fn duration(value: &Value, at: JsonPath<'_>) -> Result<Option<f64>, SettingError> {
    let Value::String(text) = value else { return Ok(None) };
    let reason = "expected a number, or a duration like `30d`, `12h`, `15m`, `10s` or `2w`";
    seconds_of_duration(text).map(Some).ok_or_else(|| SettingError::value(reason, at))
}

fn share(value: Value, at: JsonPath<'_>) -> CheckResult {
    let is_share = |number| number > 0.0 && number < 1.0;
    number(value, at, is_share, "expected a number between 0 and 1, both excluded")
}

fn positive(value: Value, at: JsonPath<'_>) -> CheckResult {
    number(value, at, |number| number > 0.0, "expected more than 0")
}

fn not_negative(value: Value, at: JsonPath<'_>) -> CheckResult {
    number(value, at, |number| number >= 0.0, "expected 0 or more")
}

fn latitude(value: Value, at: JsonPath<'_>) -> CheckResult {
    let is_latitude = |number| (-90.0..=90.0).contains(&number);
    number(value, at, is_latitude, "expected a latitude from -90 to 90")
}

fn longitude(value: Value, at: JsonPath<'_>) -> CheckResult {
    let is_longitude = |number| (-180.0..=180.0).contains(&number);
    number(value, at, is_longitude, "expected a longitude from -180 to 180")
}

/// Checks for a finite number that is acceptable; returns it unchanged.
fn number(
    value: Value,
    at: JsonPath<'_>,
    is_good: impl Fn(f64) -> bool,
    reason: &str,
) -> CheckResult {
    match value.as_f64() {
        Some(number) if number.is_finite() && is_good(number) => Ok(value),
        Some(_) => Err(SettingError::value(reason, at)),
        None => Err(SettingError::wrong_kind(value, &[ValueKind::Float, ValueKind::Integer], at)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boost_is_completed() {
        let given = json!([
            {"filter": "a = 1", "weight": 2},
            {"decay": {"attribute": "at", "origin": "now", "scale": "30d"}},
            {"value": {"attribute": "n", "max": null}, "near": null},
            {"near": {"_geo": {"lat": 1, "lng": 2.5}, "scale": 100}},
        ]);
        let complete = json!([
            {"filter": "a = 1", "weight": 2},
            {"decay": {"attribute": "at", "origin": "now", "scale": "30d", "offset": 0,
                       "decay": 0.5, "curve": "exp"}, "weight": 1},
            {"value": {"attribute": "n", "curve": "linear"}, "weight": 1},
            {"near": {"_geo": {"lat": 1, "lng": 2.5}, "scale": 100, "offset": 0, "decay": 0.5,
                      "curve": "exp"}, "weight": 1},
        ]);
        assert_eq!(check_boosts(given).unwrap(), complete);
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        let decay = |member: &str, value: Value| {
            let mut decay = json!({"attribute": "a", "origin": 1, "scale": 2});
            decay[member] = value;
            json!([{"decay": decay}])
        };
        let near = |lat: f64| json!([{"near": {"_geo": {"lat": lat, "lng": 0}, "scale": 1}}]);
        for (given, expected) in [
            (json!({}), "Invalid value type at `.boosts`: expected an array"),
            (json!([{}]), "Invalid value at `.boosts[0]`: a boost has exactly one of"),
            (json!([{"filter": "a", "value": {"attribute": "b"}}]), "`.boosts[0]`: a boost has"),
            (json!([{"filter": 3}]), "Invalid value type at `.boosts[0].filter`"),
            (json!([{"filter": "a", "weight": -1}]), "`.boosts[0].weight`: expected a number from"),
            (json!([{"filter": "a", "weight": "x"}]), "Invalid value type at `.boosts[0].weight`"),
            (json!([{"filter": "a", "wait": 1}]), "Unknown field `wait` inside `.boosts[0]`"),
            (json!([{"value": {"attribute": ""}}]), "`.boosts[0].value.attribute`: the name"),
            (json!([{"value": {"attribute": "_geo.lat"}}]), "use `near` for places"),
            (json!([{"value": {}}]), "Missing field `attribute` inside `.boosts[0].value`"),
            (json!([{"value": {"attribute": "a", "max": 0}}]), "max`: expected more than 0"),
            (decay("scale", json!(0)), "`.boosts[0].decay.scale`: expected more than 0"),
            (decay("scale", json!("0d")), "`.boosts[0].decay.scale`: expected more than 0"),
            (decay("scale", json!("30 days")), "or a duration like `30d`"),
            (decay("origin", json!("today")), "`now`, or a date like"),
            (decay("origin", json!(null)), "Invalid value type at `.boosts[0].decay.origin`"),
            (decay("decay", json!(1)), "expected a number between 0 and 1"),
            (decay("curve", json!("log")), "expected one of `exp`, `gauss`, `linear`"),
            (near(91.0), "expected a latitude from -90 to 90"),
            (json!(vec![json!({"filter": "a"}); 21]), "it has 21 boosts, and 20 are the most"),
        ] {
            let found = check_boosts(given.clone()).unwrap_err();
            assert!(found.contains(expected), "{given}: {found}");
        }
    }

    #[test]
    fn weights_are_numbers_up_to_a_bound() {
        let good = json!({"body": 0, "title": 3, "*_en": 1.5});
        assert_eq!(check_attribute_weights(good.clone()).unwrap(), good);
        for (given, expected) in [
            (json!([]), "Invalid value type at `.attributeWeights`: expected an object"),
            (json!({"a": -0.1}), "`.attributeWeights.a`: expected a number from 0 to 1000"),
            (json!({"a": null}), "Invalid value type at `.attributeWeights.a`"),
        ] {
            let found = check_attribute_weights(given.clone()).unwrap_err();
            assert!(found.contains(expected), "{given}: {found}");
        }
    }
}
