//! The limits of requests, with the memory budgets and semaphores that requests share.

use std::num::NonZeroUsize;

use tokio::sync::Semaphore;

use super::body_memory::BodyMemoryBudget;
use crate::bounds::Bounds;

/// How many bodies of the largest size fit into memory at the same time.
const LARGEST_AT_ONCE: u64 = 4;

#[derive(Debug)]
pub struct Limits {
    pub bounds: Bounds,
    /// Memory for JSON bodies of routes that write.
    bodies: BodyMemoryBudget,
    /// Memory for bodies and answers of routes that search and read.
    pub searches: BodyMemoryBudget,
    /// Memory for bodies being received: windows of decoders, pieces of documents.
    pub uploads: BodyMemoryBudget,
    /// Bounds how many single documents are read at the same time.
    pub reads: Semaphore,
    /// Bounds how many large bodies are parsed at the same time.
    pub parsing: Semaphore,
}

/// Returns how many CPU-bound jobs may run at once. More threads would not be faster, and every
/// thread keeps some of the memory it has used.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get).max(4)
}

/// The limits of one kind of JSON body.
#[derive(Debug, Clone, Copy)]
pub struct BodyLimits<'a> {
    pub size: u64,
    /// The option that limits the size, unless it is the one for all bodies.
    pub size_option: Option<&'static str>,
    pub budget: &'a BodyMemoryBudget,
    pub limits: &'a Limits,
}

impl Limits {
    pub fn new(bounds: Bounds) -> Self {
        Self {
            bodies: BodyMemoryBudget::of(
                bounds.payload_size.saturating_mul(LARGEST_AT_ONCE),
                "--http-payload-size-limit",
            ),
            searches: BodyMemoryBudget::of(bounds.search_memory, "--http-search-memory"),
            uploads: BodyMemoryBudget::of(bounds.upload_memory, "--http-upload-memory"),
            reads: Semaphore::new(processors()),
            parsing: Semaphore::new(processors()),
            bounds,
        }
    }

    pub fn writing(&self) -> BodyLimits<'_> {
        let size = self.bounds.payload_size;
        BodyLimits { size, size_option: None, budget: &self.bodies, limits: self }
    }

    pub fn searching(&self) -> BodyLimits<'_> {
        // Lowering the limit of all bodies lowers this one too.
        let size = self.bounds.search_payload_size.min(self.bounds.payload_size);
        let size_option =
            (size < self.bounds.payload_size).then_some("--http-search-payload-size-limit");
        BodyLimits { size, size_option, budget: &self.searches, limits: self }
    }
}
