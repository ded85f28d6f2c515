//! A file that goes away again unless the work that it is written for succeeds.

use std::sync::Arc;

use segment::Directory;

#[derive(Debug)]
pub struct Unfinished {
    directory: Arc<dyn Directory>,
    name: String,
    kept: bool,
}

impl Unfinished {
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

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.kept {
            // Harmless when it fails: no manifest names the file, and the next open removes it.
            let _ = self.directory.delete(&self.name);
        }
    }
}
