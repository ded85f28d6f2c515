//! The limits in force for requests, with the memory that they share.

use std::num::NonZeroUsize;

use tokio::sync::Semaphore;

use super::room::Room;
use crate::bounds::Bounds;

/// Bodies of the largest size that fit into memory at the same time.
const LARGEST_AT_ONCE: u64 = 4;

#[derive(Debug)]
pub struct Limits {
    pub bounds: Bounds,
    /// For JSON bodies of routes that write.
    bodies: Room,
    /// For bodies and answers of routes that search and read.
    pub searches: Room,
    /// For bodies that are being received: windows of decoders, pieces of documents.
    pub uploads: Room,
    /// Single documents that are read at the same time.
    pub reads: Semaphore,
    /// Large bodies that are parsed at the same time.
    pub parsing: Semaphore,
}

/// Work that only keeps a processor busy gains nothing from more threads, and every thread keeps
/// some of the memory it has used.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get).max(4)
}

/// The limits of one kind of JSON body.
#[derive(Debug, Clone, Copy)]
pub struct BodyLimits<'a> {
    pub size: u64,
    /// Says how large a body may be, where it is not the option for all bodies.
    pub size_option: Option<&'static str>,
    pub room: &'a Room,
    pub limits: &'a Limits,
}

impl Limits {
    pub fn new(bounds: Bounds) -> Self {
        Self {
            bodies: Room::of(
                bounds.payload_size.saturating_mul(LARGEST_AT_ONCE),
                "--http-payload-size-limit",
            ),
            searches: Room::of(bounds.search_memory, "--http-search-memory"),
            uploads: Room::of(bounds.upload_memory, "--http-upload-memory"),
            reads: Semaphore::new(processors()),
            parsing: Semaphore::new(processors()),
            bounds,
        }
    }

    pub fn writing(&self) -> BodyLimits<'_> {
        let size = self.bounds.payload_size;
        BodyLimits { size, size_option: None, room: &self.bodies, limits: self }
    }

    pub fn searching(&self) -> BodyLimits<'_> {
        // An operator who lowers the limit of all bodies means these too.
        let size = self.bounds.search_payload_size.min(self.bounds.payload_size);
        let size_option =
            (size < self.bounds.payload_size).then_some("--http-search-payload-size-limit");
        BodyLimits { size, size_option, room: &self.searches, limits: self }
    }
}
