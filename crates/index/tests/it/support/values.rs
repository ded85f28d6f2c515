//! The values and places of documents, in two ways: as the rules say, document by document from
//! the parsed JSON, and as the columns and the geo component of an index say.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use index::{DocId, Index, Snapshot};
use serde_json::Value;
use settings::Settings;

use super::model::Model;

/// Values of one attribute of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttributeValues {
    pub null: bool,
    pub empty: bool,
    /// As text, in the order of the numbers.
    pub numbers: Vec<String>,
    /// Value forms.
    pub strings: BTreeSet<String>,
}

/// Values by attribute.
pub type Values = BTreeMap<String, AttributeValues>;
/// Latitude and longitude, as text.
pub type LatLng = (String, String);
pub type LatLngs = BTreeMap<DocId, LatLng>;

/// Values by settings and JSON of a document.
type ValueCache = HashMap<(String, String), (Values, Option<LatLng>)>;

thread_local! {
    /// Cache, since the same documents are compared again and again.
    static KNOWN: RefCell<ValueCache> = RefCell::default();
}

pub fn expected(model: &Model) -> (BTreeMap<DocId, Values>, LatLngs) {
    let stored = model.settings.to_string();
    let mut documents = BTreeMap::new();
    let mut places = LatLngs::new();
    for (&doc_id, document) in &model.documents {
        let key = (stored.clone(), document.json.clone());
        let known = KNOWN.with_borrow(|known| known.get(&key).cloned());
        let (values, place) = known.unwrap_or_else(|| {
            let settings = Settings::from_stored(&model.settings);
            let made = (values_of(&document.json, &settings), place_of(&document.json, &settings));
            KNOWN.with_borrow_mut(|known| known.insert(key, made.clone()));
            made
        });
        if !values.is_empty() {
            documents.insert(doc_id, values);
        }
        places.extend(place.map(|place| (doc_id, place)));
    }
    (documents, places)
}

fn place_of(json: &str, settings: &Settings) -> Option<LatLng> {
    let document: Value = serde_json::from_str(json).unwrap();
    let geo = document.get("_geo").filter(|_| settings.indexes_points())?;
    let text = |name: &str| geo[name].as_f64().unwrap().to_string();
    Some((text("lat"), text("lng")))
}

/// The values of one document, as the specification says.
pub fn values_of(json: &str, settings: &Settings) -> Values {
    let document: Value = serde_json::from_str(json).unwrap();
    let mut values = Values::new();
    for (name, value) in document.as_object().unwrap() {
        if name != "_vectors" {
            add_member(name, value, settings, &mut values);
        }
    }
    // Only whether there is a shape is kept here, not what it is.
    values.retain(|name, _| !name.starts_with("_geojson."));
    for kept in values.values_mut() {
        kept.numbers.sort_by(|a, b| number(a).total_cmp(&number(b)));
        kept.numbers.dedup();
    }
    values
}

fn number(text: &str) -> f64 {
    text.parse().unwrap()
}

fn add_member(name: &str, value: &Value, settings: &Settings, out: &mut Values) {
    if settings.needs_column(name) {
        let kept = out.entry(name.to_owned()).or_default();
        kept.null |= value.is_null();
        let is_empty = value.as_str().is_some_and(str::is_empty)
            || value.as_array().is_some_and(Vec::is_empty)
            || value.as_object().is_some_and(serde_json::Map::is_empty);
        kept.empty |= is_empty;
    }
    add_value(name, value, settings, out);
}

fn add_value(name: &str, value: &Value, settings: &Settings, out: &mut Values) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| add_value(name, item, settings, out)),
        Value::Object(members) => {
            for (key, value) in members {
                add_member(&format!("{name}.{key}"), value, settings, out);
            }
        }
        _ => {
            if let Some(kept) = out.get_mut(name) {
                add_leaf(value, kept);
            }
        }
    }
}

fn add_leaf(value: &Value, kept: &mut AttributeValues) {
    match value {
        Value::Number(number) => {
            // Zero has no sign here.
            kept.numbers.push((number.as_f64().unwrap() + 0.0).to_string());
        }
        Value::String(string) if !string.is_empty() => {
            let mut form = String::new();
            text::value_form(string, &mut form);
            kept.strings.insert(form);
        }
        Value::Bool(flag) => drop(kept.strings.insert(flag.to_string())),
        _ => {}
    }
}

/// Returns the values that an index has of its live documents.
pub fn found(snapshot: &Snapshot) -> (BTreeMap<DocId, Values>, LatLngs) {
    let settings = snapshot.typed_settings();
    let mut documents: BTreeMap<DocId, Values> = BTreeMap::new();
    let mut places = LatLngs::new();
    for segment in snapshot.segments() {
        let live = segment.live();
        let names = segment.column_names();
        for name in names.into_iter().filter(|name| settings.needs_column(name)) {
            let column = segment.column(name).unwrap().unwrap();
            let mut cursor = column.values();
            for doc_id in column.exists() & &live {
                let mut kept = AttributeValues {
                    null: column.null().contains(doc_id),
                    empty: column.empty().contains(doc_id),
                    ..AttributeValues::default()
                };
                for ordinal in cursor.seek(doc_id).unwrap() {
                    assert!(column.documents_of(ordinal).unwrap().contains(doc_id));
                    if ordinal < column.number_count() {
                        kept.numbers.push(column.number(ordinal).unwrap().to_string());
                    } else {
                        kept.strings.insert(column.string(ordinal).unwrap());
                    }
                }
                documents.entry(doc_id).or_default().insert(name.to_owned(), kept);
            }
        }
        if let Some(geo) = segment.geo().filter(|_| settings.indexes_points()) {
            for doc_id in geo.documents_with_point() & &live {
                let point = geo.point_of(doc_id).unwrap().unwrap();
                places.insert(doc_id, (point.lat.to_string(), point.lng.to_string()));
            }
        }
    }
    (documents, places)
}

/// Documents, and the settings that their columns are built by.
pub struct Expected {
    pub documents: BTreeMap<String, String>,
    pub settings: Value,
}

impl Expected {
    pub fn check(&self, index: &Index) {
        let snapshot = index.snapshot();
        let settings = Settings::from_stored(&self.settings);
        let (found, _) = found(&snapshot);
        let mut expected: BTreeMap<DocId, Values> = BTreeMap::new();
        for (id, json) in &self.documents {
            let values = values_of(json, &settings);
            if !values.is_empty() {
                expected.insert(snapshot.doc_id(id).unwrap().unwrap(), values);
            }
        }
        assert_eq!(found, expected, "under {}", self.settings);
    }
}
