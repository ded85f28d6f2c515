//! npm-packages: every package of the npm registry with its monthly downloads, most used first.
//!
//! Short documents, many of them; names made of words. Sources (MIT): `download-counts` and
//! `all-the-package-repos`. The id is the rank, because a package name is no valid document id.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use super::{Ndjson, pack};

pub const DOCS: usize = 3_771_841;

#[derive(Serialize)]
struct Package<'a> {
    id: usize,
    name: &'a str,
    words: String,
    downloads: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repo: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<&'a str>,
}

pub fn convert(packs: &Path, out: &mut Ndjson) -> Result<usize> {
    let counts = pack::read_member(packs, "download-counts", "2.20260301.0", "counts.json")?;
    let counts: HashMap<Box<str>, u64> = serde_json::from_slice(&counts)?;
    let repos =
        pack::read_member(packs, "all-the-package-repos", "2.0.3148", "data/packages.json")?;
    let repos: HashMap<Box<str>, Option<Box<str>>> = serde_json::from_slice(&repos)?;

    let mut ranked: Vec<_> = counts.iter().map(|(name, downloads)| (&**name, *downloads)).collect();
    ranked.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    for (id, (name, downloads)) in ranked.into_iter().enumerate() {
        let repo = repos.get(name).and_then(|repo| repo.as_deref());
        let (host, owner) = repo.map_or((None, None), host_and_owner);
        let words = words(name);
        out.push(&Package { id, name, words, downloads, scope: scope(name), repo, host, owner })?;
    }
    Ok(DOCS)
}

/// The name split at punctuation.
fn words(name: &str) -> String {
    let words: Vec<_> =
        name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// `babel` of `@babel/core`.
fn scope(name: &str) -> Option<&str> {
    name.strip_prefix('@')?.split_once('/').map(|(scope, _)| scope)
}

fn host_and_owner(repo: &str) -> (Option<&str>, Option<&str>) {
    let Some((_, rest)) = repo.split_once("://") else {
        return (None, None);
    };
    let mut parts = rest.split('/').map(|part| (!part.is_empty()).then_some(part));
    match parts.next().flatten() {
        Some(host) => (Some(host), parts.next().flatten()),
        None => (None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_names_and_addresses_apart() {
        assert_eq!(words("@babel/plugin-transform_x.js"), "babel plugin transform x js");
        assert_eq!(scope("@babel/core"), Some("babel"));
        assert_eq!(scope("core"), None);
        assert_eq!(host_and_owner("https://host.example/me/x"), (Some("host.example"), Some("me")));
        assert_eq!(host_and_owner("https://host.example"), (Some("host.example"), None));
        assert_eq!(host_and_owner("https:////.git"), (None, None));
    }
}
