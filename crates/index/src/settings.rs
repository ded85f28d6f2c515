//! The settings of an index: one JSON value, and what follows from it, made when it is first asked
//! for and kept for as long as the settings stay. Long values (lists of synonyms, say) have their
//! own file, written only when they change.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use segment::{Directory, SegmentError};
use serde_json::Value;
use text::Tokenizer;

use crate::error::Result;
use crate::file_name::FileName;
use crate::indexing::Rules;
use crate::section;
use crate::tracked_file::TrackedFile;

#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    made: Arc<Made>,
    filed: Option<Arc<Filed>>,
}

/// The value and what has been made of it.
#[derive(Default)]
struct Made {
    value: Value,
    typed: OnceLock<Arc<settings::Settings>>,
    tokenizer: OnceLock<Arc<Tokenizer>>,
    rules: OnceLock<Arc<Rules>>,
    /// What a reader has made of them.
    derived: OnceLock<Derived>,
    /// What a reader had made of the settings before, until it is known whether that still holds.
    before: Mutex<Option<Before>>,
}

type Derived = Arc<dyn Any + Send + Sync>;

#[derive(Clone)]
struct Before {
    typed: Arc<settings::Settings>,
    derived: Derived,
}

impl fmt::Debug for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Made").field("value", &self.value).finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct Filed {
    generation: u64,
    file: TrackedFile,
}

impl Settings {
    pub fn new(value: Value) -> Self {
        Self { made: Arc::new(Made { value, ..Made::default() }), filed: None }
    }

    /// Others in their place. What is made of them is taken over where it would be the same.
    pub fn changed(&self, value: Value) -> Self {
        let typed = Arc::new(settings::Settings::from_stored(&value));
        let same_words = typed.words == self.typed().words;
        let before = match self.made.derived.get() {
            Some(derived) => Some(Before { typed: self.typed().clone(), derived: derived.clone() }),
            None => self.made.before.lock().clone(),
        };
        let made = Made {
            value,
            typed: OnceLock::from(typed),
            tokenizer: if same_words { self.made.tokenizer.clone() } else { OnceLock::new() },
            before: Mutex::new(before),
            ..Made::default()
        };
        Self { made: Arc::new(made), filed: None }
    }

    pub fn open(directory: &Arc<dyn Directory>, generation: u64) -> Result<Self> {
        let name = FileName::settings(generation);
        let (value, length) = read(&**directory, &name.to_string())?;
        let file = TrackedFile::committed(directory, &name, length);
        Ok(Self { filed: Some(Arc::new(Filed { generation, file })), ..Self::new(value) })
    }

    pub fn value(&self) -> &Value {
        &self.made.value
    }

    pub fn typed(&self) -> &Arc<settings::Settings> {
        let make = || Arc::new(settings::Settings::from_stored(&self.made.value));
        self.made.typed.get_or_init(make)
    }

    pub fn tokenizer(&self) -> &Arc<Tokenizer> {
        let make = || Arc::new(Tokenizer::new(self.typed().words.clone()));
        self.made.tokenizer.get_or_init(make)
    }

    /// What the components of segments are built by.
    pub fn rules(&self) -> &Arc<Rules> {
        self.made.rules.get_or_init(|| Arc::new(Rules::of(self.typed())))
    }

    /// One thing of one type is kept; another type is made anew each time. `is_same` says whether
    /// two settings would make the same of it.
    pub fn derived<T: Any + Send + Sync>(
        &self,
        is_same: impl FnOnce(&settings::Settings, &settings::Settings) -> bool,
        build: impl FnOnce(&settings::Settings) -> T,
    ) -> Arc<T> {
        let kept = self.made.derived.get().cloned().and_then(|kept| kept.downcast().ok());
        kept.unwrap_or_else(|| {
            let before = self.made.before.lock().take();
            let still_holds = before.filter(|before| is_same(&before.typed, self.typed()));
            let made = still_holds
                .and_then(|before| before.derived.downcast().ok())
                .unwrap_or_else(|| Arc::new(build(self.typed())));
            // Someone else may have been first; either is as good.
            let _ = self.made.derived.set(made.clone());
            made
        })
    }

    pub fn generation(&self) -> Option<u64> {
        self.filed.as_ref().map(|filed| filed.generation)
    }

    pub fn file(&self) -> Option<&TrackedFile> {
        self.filed.as_ref().map(|filed| &filed.file)
    }

    /// Moves the value to a file of this generation when the manifest may not hold it.
    pub fn move_to_file_if_large(
        &mut self,
        directory: &Arc<dyn Directory>,
        generation: u64,
        limit_bytes: usize,
    ) -> Result<()> {
        if self.filed.is_some() {
            return Ok(());
        }
        let json = self.made.value.to_string();
        if json.len() <= limit_bytes {
            return Ok(());
        }
        let name = FileName::settings(generation);
        let file = TrackedFile::write(directory, &name, |directory, name| {
            section::write_single(directory, name, section::SETTINGS, json.as_bytes())
        })?;
        self.filed = Some(Arc::new(Filed { generation, file }));
        Ok(())
    }
}

/// The value in a file, and the length of the file.
pub(crate) fn read(directory: &dyn Directory, name: &str) -> segment::Result<(Value, u64)> {
    let (bytes, length) = section::read_single(directory, name, section::SETTINGS)?;
    let value = serde_json::from_slice(&bytes)
        .map_err(|error| SegmentError::damaged(name, format!("settings: {error}")))?;
    Ok((value, length))
}
