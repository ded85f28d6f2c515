//! Tests of what a change of settings builds and leaves alone, of its progress and cancellation.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use index::{Index, RebuildObserver, RebuildProgress, verify};
use model::Cancel;
use parking_lot::Mutex;
use segment::MemoryDirectory;
use serde_json::{Value, json};

use crate::support::{at, file_names, set_settings, small_options, upsert, words};

struct Fixture {
    memory: MemoryDirectory,
    index: Index,
}

impl Fixture {
    /// Two segments; some documents lack some attributes.
    fn new() -> Self {
        let memory = MemoryDirectory::new();
        let index = Index::create_with(Arc::new(memory.clone()), at(0), small_options()).unwrap();
        for part in 0..2 {
            let document = |number: u32| {
                let mut document = json!({ "id": number, "title": format!("The title {number}"),
                    "body": { "text": format!("words of body {number}"), "size": number } });
                if number.is_multiple_of(4) {
                    document["rare"] = json!("seldom seen");
                }
                (number.to_string(), document.to_string())
            };
            let documents: Vec<_> = (part * 8..part * 8 + 8).map(document).collect();
            upsert(&index, &documents);
        }
        Self { memory, index }
    }

    /// The files of components; a file that is written again has another name.
    fn files(&self, component: &str) -> BTreeSet<String> {
        let is_it = |name: &String| name.contains(&format!(".{component}."));
        file_names(&self.memory).into_iter().filter(is_it).collect()
    }

    /// Which kinds of files a change writes anew.
    fn change(&self, settings: Value) -> Vec<&'static str> {
        let kinds = ["documents", "text", "columns", "geo"];
        let before = kinds.map(|kind| self.files(kind));
        set_settings(&self.index, settings);
        let written = kinds.into_iter().zip(before);
        let written: Vec<&str> = written
            .filter(|(kind, before)| !self.files(kind).is_subset(before))
            .map(|(kind, _)| kind)
            .collect();
        assert_eq!(verify(&self.memory), []);
        written
    }

    fn fields(&self) -> BTreeSet<String> {
        let snapshot = self.index.snapshot();
        snapshot.segments().iter().flat_map(|segment| segment.text().fields()).cloned().collect()
    }
}

#[test]
fn most_settings_build_nothing() {
    let fixture = Fixture::new();
    assert_eq!(fixture.change(json!({ "filterableAttributes": ["title"] })), ["columns"]);
    for more in [
        json!({ "rankingRules": ["typo", "words"] }),
        json!({ "synonyms": { "a": ["b"] }, "displayedAttributes": ["id"] }),
        json!({ "distinctAttribute": "title" }),
        json!({ "rankingRules": ["words", "title:asc"] }),
        json!({ "sortableAttributes": ["title"] }),
        json!({ "typoTolerance": { "enabled": false }, "pagination": { "maxTotalHits": 3 } }),
        json!({ "faceting": { "maxValuesPerFacet": 3 }, "searchCutoffMs": 7 }),
        json!({ "prefixSearch": "disabled", "proximityPrecision": "byAttribute" }),
        json!({}),
    ] {
        let mut settings = json!({ "filterableAttributes": ["title"] });
        settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(fixture.change(settings.clone()), [""; 0], "{settings}");
        assert_eq!(fixture.change(settings.clone()), [""; 0], "again {settings}");
    }
}

#[test]
fn attributes_are_built_alone() {
    let fixture = Fixture::new();
    let searchable = |names: Value| json!({ "searchableAttributes": names });
    assert_eq!(fixture.change(searchable(json!(["title"]))), ["text"]);
    assert_eq!(fixture.fields(), BTreeSet::from(["title".to_owned()]));
    assert_eq!(fixture.change(searchable(json!(["title", "body.text"]))), ["text"]);
    let order = json!(["body.text", "title", "body.text"]);
    assert_eq!(fixture.change(searchable(order)), [""; 0], "the order costs nothing");
    assert_eq!(fixture.change(searchable(json!(["title", "body.text", "nobody"]))), [""; 0]);
    assert_eq!(fixture.change(searchable(json!(["title", "body"]))), ["text"]);
    assert_eq!(fixture.fields().len(), 3);
    let all = json!(["rare", "body", "title", "id"]);
    assert_eq!(fixture.change(searchable(all)), ["text"]);
    assert_eq!(fixture.change(json!({})), [""; 0], "all are searched, by name or without");

    let localized = |pattern: &str| json!({ "localizedAttributes": [{ "attributePatterns": [pattern], "locales": ["jpn"] }] });
    assert_eq!(fixture.change(localized("nobody*")), [""; 0]);
    assert_eq!(fixture.change(localized("rare")), ["text"]);
    assert_eq!(fixture.change(json!({ "stopWords": ["the"] })), ["text"]);
}

/// Texts are written again where there are documents with the attribute, and only there.
#[test]
fn segments_without_an_attribute_keep_their_text() {
    let fixture = Fixture::new();
    set_settings(&fixture.index, json!({ "searchableAttributes": ["title"] }));
    upsert(&fixture.index, &[("99".to_owned(), json!({ "id": 99, "extra": "x" }).to_string())]);
    let before = fixture.files("text");
    set_settings(&fixture.index, json!({ "searchableAttributes": ["title", "extra"] }));
    let after = fixture.files("text");
    assert_eq!(before.intersection(&after).count(), before.len() - 1);
    let found = words::found(&fixture.index.snapshot());
    assert_eq!(found[&16]["extra"], [(0, "x".to_owned())]);
}

/// Records the progress.
#[derive(Default)]
struct Notes {
    steps: Mutex<Vec<String>>,
    documents: AtomicUsize,
}

impl RebuildObserver for Notes {
    fn note(&self, at: &RebuildProgress<'_>) {
        assert!(at.documents_done <= at.documents && at.segments_done < at.segments);
        let step = format!("{} {}/{}", at.step, at.segments_done, at.segments);
        let mut steps = self.steps.lock();
        if steps.last() != Some(&step) {
            steps.push(step);
            self.documents.fetch_add(at.documents as usize, Ordering::Relaxed);
        }
    }
}

fn followed(index: &Index, settings: Value) -> Notes {
    let notes = Notes::default();
    let mut writer = index.writer().unwrap();
    writer.set_settings(settings);
    writer.rebuild(&notes, &Cancel::default()).unwrap();
    writer.commit(b"", at(2)).unwrap();
    notes
}

#[test]
fn rebuilds_report_their_progress() {
    let fixture = Fixture::new();
    let told = |settings: Value| {
        let notes = followed(&fixture.index, settings);
        (notes.steps.into_inner(), notes.documents.into_inner())
    };
    let (steps, documents) = told(json!({ "searchableAttributes": ["title"] }));
    let step = "removing data that is no longer needed";
    assert_eq!((steps, documents), (vec![format!("{step} 0/2"), format!("{step} 1/2")], 0));
    let (steps, documents) = told(json!({ "searchableAttributes": ["title", "rare"],
        "filterableAttributes": ["id", "title"] }));
    let step = "rebuilding words of 1 attribute and values of 2 attributes";
    assert_eq!((steps, documents), (vec![format!("{step} 0/2"), format!("{step} 1/2")], 16));
    let (steps, documents) = told(json!({ "searchableAttributes": ["rare"] }));
    assert_eq!((steps.len(), documents), (2, 0), "{steps:?}");
    let (_, documents) = told(json!({ "searchableAttributes": ["rare"], "stopWords": ["a"] }));
    assert_eq!(documents, 4, "only documents that have something to be indexed are read");
    let (steps, _) = told(json!({ "searchableAttributes": ["rare"], "stopWords": ["a"],
        "searchCutoffMs": 3 }));
    assert_eq!(steps, [""; 0]);
}

#[test]
fn a_rebuild_that_is_stopped_leaves_nothing() {
    let fixture = Fixture::new();
    set_settings(&fixture.index, json!({ "searchableAttributes": ["title", "rare"] }));
    let (files, found) = (file_names(&fixture.memory), words::found(&fixture.index.snapshot()));
    let settings = json!({ "searchableAttributes": ["body", "title"],
        "filterableAttributes": ["id"] });
    let mut stop_at = 1;
    loop {
        let (cancel, _) = Cancel::at_check(stop_at);
        let mut writer = fixture.index.writer().unwrap();
        writer.set_settings(settings.clone());
        let Err(error) = writer.rebuild(&Notes::default(), &cancel) else {
            break;
        };
        assert!(error.is_stopped_on_request(), "{error}");
        drop(writer);
        assert_eq!(file_names(&fixture.memory), files);
        assert_eq!(words::found(&fixture.index.snapshot()), found);
        stop_at += 1;
    }
    assert!(stop_at > 5, "{stop_at}");
    assert_eq!(fixture.change(settings), ["text", "columns"]);
}
