//! The vectors of one embedder of one index, as of one commit. A store never changes: a writer
//! builds the next one, a merge an equal one of fewer files, and searches that hold this one
//! continue undisturbed.

use std::sync::Arc;

use roaring::RoaringBitmap;
use segment::{Directory, DocId};

use crate::entry::{self, FileEntry, StoreEntry};
use crate::error::{Result, VectorsError};
use crate::file::VectorFile;
use crate::graph::{Graph, GraphFile};
use crate::numbered_files::{NumberedFile, NumberedFiles};
use crate::options::StoreOptions;
use crate::space::Space;

/// Immutable set of vectors; cheap to clone.
#[derive(Debug, Clone)]
pub struct Store(Arc<State>);

#[derive(Debug)]
pub(crate) struct State {
    pub entry: StoreEntry,
    pub space: Space,
    pub files: NumberedFiles,
    pub graph: Arc<Graph>,
    documents: RoaringBitmap,
}

impl State {
    pub fn documents(&self) -> &RoaringBitmap {
        &self.documents
    }
}

/// File that a store needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreFile {
    pub name: String,
    pub length: u64,
}

impl Store {
    /// Creates a store without vectors. It has no files.
    pub fn new(options: StoreOptions) -> Self {
        Self(Arc::new(State {
            entry: StoreEntry::empty(options),
            space: Space::new(options),
            files: NumberedFiles::default(),
            graph: Arc::new(Graph::new(None, None, 0)),
            documents: RoaringBitmap::new(),
        }))
    }

    /// Opens the store that a manifest describes; `name` is the prefix of its file names.
    pub fn open(directory: &dyn Directory, name: &str, entry: &StoreEntry) -> Result<Self> {
        let mut files = NumberedFiles::default();
        for file_entry in &entry.files {
            let file_name = entry::vectors_name(name, file_entry.generation);
            let file = Arc::new(VectorFile::open(directory, &file_name)?);
            if file.meta().options != entry.options {
                return Err(file.damaged("it has vectors of another kind").into());
            }
            if file_entry.first_node < files.end() {
                return Err(file.damaged("its nodes belong to another file").into());
            }
            files = files.followed_by(NumberedFile::new(file_entry.clone(), file)?)?;
        }
        let graph = match entry.graph {
            Some(generation) => {
                let name = entry::graph_name(name, generation);
                Some(Arc::new(GraphFile::open(directory, &name)?))
            }
            None => None,
        };
        for numbered in files.iter() {
            if graph.as_ref().is_some_and(|graph| numbered.end() <= graph.rows(0)) {
                numbered.set_inserted();
            }
        }
        let graph = Arc::new(Graph::new(graph, entry.graph, files.end()));
        Ok(Self::from_parts(entry.options, files, graph))
    }

    pub(crate) fn from_parts(
        options: StoreOptions,
        files: NumberedFiles,
        graph: Arc<Graph>,
    ) -> Self {
        let mut entry = StoreEntry::empty(options);
        entry.files = files.iter().map(|numbered| numbered.entry.clone()).collect();
        entry.graph = graph.generation();
        let documents = files.documents();
        Self(Arc::new(State { entry, space: Space::new(options), files, graph, documents }))
    }

    pub(crate) fn state(&self) -> &State {
        &self.0
    }

    /// Returns the manifest entry.
    pub fn entry(&self) -> &StoreEntry {
        &self.0.entry
    }

    /// Returns every file that the store needs.
    pub fn files(&self) -> Vec<StoreFile> {
        let vectors = self.0.files.iter().map(|numbered| StoreFile {
            name: numbered.file.name().to_owned(),
            length: numbered.file.length(),
        });
        let graph = self
            .0
            .graph
            .file()
            .map(|file| StoreFile { name: file.name().to_owned(), length: file.length() });
        vectors.chain(graph).collect()
    }

    /// Returns the total size of its files in bytes.
    pub fn bytes(&self) -> u64 {
        self.files().iter().map(|file| file.length).sum()
    }

    pub fn options(&self) -> &StoreOptions {
        &self.0.entry.options
    }

    /// Returns the documents that have vectors.
    pub fn documents(&self) -> &RoaringBitmap {
        &self.0.documents
    }

    pub fn number_of_vectors(&self) -> u64 {
        self.0.files.live_rows()
    }

    /// Returns the vectors of a document in the given order; if quantised, zeros and ones.
    pub fn vectors_of(&self, doc_id: DocId) -> Result<Vec<Vec<f32>>> {
        for numbered in self.0.files.iter() {
            if let Some(rows) = numbered.rows_of(doc_id)? {
                return rows.map(|row| Ok(self.0.space.decode(numbered.file.row(row)?))).collect();
            }
        }
        Ok(Vec::new())
    }

    /// Returns the store with the file of one more commit.
    pub(crate) fn with_file(&self, generation: u64, file: Arc<VectorFile>) -> Result<Self> {
        let first_node = self.0.graph.take_nodes(file.rows())?;
        let entry = FileEntry { generation, first_node, sparse: false };
        let files = self.0.files.followed_by(NumberedFile::new(entry, file)?)?;
        Ok(Self::from_parts(*self.options(), files, self.0.graph.clone()))
    }

    /// Reads everything and lists its problems.
    pub fn verify(&self) -> Vec<segment::Problem> {
        let vectors = self.0.files.iter().flat_map(|numbered| numbered.file.verify());
        vectors.chain(self.0.graph.file().into_iter().flat_map(|graph| graph.verify())).collect()
    }

    /// Reads the graph into memory, so that the first searches need not wait for the disk.
    pub fn preload(&self) -> Result<()> {
        self.0.graph.file().map_or(Ok(()), |file| file.preload())
    }

    pub(crate) fn check_dimensions(&self, vector: &[f32]) -> Result<()> {
        let expected = self.options().dimensions;
        if vector.len() != expected {
            return Err(VectorsError::Dimensions { expected, found: vector.len() });
        }
        Ok(())
    }
}
