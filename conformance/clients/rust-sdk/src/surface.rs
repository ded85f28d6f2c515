//! The public methods of the crate, read from its source: `SDK_SOURCE` is its folder.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::suite::Problem;

/// What carries requests is no part of what a user calls.
const CARRIERS: [&str; 3] = ["Method", "ReqwestClient", "ReaderStream"];

fn source() -> Result<PathBuf, Problem> {
    Ok(PathBuf::from(std::env::var("SDK_SOURCE")?))
}

pub fn version() -> Result<String, Problem> {
    let manifest = std::fs::read_to_string(source()?.join("Cargo.toml"))?;
    let line = manifest.lines().find(|line| line.starts_with("version = "));
    let version = line.and_then(|line| line.split('"').nth(1)).ok_or("a crate without version")?;
    Ok(version.to_owned())
}

/// `Owner.method` for every public method of every type.
pub fn methods() -> Result<BTreeSet<String>, Problem> {
    let mut methods = BTreeSet::new();
    for entry in std::fs::read_dir(source()?.join("src"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            collect(&std::fs::read_to_string(path)?, &mut methods);
        }
    }
    Ok(methods)
}

fn collect(text: &str, methods: &mut BTreeSet<String>) {
    let mut owner = String::new();
    // Tests stand at the end of a file.
    for line in text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")) {
        if line.starts_with("impl") {
            owner = owner_of(line);
        }
        let Some(rest) = line.strip_prefix("    pub ") else { continue };
        let rest = rest.trim_start_matches("async ").trim_start_matches("const ");
        let Some(rest) = rest.strip_prefix("fn ") else { continue };
        let name = rest.split(['(', '<']).next().unwrap_or_default();
        if !CARRIERS.contains(&owner.as_str()) {
            methods.insert(format!("{owner}.{name}"));
        }
    }
}

/// `impl<'a, Http: HttpClient> Query<'a, Http> {` → `Query`
fn owner_of(line: &str) -> String {
    let line = line.strip_prefix("impl").unwrap_or(line);
    let line = match line.starts_with('<') {
        true => after_brackets(line),
        false => line,
    };
    let line = line.split(" for ").last().unwrap_or(line).trim_start();
    line.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

fn after_brackets(line: &str) -> &str {
    let mut depth = 0;
    for (place, letter) in line.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &line[place + 1..];
        }
    }
    line
}
