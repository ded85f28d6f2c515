//! The places of documents in an index: when they are indexed, when they are refused, and what
//! becomes of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use index::{DocId, Index, IndexError, check_geo, verify};
use model::Cancel;
use segment::geo::Point;
use segment::{Directory, MemoryDirectory};
use serde_json::{Value, json};
use settings::Settings;

use crate::support::{add_ids, at, file_names, small_options};

fn small(memory: &MemoryDirectory) -> Index {
    Index::create_with(Arc::new(memory.clone()), at(0), small_options()).unwrap()
}

fn try_upsert(index: &Index, documents: &[Value]) -> index::Result<()> {
    let mut writer = index.writer()?;
    writer.set_primary_key(Some("id"));
    for document in documents {
        let fields = document.as_object().unwrap().keys().map(String::as_str);
        writer.upsert(&document["id"].to_string(), &document.to_string(), fields)?;
    }
    writer.commit(b"", at(1)).map(drop)
}

fn upsert(index: &Index, documents: &[Value]) {
    try_upsert(index, documents).unwrap();
}

fn try_settings(index: &Index, settings: Value) -> index::Result<()> {
    let mut writer = index.writer()?;
    writer.set_settings(settings);
    writer.commit(b"", at(1)).map(drop)
}

fn set_settings(index: &Index, settings: Value) {
    try_settings(index, settings).unwrap();
}

fn geo_files(directory: &dyn Directory) -> Vec<String> {
    file_names(directory).into_iter().filter(|name| name.contains("geo")).collect()
}

/// Latitudes by document.
fn points(index: &Index) -> BTreeMap<DocId, f64> {
    let mut points = BTreeMap::new();
    for segment in index.snapshot().segments() {
        if let Some(geo) = segment.geo() {
            for doc_id in geo.documents_with_point() & segment.live() {
                points.insert(doc_id, geo.point_of(doc_id).unwrap().unwrap().lat);
            }
        }
    }
    points
}

/// The documents with a shape around a point on the equator.
fn shapes_around(index: &Index, lng: f64) -> Vec<DocId> {
    let mut found = Vec::new();
    for segment in index.snapshot().segments() {
        if let Some(geo) = segment.geo() {
            let centre = Point { lat: 0.0, lng };
            found.extend(geo.shapes_within(centre, 10.0).unwrap() & segment.live());
        }
    }
    found
}

fn square(west: f64) -> Value {
    let east = west + 2.0;
    json!({ "type": "Polygon", "coordinates":
        [[[west, -1.0], [east, -1.0], [east, 1.0], [west, 1.0], [west, -1.0]]] })
}

#[test]
fn places_are_indexed_while_the_settings_want_them() {
    let memory = MemoryDirectory::new();
    let index = small(&memory);
    upsert(&index, &[json!({ "id": 1, "_geo": { "lat": 1.5, "lng": "2.5" } })]);
    assert_eq!(geo_files(&memory), [""; 0]);
    set_settings(&index, json!({ "sortableAttributes": ["_geo"] }));
    assert_eq!(points(&index), BTreeMap::from([(0, 1.5)]));
    upsert(
        &index,
        &[
            json!({ "id": 2, "_geo": { "lat": 2, "lng": 0 }, "_geojson": square(10.0) }),
            json!({ "id": 3, "_geo": null }),
            json!({ "id": 4, "_geo": { "lat": 4, "lng": 0 } }),
        ],
    );
    assert_eq!(points(&index), BTreeMap::from([(0, 1.5), (1, 2.0), (3, 4.0)]));
    assert!(shapes_around(&index, 11.0).is_empty());

    // Shapes as well: points are still there.
    set_settings(
        &index,
        json!({ "filterableAttributes": ["_geo", "_geojson"], "stopWords": ["x"] }),
    );
    assert_eq!(points(&index), BTreeMap::from([(0, 1.5), (1, 2.0), (3, 4.0)]));
    assert_eq!(shapes_around(&index, 11.0), [1]);
    upsert(&index, &[json!({ "id": 4, "_geojson": square(11.5) })]);
    let files = geo_files(&memory);
    index.compact(&Cancel::default()).unwrap();
    assert_ne!(geo_files(&memory), files);
    assert_eq!(points(&index), BTreeMap::from([(0, 1.5), (1, 2.0)]));
    assert_eq!(shapes_around(&index, 11.75), [1, 3]);

    // Less is wanted: what is there stays. Nothing is wanted: it goes.
    let files = geo_files(&memory);
    set_settings(&index, json!({ "filterableAttributes": ["_geo"] }));
    assert_eq!(geo_files(&memory), files);
    set_settings(&index, json!({ "filterableAttributes": [{ "attributePatterns": ["*"] }] }));
    assert_eq!(geo_files(&memory), [""; 0]);
    drop(index);
    set_settings(
        &Index::open_with(Arc::new(memory.clone()), small_options()).unwrap(),
        json!({ "filterableAttributes": ["_geojson"] }),
    );
    let index = Index::open_with(Arc::new(memory.clone()), small_options()).unwrap();
    assert_eq!((points(&index).len(), shapes_around(&index, 11.75).len()), (0, 2));
    assert_eq!(verify(&memory), []);
}

#[test]
fn settings_that_documents_do_not_fit_change_nothing() {
    let memory = MemoryDirectory::new();
    let index = small(&memory);
    add_ids(&index, &["other"]);
    upsert(&index, &[json!({ "id": 1, "_geo": "anything" })]);
    let before = (index.snapshot().settings().clone(), file_names(&memory));
    let error = try_settings(&index, json!({ "sortableAttributes": ["_geo", "id"] })).unwrap_err();
    assert!(matches!(error, IndexError::Geo(_)));
    assert_eq!(
        error.to_string(),
        "The `_geo` field in the document with the id: `\"1\"` is not an object. Was expecting an \
         object with the `_geo.lat` and `_geo.lng` fields but instead got `\"anything\"`."
    );
    assert_eq!((index.snapshot().settings().clone(), file_names(&memory)), before);
    // It was nothing about the disk: work goes on.
    set_settings(&index, json!({ "filterableAttributes": ["_geojson"] }));
    upsert(&index, &[json!({ "id": 1, "_geo": { "lat": 1, "lng": 1 } })]);
    set_settings(&index, json!({ "sortableAttributes": ["_geo"] }));
    assert_eq!(points(&index).len(), 1);
}

#[test]
fn documents_that_do_not_fit_are_refused() {
    let memory = MemoryDirectory::new();
    let index = small(&memory);
    let stored = json!({ "filterableAttributes": ["_geo"] });
    set_settings(&index, stored.clone());
    let bad = json!({ "id": 7, "_geo": { "lat": 1 } });
    let expected = "Could not find longitude in the document with the id: `\"7\"`. Was expecting a \
                    `_geo.lng` field.";
    let settings = Settings::from_stored(&stored);
    let check = |settings: &Settings, document: &Value| {
        check_geo(settings, "7", Some(&document["_geo"].to_string()), None)
    };
    assert_eq!(check(&settings, &bad).unwrap_err().to_string(), expected);
    assert_eq!(check(&Settings::default(), &bad), Ok(()));
    assert_eq!(check(&settings, &json!({ "id": 1, "_geo": null })), Ok(()));
    let good = json!({ "id": 1, "_geo": { "lat": 1, "lng": 2 } });
    assert_eq!(check(&settings, &good), Ok(()));
    let error = try_upsert(&index, &[good.clone(), bad]).unwrap_err();
    assert_eq!(error.to_string(), expected);
    assert_eq!(index.snapshot().number_of_documents(), 0);
    upsert(&index, &[good]);
    assert_eq!(points(&index).len(), 1);
}

#[test]
fn places_of_another_segment_are_found_out() {
    let memory = MemoryDirectory::new();
    let index = small(&memory);
    set_settings(&index, json!({ "sortableAttributes": ["_geo"] }));
    for id in [1, 2] {
        upsert(&index, &[json!({ "id": id, "_geo": { "lat": id, "lng": 0 } })]);
    }
    drop(index);
    memory.put("2.geo.1", memory.open("1.geo.1").unwrap().to_vec());
    let error = Index::open_with(Arc::new(memory.clone()), small_options()).unwrap_err();
    assert!(error.is_damaged());
    assert!(verify(&memory).iter().any(|problem| problem.file == "2.geo.1"));
}
