//! Describes a file of an index folder for people.

use std::fmt::Write;

use model::size::human_binary;
use model::timestamp::rfc3339;
use segment::Directory;

use crate::error::Result;
use crate::file_name::{self, FileName};
use crate::manifest::{self, Manifest};
use crate::{deleted, field_names, settings};

/// Names shown of a long list.
const NAMES_SHOWN: usize = 20;

pub fn inspect(directory: &dyn Directory, file: &str) -> Result<String> {
    let text = match FileName::parse(file) {
        Some(FileName::Manifest(_) | FileName::ManifestDraft(_)) => {
            let (manifest, length) = manifest::parse(file, directory.open(file)?)?;
            describe_manifest(file, &manifest, length)
        }
        Some(FileName::Component { segment, component, .. }) if component == file_name::DELETED => {
            let (ids, length) = deleted::read(directory, file)?;
            format!(
                "{file}: {} deleted documents of segment {segment}, {}\n",
                ids.len(),
                human_binary(length)
            )
        }
        Some(FileName::Side { what, .. }) if what == file_name::FIELDS => {
            let (names, length) = field_names::read(directory, file)?;
            let names: Vec<&str> = names.iter().map(|name| &**name).collect();
            format!(
                "{file}: {} field names, {}: {}\n",
                names.len(),
                human_binary(length),
                first_of(&names)
            )
        }
        Some(FileName::Side { .. }) => {
            let (mut value, length) = settings::read(directory, file)?;
            if let Some(settings) = value.as_object_mut() {
                ::settings::hide_secrets(settings);
            }
            format!("{file}: settings, {}\n{value:#}\n", human_binary(length))
        }
        Some(FileName::Component { .. } | FileName::Vectors { .. }) | None => {
            let bytes = directory.open(file)?;
            if FileName::parse(file).is_none() && !segment::is_framed(&bytes) {
                return Ok(format!("{file}: not a file of an index\n"));
            }
            let mut text = segment::inspect(&bytes, file);
            text.push_str(&vectors::inspect(&bytes, file).unwrap_or_default());
            text
        }
    };
    Ok(text)
}

fn describe_manifest(file: &str, manifest: &Manifest, length: u64) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_manifest(&mut text, file, manifest, length);
    text
}

fn write_manifest(
    text: &mut String,
    file: &str,
    manifest: &Manifest,
    length: u64,
) -> std::fmt::Result {
    let fields: Vec<&str> = manifest.fields.iter().map(|name| &**name).collect();
    writeln!(
        text,
        "{file}: manifest, generation {}, {}",
        manifest.generation,
        human_binary(length)
    )?;
    writeln!(text, "created      {}", rfc3339(manifest.created_at))?;
    writeln!(text, "updated      {}", rfc3339(manifest.updated_at))?;
    writeln!(text, "primary key  {}", manifest.primary_key.as_deref().unwrap_or("none"))?;
    writeln!(text, "receipt      {} bytes", manifest.receipt.len())?;
    match manifest.settings_file {
        Some(generation) => writeln!(text, "settings     in {}", FileName::settings(generation))?,
        None => {
            let mut settings = manifest.settings.clone();
            if let Some(settings) = settings.as_object_mut() {
                ::settings::hide_secrets(settings);
            }
            writeln!(text, "settings     {settings}")?;
        }
    }
    if let Some(generation) = manifest.fields_file {
        writeln!(text, "fields       in {}", FileName::fields(generation))?;
    }
    writeln!(text, "fields       {} here: {}", fields.len(), first_of(&fields))?;
    writeln!(text, "next segment {}", manifest.next_segment)?;
    writeln!(text, "segments     {}", manifest.segments.len())?;
    for entry in &manifest.segments {
        let documents = FileName::documents(entry.number, entry.documents);
        let words = FileName::text(entry.number, entry.text);
        write!(text, "  {documents}, {words}")?;
        for &generation in &entry.columns {
            write!(text, ", {}", FileName::columns(entry.number, generation))?;
        }
        if let Some(generation) = entry.geo {
            write!(text, ", {}", FileName::geo(entry.number, generation))?;
        }
        write!(text, ", {} deleted here", entry.deleted.len())?;
        if let Some(generation) = entry.deleted_file {
            write!(text, ", more in {}", FileName::deleted(entry.number, generation))?;
        }
        writeln!(text)?;
    }
    for entry in &manifest.embedders {
        let files = serde_json::to_string(&entry.store).unwrap_or_default();
        writeln!(
            text,
            "  embedder {}: {}, {files}",
            entry.name,
            FileName::vectors_of(entry.number)
        )?;
    }
    Ok(())
}

fn first_of(names: &[&str]) -> String {
    let shown = names.len().min(NAMES_SHOWN);
    let more = if names.len() > shown { ", …" } else { "" };
    format!("{}{more}", names[..shown].join(", "))
}
