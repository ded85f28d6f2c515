//! Fetching files of a Debian package: `apt-get download NAME`, then read them out of it.
//!
//! The ordinary clients are used, as in `pack`. A package file put into `bench/data/packs` by
//! hand is taken as it is.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// The files directly in the folder `inside` (without a leading `/`) of the package, by name.
pub fn read_folder(packs: &Path, name: &str, inside: &str) -> Result<HashMap<String, Vec<u8>>> {
    let pack = fetch(packs, name)?;
    let mut child = Command::new("dpkg-deb")
        .arg("--fsys-tarfile")
        .arg(&pack)
        .stdout(Stdio::piped())
        .spawn()
        .context("starting dpkg-deb")?;
    let mut archive = tar::Archive::new(child.stdout.take().context("no output of dpkg-deb")?);
    let mut files = HashMap::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        let path = path.strip_prefix("./").unwrap_or(&path);
        if path.parent() == Some(Path::new(inside))
            && entry.header().entry_type().is_file()
            && let Some(name) = path.file_name().and_then(|name| name.to_str())
        {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            files.insert(name.to_owned(), bytes);
        }
    }
    // What stands behind the end of the archive is read as well, or dpkg-deb would complain.
    std::io::copy(&mut archive.into_inner(), &mut std::io::sink())?;
    ensure!(child.wait()?.success(), "dpkg-deb cannot read {}", pack.display());
    Ok(files)
}

fn fetch(packs: &Path, name: &str) -> Result<PathBuf> {
    if let Some(pack) = present(packs, name)? {
        return Ok(pack);
    }
    println!("apt-get download {name}");
    let status = Command::new("apt-get")
        .args(["download", "--quiet", "--quiet", name])
        .current_dir(packs)
        .status()
        .with_context(|| {
            format!("the client `apt-get` is not there: put {name}_*.deb into bench/data/packs")
        })?;
    ensure!(status.success(), "apt-get download {name} failed");
    present(packs, name)?.with_context(|| format!("apt-get has not left {name} behind"))
}

/// The version in the file's name is whatever the distribution has.
fn present(packs: &Path, name: &str) -> Result<Option<PathBuf>> {
    fs::create_dir_all(packs)?;
    for entry in fs::read_dir(packs)? {
        let entry = entry?;
        let file_name = entry.file_name();
        let file_name = file_name.to_string_lossy();
        if file_name.starts_with(&format!("{name}_")) && file_name.ends_with(".deb") {
            return Ok(Some(entry.path()));
        }
    }
    Ok(None)
}
