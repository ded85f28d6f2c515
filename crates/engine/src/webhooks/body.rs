//! Body of a webhook call: the tasks of a batch, one per line, compressed once for all webhooks.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use tasks::{BatchUid, FinishedBatch};

use super::options::TaskWriter;

/// Bytes that may wait for all webhooks together.
const ROOM: usize = 64 << 20;

#[derive(Debug)]
pub(super) struct WebhookBody {
    pub batch: BatchUid,
    pub bytes: Bytes,
    waiting: Arc<AtomicUsize>,
}

/// Counts the bytes that wait to be sent.
#[derive(Debug, Default)]
pub(super) struct QueuedBodies {
    waiting: Arc<AtomicUsize>,
}

impl QueuedBodies {
    /// Creates the body of a batch; none if too many bytes wait already.
    pub fn pack(&self, batch: &FinishedBatch, write_task: TaskWriter) -> Option<Arc<WebhookBody>> {
        if self.waiting.load(Ordering::Relaxed) >= ROOM {
            return None;
        }
        let bytes = Bytes::from(compressed(batch, write_task));
        self.waiting.fetch_add(bytes.len(), Ordering::Relaxed);
        Some(Arc::new(WebhookBody { batch: batch.uid, bytes, waiting: Arc::clone(&self.waiting) }))
    }
}

impl Drop for WebhookBody {
    fn drop(&mut self) {
        self.waiting.fetch_sub(self.bytes.len(), Ordering::Relaxed);
    }
}

fn compressed(batch: &FinishedBatch, write_task: TaskWriter) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let mut line = Vec::new();
    // Writing to memory does not fail.
    for task in &batch.tasks {
        line.clear();
        write_task(task, &mut line);
        let _ = encoder.write_all(&line);
    }
    encoder.finish().unwrap_or_default()
}
