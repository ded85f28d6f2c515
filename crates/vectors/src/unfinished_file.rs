//! File that is deleted on drop unless it is kept, for work that may fail.

use std::sync::Arc;

use segment::Directory;

#[derive(Debug)]
pub struct UnfinishedFile {
    directory: Arc<dyn Directory>,
    name: String,
    kept: bool,
}

impl UnfinishedFile {
    pub fn new(directory: &Arc<dyn Directory>, name: String) -> Self {
        Self { directory: directory.clone(), name, kept: false }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn keep(mut self) {
        self.kept = true;
    }
}

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        if !self.kept {
            // A failure is harmless: no manifest names the file, and the next open removes it.
            let _ = self.directory.delete(&self.name);
        }
    }
}
