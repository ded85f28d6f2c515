//! Attributes that a foreign filter may use: with the rights of a search, those that the foreign
//! index displays. Otherwise the number of hits would reveal values that no search shows.

use filter::{Condition, Token};
use settings::Settings;

const POINTS: &str = "_geo";
const SHAPES: &str = "_geojson";

/// Returns the first attribute of the condition that the index does not display.
pub(super) fn hidden<'f>(
    settings: &Settings,
    condition: &'f Condition,
) -> Option<HiddenAttribute<'f>> {
    let names = settings.displayed_attributes.as_deref()?;
    first_hidden(settings, names, condition)
}

/// An attribute that is not displayed, and its place in the filter.
pub(super) struct HiddenAttribute<'f> {
    pub name: String,
    pub place: &'f Token,
}

fn first_hidden<'f>(
    settings: &Settings,
    names: &[String],
    condition: &'f Condition,
) -> Option<HiddenAttribute<'f>> {
    let unless_shown = |name: &str, place: &'f Token| {
        (!is_shown(names, name)).then(|| HiddenAttribute { name: name.to_owned(), place })
    };
    match condition {
        Condition::And(members) | Condition::Or(members) => {
            members.iter().find_map(|member| first_hidden(settings, names, member))
        }
        Condition::Not(inner) => first_hidden(settings, names, inner),
        Condition::Compare { attribute, .. }
        | Condition::In { attribute, .. }
        | Condition::Foreign { attribute, .. } => unless_shown(attribute.value(), attribute),
        Condition::GeoRadius { latitude: place, .. }
        | Condition::GeoBox { top_right: [place, _], .. } => {
            let points = settings.filters_by_points().then(|| unless_shown(POINTS, place));
            let shapes = settings.indexes_shapes().then(|| unless_shown(SHAPES, place));
            points.flatten().or(shapes.flatten())
        }
        Condition::GeoPolygon { points } => {
            let [place, _] = points.first()?;
            unless_shown(SHAPES, place)
        }
        Condition::Vectors(vectors) => unless_shown("_vectors", &vectors.keyword),
        Condition::Shard(_) => None,
    }
}

/// Returns whether the attribute is displayed. A displayed name covers everything below it.
fn is_shown(names: &[String], attribute: &str) -> bool {
    names.iter().any(|name| {
        let below = attribute.strip_prefix(name.as_str());
        name == "*" || below.is_some_and(|below| below.is_empty() || below.starts_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use filter::Filter;
    use serde_json::json;

    use super::*;

    #[test]
    fn displayed_attributes_can_be_filtered_by() {
        let settings = Settings {
            displayed_attributes: Some(vec!["name".to_owned(), "home".to_owned()]),
            ..Settings::default()
        };
        let hidden_in = |text: &str| {
            let filter = Filter::from_json(&json!(text)).unwrap().unwrap();
            hidden(&settings, filter.condition()).map(|hidden| hidden.name)
        };
        for text in ["name = 1", "home.town EXISTS AND NOT name IN [1, 2]", "home IS NULL"] {
            assert_eq!(hidden_in(text), None, "{text}");
        }
        for (text, name) in [
            ("ssn STARTS WITH '07'", "ssn"),
            ("name = 1 OR (name = 2 AND NOT ssn EXISTS)", "ssn"),
            ("names = 1", "names"),
            ("homes.town IN [1]", "homes.town"),
            ("_vectors EXISTS", "_vectors"),
            ("_geoPolygon([1, 1], [2, 2], [3, 1])", "_geojson"),
        ] {
            assert_eq!(hidden_in(text).as_deref(), Some(name), "{text}");
        }
        let everything = Settings::default();
        let filter = Filter::from_json(&json!("ssn = 1")).unwrap().unwrap();
        assert!(hidden(&everything, filter.condition()).is_none());
    }
}
