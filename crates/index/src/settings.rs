//! Settings of an index: one JSON value, and values derived from it on first use and cached until
//! the settings change. Long settings (lists of synonyms, say) have their own file, written only
//! when they change.

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
    state: Arc<DerivedState>,
    spilled: Option<Arc<SpilledSettings>>,
}

/// The settings with the values derived from them.
#[derive(Default)]
struct DerivedState {
    value: Value,
    typed: OnceLock<Arc<settings::Settings>>,
    tokenizer: OnceLock<Arc<Tokenizer>>,
    rules: OnceLock<Arc<Rules>>,
    /// Value derived by a reader.
    derived: OnceLock<DerivedValue>,
    /// Value derived from the previous settings, until it is known whether it is still valid.
    previous: Mutex<Option<PreviousDerived>>,
}

type DerivedValue = Arc<dyn Any + Send + Sync>;

#[derive(Clone)]
struct PreviousDerived {
    typed: Arc<settings::Settings>,
    derived: DerivedValue,
}

impl fmt::Debug for DerivedState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DerivedState").field("value", &self.value).finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct SpilledSettings {
    generation: u64,
    file: TrackedFile,
}

impl Settings {
    pub fn new(value: Value) -> Self {
        Self { state: Arc::new(DerivedState { value, ..DerivedState::default() }), spilled: None }
    }

    /// Returns new settings, which take over derived values that stay the same.
    pub fn changed(&self, value: Value) -> Self {
        let typed = Arc::new(settings::Settings::from_stored(&value));
        let same_words = typed.words == self.typed().words;
        let previous = match self.state.derived.get() {
            Some(derived) => {
                Some(PreviousDerived { typed: self.typed().clone(), derived: derived.clone() })
            }
            None => self.state.previous.lock().clone(),
        };
        let state = DerivedState {
            value,
            typed: OnceLock::from(typed),
            tokenizer: if same_words { self.state.tokenizer.clone() } else { OnceLock::new() },
            previous: Mutex::new(previous),
            ..DerivedState::default()
        };
        Self { state: Arc::new(state), spilled: None }
    }

    pub fn open(directory: &Arc<dyn Directory>, generation: u64) -> Result<Self> {
        let name = FileName::settings(generation);
        let (value, length) = read(&**directory, &name.to_string())?;
        let file = TrackedFile::committed(directory, &name, length);
        Ok(Self {
            spilled: Some(Arc::new(SpilledSettings { generation, file })),
            ..Self::new(value)
        })
    }

    pub fn value(&self) -> &Value {
        &self.state.value
    }

    pub fn typed(&self) -> &Arc<settings::Settings> {
        let create = || Arc::new(settings::Settings::from_stored(&self.state.value));
        self.state.typed.get_or_init(create)
    }

    pub fn tokenizer(&self) -> &Arc<Tokenizer> {
        let create = || Arc::new(Tokenizer::new(self.typed().words.clone()));
        self.state.tokenizer.get_or_init(create)
    }

    /// Returns the rules by which the components of segments are built.
    pub fn rules(&self) -> &Arc<Rules> {
        self.state.rules.get_or_init(|| Arc::new(Rules::of(self.typed())))
    }

    /// Returns a value derived from the settings. Only one type is cached; another type is derived
    /// each time. `is_same` tells whether two settings give the same value.
    pub fn derived<T: Any + Send + Sync>(
        &self,
        is_same: impl FnOnce(&settings::Settings, &settings::Settings) -> bool,
        build: impl FnOnce(&settings::Settings) -> T,
    ) -> Arc<T> {
        let cached = self.state.derived.get().cloned().and_then(|cached| cached.downcast().ok());
        cached.unwrap_or_else(|| {
            let previous = self.state.previous.lock().take();
            let still_holds = previous.filter(|previous| is_same(&previous.typed, self.typed()));
            let value = still_holds
                .and_then(|previous| previous.derived.downcast().ok())
                .unwrap_or_else(|| Arc::new(build(self.typed())));
            // Another thread may have been first; either value is good.
            let _ = self.state.derived.set(value.clone());
            value
        })
    }

    pub fn generation(&self) -> Option<u64> {
        self.spilled.as_ref().map(|spilled| spilled.generation)
    }

    pub fn file(&self) -> Option<&TrackedFile> {
        self.spilled.as_ref().map(|spilled| &spilled.file)
    }

    /// Moves the settings to a file of this generation if they are too large for the manifest.
    pub fn move_to_file_if_large(
        &mut self,
        directory: &Arc<dyn Directory>,
        generation: u64,
        limit_bytes: usize,
    ) -> Result<()> {
        if self.spilled.is_some() {
            return Ok(());
        }
        let json = self.state.value.to_string();
        if json.len() <= limit_bytes {
            return Ok(());
        }
        let name = FileName::settings(generation);
        let file = TrackedFile::write(directory, &name, |directory, name| {
            section::write_single(directory, name, section::SETTINGS, json.as_bytes())
        })?;
        self.spilled = Some(Arc::new(SpilledSettings { generation, file }));
        Ok(())
    }
}

/// Reads the settings in a file; also returns its length.
pub(crate) fn read(directory: &dyn Directory, name: &str) -> segment::Result<(Value, u64)> {
    let (bytes, length) = section::read_single(directory, name, section::SETTINGS)?;
    let value = serde_json::from_slice(&bytes)
        .map_err(|error| SegmentError::damaged(name, format!("settings: {error}")))?;
    Ok((value, length))
}
