//! Dumps as the tests see them: everything that is in them, and ones that they put together.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use dump::{Archive, DumpWriter};
use engine::dumps::import_dump;
use engine::{EngineOptions, Import, OpenError};
use serde_json::Value;
use tasks::{Content, Details, Status};

use crate::support::Instance;

/// The lines of each entry; a file of one object is one line.
pub type Lines = BTreeMap<String, Vec<Value>>;

/// Makes a dump and gives where it is.
pub fn dump(instance: &Instance) -> PathBuf {
    let task = instance.wait(&instance.enqueue(Content::DumpCreation { instance_uid: None }));
    assert_eq!(task.status, Status::Succeeded, "{:?}", task.error);
    let Details::DumpCreation { dump_uid: Some(uid) } = task.details else {
        panic!("the task does not name its dump: {:?}", task.details);
    };
    instance.path().with_file_name("dumps").join(format!("{uid}.dump"))
}

pub fn read(path: &Path) -> Lines {
    let mut archive = Archive::open(path).expect("a dump");
    let mut all = Lines::new();
    while let Some(head) = archive.next_entry().expect("an entry") {
        let mut lines = Vec::new();
        let read: Result<(), dump::DumpError> = archive.for_each_line(|line| {
            // Bodies of tasks are anything.
            let text = String::from_utf8_lossy(line).into_owned();
            lines.push(serde_json::from_str(&text).unwrap_or(Value::String(text)));
            Ok(())
        });
        read.expect("lines");
        all.insert(head.name, lines);
    }
    archive.finish().expect("a whole dump");
    all
}

/// An archive of these entries, in this order.
pub fn archive_of(path: &Path, entries: &[(&str, String)]) {
    let mut writer = DumpWriter::create(path, 0).expect("a file");
    for (name, text) in entries {
        writer.bytes(name, text.as_bytes()).expect("an entry");
    }
    writer.finish().expect("an archive");
}

pub fn import(file: &Path, options: &EngineOptions) -> Result<bool, OpenError> {
    let (ignore_missing, ignore_if_db_exists) = (false, false);
    import_dump(&Import { file: file.to_owned(), ignore_missing, ignore_if_db_exists }, options)
}

/// An instance made from a dump, started.
pub fn imported(file: &Path) -> Instance {
    let mut instance = Instance::new();
    instance.stop();
    fs::remove_dir_all(instance.path()).expect("an empty instance can go");
    let options = EngineOptions::new(instance.path());
    assert!(import(file, &options).expect("the dump is imported"));
    instance.start();
    instance
}
