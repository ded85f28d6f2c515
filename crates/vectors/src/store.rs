//! The vectors of one embedder of one index, as of one commit. A store never changes: a writer
//! makes the next one, a merge makes an equal one of fewer files, and searches that hold this one
//! go on undisturbed.

use std::sync::Arc;

use roaring::RoaringBitmap;
use segment::{Directory, DocId};

use crate::entry::{self, FileEntry, StoreEntry};
use crate::error::{Result, VectorsError};
use crate::file::VectorFile;
use crate::graph::{Graph, GraphFile};
use crate::options::StoreOptions;
use crate::placed::{Placed, PlacedFiles};
use crate::space::Space;

/// Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store(Arc<State>);

#[derive(Debug)]
pub(crate) struct State {
    pub entry: StoreEntry,
    pub space: Space,
    pub files: PlacedFiles,
    pub graph: Arc<Graph>,
    documents: RoaringBitmap,
}

impl State {
    pub fn documents(&self) -> &RoaringBitmap {
        &self.documents
    }
}

/// A file that a store needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreFile {
    pub name: String,
    pub length: u64,
}

impl Store {
    /// A store without vectors. It has no files.
    pub fn new(options: StoreOptions) -> Self {
        Self(Arc::new(State {
            entry: StoreEntry::empty(options),
            space: Space::new(options),
            files: PlacedFiles::default(),
            graph: Arc::new(Graph::new(None, None, 0)),
            documents: RoaringBitmap::new(),
        }))
    }

    /// Opens the store that a manifest describes; `name` begins the names of its files.
    pub fn open(directory: &dyn Directory, name: &str, entry: &StoreEntry) -> Result<Self> {
        let mut files = PlacedFiles::default();
        for file_entry in &entry.files {
            let file_name = entry::vectors_name(name, file_entry.generation);
            let file = Arc::new(VectorFile::open(directory, &file_name)?);
            if file.meta().options != entry.options {
                return Err(file.damaged("it has vectors of another kind").into());
            }
            if file_entry.first_node < files.end() {
                return Err(file.damaged("its nodes are those of another file").into());
            }
            files = files.followed_by(Placed::new(file_entry.clone(), file)?)?;
        }
        let graph = match entry.graph {
            Some(generation) => {
                let name = entry::graph_name(name, generation);
                Some(Arc::new(GraphFile::open(directory, &name)?))
            }
            None => None,
        };
        for placed in files.iter() {
            if graph.as_ref().is_some_and(|graph| placed.end() <= graph.rows(0)) {
                placed.set_entered();
            }
        }
        let graph = Arc::new(Graph::new(graph, entry.graph, files.end()));
        Ok(Self::from_parts(entry.options, files, graph))
    }

    pub(crate) fn from_parts(options: StoreOptions, files: PlacedFiles, graph: Arc<Graph>) -> Self {
        let mut entry = StoreEntry::empty(options);
        entry.files = files.iter().map(|placed| placed.entry.clone()).collect();
        entry.graph = graph.generation();
        let documents = files.documents();
        Self(Arc::new(State { entry, space: Space::new(options), files, graph, documents }))
    }

    pub(crate) fn state(&self) -> &State {
        &self.0
    }

    /// What the manifest has to keep.
    pub fn entry(&self) -> &StoreEntry {
        &self.0.entry
    }

    /// Every file that the store needs.
    pub fn files(&self) -> Vec<StoreFile> {
        let vectors = self.0.files.iter().map(|placed| StoreFile {
            name: placed.file.name().to_owned(),
            length: placed.file.length(),
        });
        let graph = self
            .0
            .graph
            .file()
            .map(|file| StoreFile { name: file.name().to_owned(), length: file.length() });
        vectors.chain(graph).collect()
    }

    /// Bytes of its files.
    pub fn bytes(&self) -> u64 {
        self.files().iter().map(|file| file.length).sum()
    }

    pub fn options(&self) -> &StoreOptions {
        &self.0.entry.options
    }

    /// The documents that have vectors.
    pub fn documents(&self) -> &RoaringBitmap {
        &self.0.documents
    }

    pub fn number_of_vectors(&self) -> u64 {
        self.0.files.live_rows()
    }

    /// The vectors of a document in the order in which they were given; quantised: zeros and ones.
    pub fn vectors_of(&self, doc_id: DocId) -> Result<Vec<Vec<f32>>> {
        for placed in self.0.files.iter() {
            if let Some(rows) = placed.rows_of(doc_id)? {
                return rows.map(|row| Ok(self.0.space.decode(placed.file.row(row)?))).collect();
            }
        }
        Ok(Vec::new())
    }

    /// The store with the file of one more commit.
    pub(crate) fn with_file(&self, generation: u64, file: Arc<VectorFile>) -> Result<Self> {
        let first_node = self.0.graph.take_nodes(file.rows())?;
        let entry = FileEntry { generation, first_node, sparse: false };
        let files = self.0.files.followed_by(Placed::new(entry, file)?)?;
        Ok(Self::from_parts(*self.options(), files, self.0.graph.clone()))
    }

    /// Reads everything and lists what is wrong.
    pub fn verify(&self) -> Vec<segment::Problem> {
        let vectors = self.0.files.iter().flat_map(|placed| placed.file.verify());
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
