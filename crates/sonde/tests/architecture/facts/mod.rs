//! Facts that are stated once: the names of search parameters, settings and ranking rules stand in no more
//! production files than the pages `docs/adding-a-*.md` list.

mod parameters;
mod settings;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The production code of all crates and of the dashboard by path within `crates`, without comments and
/// tests.
fn production_code() -> BTreeMap<String, String> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for name in super::manifests().into_keys() {
        super::collect_files(&crates.join(name).join("src"), &mut files);
    }
    super::collect_files(&crates.join("server/assets/dashboard"), &mut files);
    let is_code = |path: &str| path.ends_with(".rs") || path.ends_with(".js");
    let mut texts = BTreeMap::new();
    for file in files {
        let path = file.strip_prefix(&crates).expect("a file of a crate").to_string_lossy();
        if is_code(&path) && !path.contains("tests") {
            texts.insert(path.into_owned(), code_of(&file));
        }
    }
    texts
}

/// A file without comments and without the tests at its end.
fn code_of(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("a source file");
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}
