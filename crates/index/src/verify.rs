//! Reads all files and lists their problems. Unlike opening, it continues after the first problem,
//! and it changes nothing: leftovers of a crash are not a problem and stay.

use std::collections::BTreeSet;

use roaring::RoaringBitmap;
use segment::columns::ColumnsReader;
use segment::documents::DocumentsReader;
use segment::geo::GeoReader;
use segment::text::TextReader;
use segment::{Directory, Problem};
use vectors::{Store, VectorsError};

use crate::file_name::FileName;
use crate::manifest::{self, Manifest};
use crate::segments::{self, FOREIGN_DOCUMENTS, SegmentEntry};
use crate::{deleted, field_names, recovery, settings};

/// Verifies the index in a folder; returns an empty list if all is well.
pub fn verify(directory: &dyn Directory) -> Vec<Problem> {
    let files = match directory.list() {
        Ok(files) => files,
        Err(error) => return vec![Problem::from(error)],
    };
    let Some(generation) = recovery::current_generation(&files) else {
        return vec![Problem::new("", "there is no manifest")];
    };
    let (manifest, _) = match manifest::read(directory, generation) {
        Ok(manifest) => manifest,
        Err(error) => return vec![Problem::from(error)],
    };
    let mut check = Check {
        directory,
        manifest_name: FileName::Manifest(generation).to_string(),
        problems: Vec::new(),
    };
    check.side_files(&manifest);
    check.segments(&manifest);
    check.embedders(&manifest);
    check.problems
}

/// Verifies only the dictionaries, before files from another source are searched. Everything else
/// is checked where it is used; dictionaries are read by a library that trusts them.
pub fn verify_dictionaries(directory: &dyn Directory) -> Vec<Problem> {
    let manifest = directory.list().and_then(|files| {
        let generation = recovery::current_generation(&files);
        generation.map(|generation| manifest::read(directory, generation)).transpose()
    });
    let manifest = match manifest {
        Ok(Some((manifest, _))) => manifest,
        Ok(None) => return vec![Problem::new("", "there is no manifest")],
        Err(error) => return vec![Problem::from(error)],
    };
    let mut check = Check { directory, manifest_name: String::new(), problems: Vec::new() };
    for entry in &manifest.segments {
        let text = FileName::text(entry.number, entry.text).to_string();
        let text = check.note(TextReader::open(directory, &text));
        check.problems.extend(text.and_then(|text| text.verify_dictionary()));
        for &generation in &entry.columns {
            let name = FileName::columns(entry.number, generation).to_string();
            let columns = check.note(ColumnsReader::open(directory, &name));
            let found = columns.map(|columns| columns.verify_dictionaries());
            check.problems.extend(found.unwrap_or_default());
        }
    }
    check.problems
}

struct Check<'d> {
    directory: &'d dyn Directory,
    manifest_name: String,
    problems: Vec<Problem>,
}

impl Check<'_> {
    fn side_files(&mut self, manifest: &Manifest) {
        if let Some(generation) = manifest.fields_file {
            let name = FileName::fields(generation).to_string();
            let read = field_names::read(self.directory, &name);
            self.note(read);
        }
        if let Some(generation) = manifest.settings_file {
            let name = FileName::settings(generation).to_string();
            let read = settings::read(self.directory, &name);
            self.note(read);
        }
    }

    fn segments(&mut self, manifest: &Manifest) {
        let mut numbers = BTreeSet::new();
        let mut live = RoaringBitmap::new();
        for entry in &manifest.segments {
            if !numbers.insert(entry.number) || entry.number >= manifest.next_segment {
                self.manifest_problem(format!("segment number {} is out of order", entry.number));
            }
            let Some(live_here) = self.segment(entry) else {
                continue;
            };
            if !live.is_disjoint(&live_here) {
                self.manifest_problem(format!(
                    "segment {} has documents that another segment has too",
                    entry.number
                ));
            }
            live |= live_here;
        }
    }

    /// Returns the live documents of a segment, if it can be read.
    fn segment(&mut self, entry: &SegmentEntry) -> Option<RoaringBitmap> {
        let mut deleted = entry.deleted.clone();
        if let Some(generation) = entry.deleted_file {
            let name = FileName::deleted(entry.number, generation).to_string();
            let read = deleted::read(self.directory, &name);
            if let Some((ids, _)) = self.note(read) {
                deleted |= ids;
            }
        }
        let name = FileName::documents(entry.number, entry.documents).to_string();
        let opened = DocumentsReader::open(self.directory, &name);
        let documents = self.note(opened);
        self.problems.extend(documents.iter().flat_map(DocumentsReader::verify));
        self.columns(entry, documents.as_ref());
        let name = FileName::text(entry.number, entry.text).to_string();
        let opened = TextReader::open(self.directory, &name);
        let text = self.note(opened);
        let geo = entry.geo.and_then(|generation| {
            let name = FileName::geo(entry.number, generation).to_string();
            let opened = GeoReader::open(self.directory, &name);
            self.note(opened)
        });
        self.problems.extend(geo.iter().flat_map(GeoReader::verify));
        if let Some(text) = text {
            self.problems.extend(text.verify());
            let said = documents.as_ref().and_then(|documents| {
                segments::contradiction(documents, &text, geo.as_ref(), &deleted)
            });
            self.problems.extend(said.map(|(name, what)| Problem::new(name, what)));
        }
        Some(documents?.doc_ids() - &deleted)
    }

    fn columns(&mut self, entry: &SegmentEntry, documents: Option<&DocumentsReader>) {
        for &generation in &entry.columns {
            let name = FileName::columns(entry.number, generation).to_string();
            let opened = ColumnsReader::open(self.directory, &name);
            let Some(columns) = self.note(opened) else {
                continue;
            };
            self.problems.extend(columns.verify());
            let is_foreign = |documents| segments::has_foreign_documents(&columns, documents);
            if documents.is_some_and(is_foreign) {
                self.problems.push(Problem::new(&name, FOREIGN_DOCUMENTS));
            }
        }
    }

    fn embedders(&mut self, manifest: &Manifest) {
        for entry in &manifest.embedders {
            let name = FileName::vectors_of(entry.number);
            match Store::open(self.directory, &name, &entry.store) {
                Ok(store) => self.problems.extend(store.verify()),
                Err(VectorsError::Segment(error)) => self.problems.push(Problem::from(error)),
                Err(error) => self.problems.push(Problem::new(&name, error.to_string())),
            }
        }
    }

    fn note<T>(&mut self, result: segment::Result<T>) -> Option<T> {
        result.map_err(|error| self.problems.push(Problem::from(error))).ok()
    }

    fn manifest_problem(&mut self, what: String) {
        self.problems.push(Problem::new(&self.manifest_name, what));
    }
}
