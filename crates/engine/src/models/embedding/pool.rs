//! Cache of ready embedders. Creating one may load a model or ask a provider, so it is cached while
//! its settings are in use; indexes with equal ones share it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Instant;

use embed::{EmbedCallbacks, EmbedError, Embedder, Options};
use outbound::Client;
use parking_lot::{Condvar, Mutex};
use settings::Settings;

/// Capacity, more than a busy instance needs; the least recently used is evicted.
const MAX_CACHED: usize = 64;

#[derive(Debug)]
pub(crate) struct EmbedderPool {
    client: Client,
    options: Options,
    /// Cached embedders, most recently used last.
    cached: Mutex<Vec<CachedEmbedder>>,
    /// Embedders being created for searches.
    loading: Mutex<Vec<Arc<PendingEmbedder>>>,
}

/// An embedder being created while searches wait for it.
#[derive(Debug)]
struct PendingEmbedder {
    name: String,
    settings: settings::Embedder,
    made: OnceLock<Result<Arc<Embedder>, EmbedError>>,
    waiting: Mutex<()>,
    ended: Condvar,
}

#[derive(Debug)]
struct CachedEmbedder {
    settings: settings::Embedder,
    embedder: Arc<Embedder>,
}

impl EmbedderPool {
    pub fn new(client: Client, options: Options) -> Self {
        Self { client, options, cached: Mutex::default(), loading: Mutex::default() }
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Returns the embedder with these settings. `known_dimensions` are those of existing vectors;
    /// without them the provider may have to be asked.
    pub fn get(
        &self,
        name: &str,
        settings: &settings::Embedder,
        known_dimensions: Option<usize>,
    ) -> Result<Arc<Embedder>, EmbedError> {
        self.get_or_make(name, settings, || {
            Embedder::new(name, settings, &self.client, known_dimensions, &self.options)
        })
    }

    /// Like `get`, with progress of provider requests and cancelation.
    pub fn get_watched(
        &self,
        name: &str,
        settings: &settings::Embedder,
        known_dimensions: Option<usize>,
        watch: &EmbedCallbacks<'_>,
    ) -> Result<Arc<Embedder>, EmbedError> {
        let (client, options) = (&self.client, &self.options);
        self.get_or_make(name, settings, || {
            Embedder::new_with_callbacks(name, settings, client, known_dimensions, options, watch)
        })
    }

    /// Like `get`, for a search, with a deadline. The model is loaded all the same, once for all
    /// that wait for it.
    pub fn get_before(
        self: &Arc<Self>,
        name: &str,
        settings: &settings::Embedder,
        known_dimensions: usize,
        deadline: Instant,
    ) -> Result<Arc<Embedder>, EmbedError> {
        if !settings.source.has_local_model() {
            return self.get(name, settings, Some(known_dimensions));
        }
        self.loading(name, settings, known_dimensions)?.wait_until(deadline)
    }

    fn loading(
        self: &Arc<Self>,
        name: &str,
        settings: &settings::Embedder,
        known_dimensions: usize,
    ) -> Result<Arc<PendingEmbedder>, EmbedError> {
        let mut all = self.loading.lock();
        if let Some(same) = all.iter().find(|one| one.name == name && one.settings == *settings) {
            return Ok(Arc::clone(same));
        }
        let loading = Arc::new(PendingEmbedder {
            name: name.to_owned(),
            settings: settings.clone(),
            made: OnceLock::new(),
            waiting: Mutex::default(),
            ended: Condvar::new(),
        });
        let (pool, own) = (Arc::clone(self), Arc::clone(&loading));
        let load = move || {
            let make = || pool.get(&own.name, &own.settings, Some(known_dimensions));
            let made = catch_unwind(AssertUnwindSafe(make))
                .unwrap_or_else(|_| Err(EmbedError::runtime("a model could not be loaded")));
            pool.loading.lock().retain(|other| !Arc::ptr_eq(other, &own));
            own.end(made);
        };
        let thread = thread::Builder::new().name("model-loading".to_owned()).spawn(load);
        thread.map_err(|error| EmbedError::runtime(format!("cannot load a model: {error}")))?;
        all.push(Arc::clone(&loading));
        Ok(loading)
    }

    fn get_or_make(
        &self,
        name: &str,
        settings: &settings::Embedder,
        make: impl FnOnce() -> Result<Embedder, EmbedError>,
    ) -> Result<Arc<Embedder>, EmbedError> {
        if let Some(embedder) = self.find(name, settings) {
            return Ok(embedder);
        }
        // Created without the lock: it may take long, and others search meanwhile.
        let made = make()?;
        let embedder = Arc::new(made);
        let mut cached = self.cached.lock();
        cached.retain(|cached| cached.embedder.name() != name || cached.settings != *settings);
        if cached.len() >= MAX_CACHED {
            cached.remove(0);
        }
        cached.push(CachedEmbedder { settings: settings.clone(), embedder: Arc::clone(&embedder) });
        Ok(embedder)
    }

    /// Drops embedders that an index no longer has, since their models take memory. Another index
    /// with equal settings creates its own when it needs it.
    pub fn forget_changed(&self, before: &Settings, after: &Settings) {
        let is_gone = |cached: &CachedEmbedder| {
            let name = cached.embedder.name();
            let has = |settings: &Settings| settings.embedders.get(name) == Some(&cached.settings);
            has(before) && !has(after)
        };
        self.cached.lock().retain(|cached| !is_gone(cached));
    }

    /// Returns the embedder if it is ready.
    pub fn find(&self, name: &str, settings: &settings::Embedder) -> Option<Arc<Embedder>> {
        let mut cached = self.cached.lock();
        let place = cached
            .iter()
            .position(|cached| cached.embedder.name() == name && cached.settings == *settings)?;
        let found = cached.remove(place);
        let embedder = Arc::clone(&found.embedder);
        cached.push(found);
        Some(embedder)
    }
}

impl PendingEmbedder {
    fn end(&self, made: Result<Arc<Embedder>, EmbedError>) {
        let _waiting = self.waiting.lock();
        // Set only here.
        let _ = self.made.set(made);
        self.ended.notify_all();
    }

    fn wait_until(&self, deadline: Instant) -> Result<Arc<Embedder>, EmbedError> {
        let mut waiting = self.waiting.lock();
        loop {
            if let Some(made) = self.made.get() {
                return made.clone();
            }
            let is_late = self.ended.wait_until(&mut waiting, deadline).timed_out();
            if is_late && self.made.get().is_none() {
                let problem =
                    format!("the model of embedder `{}` is still being loaded", self.name);
                return Err(EmbedError::runtime(problem));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    #[test]
    fn embedders_are_dropped_with_their_settings() {
        let client = Client::new(outbound::AddressPolicy::default()).unwrap();
        let pool = EmbedderPool::new(client, Options::default());
        let settings = |dimensions: u32| {
            let own = json!({"source": "userProvided", "dimensions": dimensions});
            Settings::from_stored(&json!({"embedders": {"own": own}}))
        };
        let (before, after) = (settings(2), settings(3));
        for settings in [&before, &after] {
            pool.get("own", &settings.embedders["own"], None).unwrap();
        }
        pool.forget_changed(&before, &after);
        assert!(pool.find("own", &before.embedders["own"]).is_none());
        assert!(pool.find("own", &after.embedders["own"]).is_some());
        pool.forget_changed(&after, &after);
        assert!(pool.find("own", &after.embedders["own"]).is_some());
    }

    /// Uses a model whose configuration is a pipe: loading blocks until something is written.
    #[test]
    #[cfg(unix)]
    fn a_search_does_not_wait_for_ever_for_a_model() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("config.json");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let client = Client::new(outbound::AddressPolicy::default()).unwrap();
        let options =
            Options { models: folder.path().parent().map(Into::into), ..Options::default() };
        let pool = Arc::new(EmbedderPool::new(client, options));
        let stored = json!({"embedders": {"m": {"source": "huggingFace", "model": folder.path()}}});
        let settings = Settings::from_stored(&stored).embedders["m"].clone();
        let get = |wait: Duration| {
            let made = pool.get_before("m", &settings, 3, Instant::now() + wait);
            made.unwrap_err().to_string()
        };
        let loading = "runtime error: the model of embedder `m` is still being loaded";
        assert_eq!(get(Duration::from_millis(20)), loading);
        assert_eq!(get(Duration::from_millis(20)), loading);
        assert_eq!(pool.loading.lock().len(), 1, "one loads for all");

        let written = thread::spawn(move || std::fs::write(pipe, "no JSON"));
        let error = get(Duration::from_secs(60));
        written.join().unwrap().unwrap();
        assert!(error.starts_with("user error: could not load model"), "{error}");
        assert!(pool.loading.lock().is_empty());
    }
}
