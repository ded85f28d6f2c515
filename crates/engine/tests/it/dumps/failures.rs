//! Failing imports: missing files, existing databases, damaged archives, and imports that are
//! aborted. None leaves anything behind.

use std::fs;
use std::path::Path;

use engine::dumps::import_dump;
use engine::{Engine, EngineOptions, Import};
use serde_json::json;
use tasks::Method;

use crate::dumps::archive::{archive_of, dump, import, read};
use crate::support::Instance;

fn small_instance() -> Instance {
    let instance = Instance::new();
    let documents = json!([{"id": 1, "title": "one"}, {"id": 2, "title": "two"}]).to_string();
    instance.wait(&instance.add("books", Method::Replace, &documents));
    instance
}

#[test]
fn the_next_start_removes_unfinished_dumps_and_snapshots() {
    let mut instance = small_instance();
    let whole = dump(&instance);
    let beside = |name: &str| instance.path().with_file_name(name);
    let data_name = instance.path().file_name().unwrap().to_str().unwrap().to_owned();
    let snapshots = beside("snapshots");
    fs::create_dir_all(&snapshots).unwrap();
    let left = [
        beside("dumps").join("20240506-070809123.dump.part"),
        snapshots.join(format!("{data_name}.snapshot.draft")),
    ];
    let kept =
        [whole, beside("dumps").join("somebody's.part"), snapshots.join("other.snapshot.draft")];
    for path in left.iter().chain(&kept[1..]) {
        fs::write(path, "half").unwrap();
    }
    instance.restart();
    for path in &left {
        assert!(!path.exists(), "{}", path.display());
    }
    for path in &kept {
        assert!(path.exists(), "{}", path.display());
    }
}

/// Every start that is allowed, and every one that is not.
#[test]
fn imports_need_an_empty_folder_and_an_existing_file() {
    let instance = small_instance();
    let file = dump(&instance);
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let options = EngineOptions::new(&data);
    let try_import = |file: &Path, ignore_missing, ignore_if_db_exists| {
        let file = file.to_owned();
        import_dump(&Import { file, ignore_missing, ignore_if_db_exists }, &options)
            .map_err(|error| error.to_string())
    };
    let missing = folder.path().join("missing.dump");
    assert!(try_import(&missing, false, true).unwrap_err().contains("--ignore-missing-dump"));
    assert!(!try_import(&missing, true, false).unwrap());
    assert!(!data.exists());
    // An empty folder is as good as none.
    fs::create_dir(&data).unwrap();
    assert!(try_import(&file, false, false).unwrap());
    drop(Engine::open(options.clone()).unwrap());
    let refused = try_import(&file, false, false).unwrap_err();
    assert!(refused.contains("--ignore-dump-if-db-exists"), "{refused}");
    // The database comes first, whether there is a file or not.
    assert!(try_import(&missing, false, false).unwrap_err().contains("already"));
    assert!(!try_import(&missing, false, true).unwrap());
    assert!(!try_import(&file, false, true).unwrap());
}

#[test]
fn every_damaged_dump_is_refused_and_leaves_no_folder() {
    let instance = small_instance();
    let file = dump(&instance);
    let whole = fs::read(&file).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (damaged, data) = (folder.path().join("x.dump"), folder.path().join("data"));
    let options = EngineOptions::new(&data);
    let cuts = (0..whole.len()).step_by(7).map(|length| whole[..length].to_vec());
    let flips = (10..whole.len()).step_by(3).map(|place| {
        let mut bytes = whole.clone();
        bytes[place] ^= 1 << (place % 8);
        bytes
    });
    let mut refused = 0;
    for bytes in cuts.chain(flips) {
        fs::write(&damaged, &bytes).unwrap();
        match import(&damaged, &options) {
            Err(error) => {
                refused += 1;
                assert!(error.to_string().contains("x.dump"), "{error}");
                assert!(!data.exists());
            }
            // Some bits of a compressed file mean nothing.
            Ok(_) => {
                assert_eq!(read(&damaged), read(&file));
                fs::remove_dir_all(&data).unwrap();
            }
        }
    }
    assert!(refused > whole.len() / 7);
}

#[test]
fn dumps_that_are_whole_but_wrong_are_refused_with_their_entry() {
    let folder = tempfile::tempdir().unwrap();
    let (file, data) = (folder.path().join("x.dump"), folder.path().join("data"));
    let own = |version: u32, indexes: u32, tasks: u32| {
        json!({"format": "sonde-dump", "formatVersion": version, "programVersion": "1",
               "dumpDate": "2026-01-01T00:00:00Z", "instanceUid": null,
               "indexes": indexes, "tasks": tasks})
        .to_string()
    };
    let index = |uid: &str, documents: u32| {
        json!({"uid": uid, "primaryKey": "id", "createdAt": "2026-01-01T00:00:00Z",
               "updatedAt": "2026-01-01T00:00:00Z", "settings": {}, "fields": ["id"],
               "embedders": {}, "documents": documents})
        .to_string()
    };
    let line = |n: u32| format!("{}\n", json!({"number": n, "json": {"id": n}}));
    let cases: Vec<(Vec<(&str, String)>, &str)> = vec![
        (vec![("a.json", "{}".into())], "no entry `metadata.json`"),
        (vec![("metadata.json", "{".into())], "`metadata.json` is no JSON"),
        (vec![("metadata.json", own(9, 0, 0))], "format version 9"),
        (
            vec![(
                "metadata.json",
                json!({"dumpVersion": "V4", "dbVersion": "0.25.0"}).to_string(),
            )],
            "made by Meilisearch 0.25.0",
        ),
        (vec![("metadata.json", own(1, 1, 0))], "some of its indexes are missing"),
        (vec![("metadata.json", own(1, 0, 1))], "some of its tasks are missing"),
        (
            vec![("metadata.json", own(1, 0, 0)), ("surprise", String::new())],
            "`surprise` is no part of a dump",
        ),
        (
            vec![
                ("metadata.json", own(1, 1, 0)),
                ("indexes/0/index.json", index("a", 2)),
                ("indexes/0/documents-0.ndjson", line(0)),
            ],
            "some of its documents are missing",
        ),
        (
            vec![
                ("metadata.json", own(1, 1, 0)),
                ("indexes/0/index.json", index("a", 2)),
                ("indexes/0/documents-1.ndjson", line(0)),
            ],
            "is not where it should be",
        ),
        (
            vec![
                ("metadata.json", own(1, 1, 0)),
                ("indexes/0/index.json", index("a", 2)),
                ("indexes/0/documents-0.ndjson", line(0).repeat(2)),
            ],
            "is there twice",
        ),
        (
            vec![("metadata.json", own(1, 1, 0)), ("indexes/0/index.json", index("no pe", 0))],
            "not a valid index uid",
        ),
        (
            vec![
                ("metadata.json", own(1, 2, 0)),
                ("indexes/0/index.json", index("a", 0)),
                ("indexes/1/index.json", index("a", 0)),
            ],
            "the index `a` is there twice",
        ),
        (
            vec![("metadata.json", own(1, 0, 1)), ("tasks-0.ndjson", "{\"uid\": 1}".into())],
            "`tasks-0.ndjson` cannot be read, line 1",
        ),
        (
            vec![("metadata.json", own(1, 0, 0)), ("instance.json", "{\"network\": 3}".into())],
            "network cannot be read",
        ),
    ];
    for (entries, expected) in cases {
        archive_of(&file, &entries);
        let error = import(&file, &EngineOptions::new(&data)).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("x.dump"), "{expected}: {error}");
        assert!(!data.exists(), "{expected}");
    }
}

#[test]
fn an_import_that_was_killed_is_no_database_and_can_be_repeated() {
    let instance = small_instance();
    let file = dump(&instance);
    let folder = tempfile::tempdir().unwrap();
    let options = EngineOptions::new(folder.path().join("data"));
    assert!(import(&file, &options).unwrap());
    // As a kill in the midst of it leaves it.
    fs::write(options.db_path.join("IMPORT-UNFINISHED"), "").unwrap();
    fs::remove_file(options.db_path.join("meta.redb")).unwrap();
    let error = Engine::open(options.clone()).unwrap_err().to_string();
    assert!(error.contains("was cut short"), "{error}");
    assert!(import(&file, &options).unwrap());
    let engine = Engine::open(options).unwrap();
    assert_eq!(engine.index("books").unwrap().primary_key.as_deref(), Some("id"));
}

#[test]
fn a_dump_that_cannot_be_written_fails_its_task() {
    let instance = small_instance();
    fs::write(instance.path().with_file_name("dumps"), "a file, not a folder").unwrap();
    let content = tasks::Content::DumpCreation { instance_uid: None };
    let task = instance.wait(&instance.enqueue(content));
    assert_eq!(task.status, tasks::Status::Failed);
    assert!(task.error.unwrap().message.contains("the folder of dumps"));
}
