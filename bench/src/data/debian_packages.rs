//! debian-packages: the packages of the Debian release of this machine, with their descriptions.
//!
//! A title, a text, facets and a number. `apt-get update` fetches the lists into a folder of their
//! own; a machine without apt can be given `*_Packages` and `*_Translation-en` there by hand.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use super::Ndjson;

/// The lists have a few thousand more, how many depends on the release.
pub const DOCS: usize = 60_000;

#[derive(Serialize)]
struct Package<'a> {
    id: usize,
    package: &'a str,
    section: &'a str,
    tags: Vec<&'a str>,
    summary: &'a str,
    description: String,
    installed_kb: u64,
}

pub fn convert(packs: &Path, out: &mut Ndjson) -> Result<usize> {
    let lists = packs.join("apt-lists");
    fetch(&lists)?;
    let packages = read_lists(&lists, "_Packages")?;
    let translations = read_lists(&lists, "_Translation-en")?;
    let long_texts: HashMap<&str, &str> = paragraphs(&translations)
        .filter_map(|paragraph| {
            Some((paragraph.get("Description-md5")?.trim(), *paragraph.get("Description-en")?))
        })
        .collect();
    let mut by_name: HashMap<&str, Fields<'_>> = HashMap::new();
    for fields in paragraphs(&packages) {
        if let Some(name) = fields.get("Package").map(|name| name.trim()) {
            by_name.entry(name).or_insert(fields);
        }
    }
    let mut names: Vec<&str> = by_name.keys().copied().collect();
    names.sort_unstable();
    ensure!(names.len() >= DOCS, "the lists of apt have only {} packages", names.len());
    for (id, name) in names.into_iter().take(DOCS).enumerate() {
        out.push(&package(id, name, &by_name[name], &long_texts))?;
    }
    Ok(DOCS)
}

fn package<'a>(
    id: usize,
    name: &'a str,
    fields: &Fields<'a>,
    long_texts: &HashMap<&str, &'a str>,
) -> Package<'a> {
    let field = |name: &str| fields.get(name).map_or("", |value| value.trim());
    let text = long_texts.get(field("Description-md5")).copied().unwrap_or_default();
    let (summary, rest) = text.split_once('\n').unwrap_or((text, ""));
    let lines = rest.lines().map(str::trim);
    let lines: Vec<&str> = lines.map(|line| if line == "." { "\n" } else { line }).collect();
    Package {
        id,
        package: name,
        section: field("Section"),
        tags: field("Tag").split(',').map(str::trim).filter(|tag| !tag.is_empty()).collect(),
        summary: if summary.trim().is_empty() { field("Description") } else { summary.trim() },
        description: lines.join(" "),
        installed_kb: field("Installed-Size").parse().unwrap_or_default(),
    }
}

fn fetch(lists: &Path) -> Result<()> {
    if lists.exists() {
        return Ok(());
    }
    println!("apt-get update, into a folder of its own");
    fs::create_dir_all(lists.join("partial"))?;
    let folder = format!("Dir::State::lists={}", fs::canonicalize(lists)?.display());
    let options = [
        &folder,
        "Acquire::Languages=en",
        "Acquire::GzipIndexes=false",
        "Dir::Cache::pkgcache=",
        "Dir::Cache::srcpkgcache=",
    ];
    let mut command = Command::new("apt-get");
    command.args(["update", "--quiet", "--quiet"]);
    for option in options {
        command.args(["-o", option]);
    }
    let status = command.status().with_context(|| {
        format!("the client `apt-get` is not there: put the lists of apt into {}", lists.display())
    })?;
    ensure!(status.success(), "apt-get update failed");
    Ok(())
}

/// All lists whose names end so, one after the other in the order of their names.
fn read_lists(folder: &Path, end: &str) -> Result<String> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(end) {
            paths.push(path);
        }
    }
    paths.sort();
    let mut text = String::new();
    for path in paths {
        text.push_str(&String::from_utf8_lossy(&fs::read(path)?));
        text.push_str("\n\n");
    }
    Ok(text)
}

type Fields<'a> = HashMap<&'a str, &'a str>;

/// The paragraphs of a control file: fields by their names, with the lines that continue them.
fn paragraphs(text: &str) -> impl Iterator<Item = Fields<'_>> {
    text.split("\n\n").map(|paragraph| {
        let mut fields = Fields::new();
        let mut rest = paragraph.trim_start_matches('\n');
        while let Some((name, value)) = rest.split_once(':') {
            let end = value
                .match_indices('\n')
                .find(|(place, _)| !value[place + 1..].starts_with([' ', '\t']))
                .map_or(value.len(), |(place, _)| place);
            fields.insert(name, &value[..end]);
            rest = value[end..].trim_start_matches('\n');
        }
        fields
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_paragraphs_of_fields() {
        let text =
            "Package: a\nTag: x::y, z,\n w\nSection: games\n\nPackage: b\nDescription-md5: 1\n";
        let found: Vec<_> = paragraphs(text).collect();
        assert_eq!(found[0]["Tag"], " x::y, z,\n w");
        assert_eq!(found[1]["Description-md5"], " 1");
    }

    #[test]
    fn puts_a_package_together() {
        let packages = "Package: a\nTag: x::y, z,\n w\nSection: games\nDescription-md5: 7\nInstalled-Size: 12\n";
        let fields = paragraphs(packages).next().unwrap();
        let texts = HashMap::from([("7", " A game\n of old.\n .\n With more.")]);
        let made = package(3, "a", &fields, &texts);
        assert_eq!(made.tags, ["x::y", "z", "w"]);
        assert_eq!((made.summary, made.installed_kb), ("A game", 12));
        assert_eq!(made.description, "of old. \n With more.");
    }
}
