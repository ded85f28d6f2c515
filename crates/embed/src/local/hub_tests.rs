use std::cell::RefCell;
use std::collections::HashMap;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// A fake hub with one model, `owner/name`.
struct Fake {
    files: HashMap<&'static str, String>,
    asked: RefCell<Vec<String>>,
}

impl Fake {
    fn new(names: &[&'static str]) -> Self {
        let files = names.iter().map(|name| (*name, format!("content of {name}"))).collect();
        Self { files, asked: RefCell::default() }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.take()
    }
}

impl Fetch for Fake {
    fn fetch(
        &self,
        url: &str,
        token: Option<&str>,
        into: &mut dyn Write,
    ) -> Result<(), FetchError> {
        assert_eq!(token, Some("secret"));
        let path = url.strip_prefix("https://hub.test/").unwrap();
        self.asked.borrow_mut().push(path.to_owned());
        if path.starts_with("api/models/owner/name/revision/") {
            let siblings: Vec<Value> =
                self.files.keys().map(|name| json!({"rfilename": name})).collect();
            let listing = json!({"id": "owner/name", "sha": COMMIT, "siblings": siblings});
            into.write_all(listing.to_string().as_bytes()).unwrap();
            return Ok(());
        }
        let name = path.strip_prefix(&format!("owner/name/resolve/{COMMIT}/"));
        let content = name.and_then(|name| self.files.get(name)).ok_or(FetchError::NotFound)?;
        into.write_all(content.as_bytes()).unwrap();
        if content.contains("breaks off") {
            return Err(FetchError::Failed("the connection was lost".to_owned()));
        }
        Ok(())
    }
}

fn hub(cache: &TempDir) -> Hub {
    Hub {
        endpoint: "https://hub.test".to_owned(),
        cache: cache.path().to_owned(),
        token: Some("secret".to_owned()),
    }
}

const FILES: [&str; 5] =
    ["config.json", "tokenizer.json", "modules.json", "model.safetensors", "onnx/model.onnx"];

#[test]
fn a_model_is_fetched_once_into_the_usual_folder() {
    let cache = tempfile::tempdir().unwrap();
    let fake = Fake::new(&FILES);
    let folder = hub(&cache).folder("owner/name", None, &fake).unwrap();
    let model = cache.path().join("models--owner--name");
    assert_eq!(folder.path(""), model.join("snapshots").join(COMMIT).join(""));
    for name in ["config.json", "tokenizer.json", "modules.json", "model.safetensors"] {
        let content = fs::read_to_string(folder.path(name)).unwrap();
        assert_eq!(content, format!("content of {name}"));
    }
    assert!(!folder.path("onnx/model.onnx").exists());
    assert_eq!(fs::read_to_string(model.join("refs/main")).unwrap(), COMMIT);
    assert!(model.join(".no_exist").join(COMMIT).join("1_Pooling/config.json").is_file());
    assert_eq!(fake.asked()[0], "api/models/owner/name/revision/main");

    hub(&cache).folder("owner/name", None, &fake).unwrap();
    hub(&cache).folder("owner/name", Some("main"), &fake).unwrap();
    hub(&cache).folder("owner/name", Some(COMMIT), &fake).unwrap();
    assert_eq!(fake.asked(), Vec::<String>::new());
}

#[test]
fn missing_cached_files_are_downloaded() {
    let cache = tempfile::tempdir().unwrap();
    let fake = Fake::new(&FILES);
    let folder = hub(&cache).folder("owner/name", Some("refs/pr/7"), &fake).unwrap();
    assert_eq!(fake.asked()[0], "api/models/owner/name/revision/refs%2Fpr%2F7");
    fs::remove_file(folder.path("tokenizer.json")).unwrap();
    hub(&cache).folder("owner/name", Some("refs/pr/7"), &fake).unwrap();
    assert_eq!(
        fake.asked(),
        [
            "api/models/owner/name/revision/refs%2Fpr%2F7".to_owned(),
            format!("owner/name/resolve/{COMMIT}/tokenizer.json")
        ]
    );
}

#[test]
fn weights_in_several_files_are_all_fetched() {
    let cache = tempfile::tempdir().unwrap();
    let mut fake = Fake::new(&["config.json", "tokenizer.json", "a.safetensors", "b.safetensors"]);
    let map =
        json!({"weight_map": {"x": "a.safetensors", "y": "b.safetensors", "z": "a.safetensors"}});
    fake.files.insert(WEIGHTS_INDEX, map.to_string());
    let folder = hub(&cache).folder("owner/name", None, &fake).unwrap();
    assert!(folder.path("a.safetensors").is_file() && folder.path("b.safetensors").is_file());
    fake.asked();
    fs::remove_file(folder.path("b.safetensors")).unwrap();
    hub(&cache).folder("owner/name", None, &fake).unwrap();
    assert_eq!(fake.asked().len(), 2);
}

#[test]
fn partial_download_is_not_used() {
    let cache = tempfile::tempdir().unwrap();
    let mut fake = Fake::new(&FILES);
    fake.files.insert("model.safetensors", "breaks off".to_owned());
    let problem = hub(&cache).folder("owner/name", None, &fake).err().unwrap();
    assert_eq!(problem.text, "cannot fetch `model.safetensors`: the connection was lost");
    assert!(problem.is_passing);
    let snapshot = cache.path().join("models--owner--name/snapshots").join(COMMIT);
    assert!(fs::read_dir(&snapshot).unwrap().all(|file| {
        !file.unwrap().file_name().to_str().unwrap().starts_with("model.safetensors")
    }));
    fake.files.insert("model.safetensors", "whole".to_owned());
    hub(&cache).folder("owner/name", None, &fake).unwrap();
}

#[test]
fn missing_hub_files_are_named() {
    let cache = tempfile::tempdir().unwrap();
    let problem = |names: &[&'static str]| {
        hub(&cache).folder("owner/name", None, &Fake::new(names)).err().unwrap().text
    };
    assert_eq!(problem(&["config.json"]), "there is no `tokenizer.json` at the hub");
    assert_eq!(
        problem(&["config.json", "tokenizer.json"]),
        "there is neither `model.safetensors` nor `pytorch_model.bin` at the hub"
    );
    let problem = hub(&cache).folder("owner/other", None, &Fake::new(&FILES)).err().unwrap();
    assert!(!problem.is_passing && problem.text.contains("has no such model"), "{}", problem.text);
}

#[test]
fn names_lead_nowhere_else() {
    let cache = tempfile::tempdir().unwrap();
    let fake = Fake::new(&FILES);
    for name in ["", "..", "../name", "owner/../x", "a/b/c", "owner/name?x", "/owner", "own er/x"] {
        assert!(hub(&cache).folder(name, None, &fake).is_err(), "{name}");
    }
    for revision in ["", "..", "../main", "a//b", "main#x"] {
        assert!(hub(&cache).folder("owner/name", Some(revision), &fake).is_err(), "{revision}");
    }
    assert_eq!(fake.asked(), Vec::<String>::new());
}

#[test]
fn stopped_download_ends() {
    // Takes connections and says nothing.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/file", silent.local_addr().unwrap());
    let client = outbound::Client::new(outbound::AddressPolicy::Any).unwrap();
    let begun = std::time::Instant::now();
    let cancel = Cancel::new().or_when(move || begun.elapsed() > Duration::from_millis(100));
    let downloads = HttpFetch { client: &client, cancel: &cancel };
    assert!(downloads.fetch(&url, None, &mut Vec::new()).is_err());
    assert!(begun.elapsed() < TIMEOUT / 2);
}
