//! Rerankers by settings. A local model takes seconds to load and much memory, so it is cached
//! while an index has these settings. Others cost nothing to create.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Instant;

use embed::{Options, RerankError, Reranker};
use model::Cancel;
use outbound::Client;
use parking_lot::{Condvar, Mutex};
use settings::Settings;

/// Capacity; the least recently used is evicted.
const MAX_CACHED: usize = 16;

#[derive(Debug)]
pub(crate) struct RerankerPool {
    client: Client,
    options: Options,
    /// Cached models, most recently used last.
    cached: Mutex<Vec<Arc<LocalModel>>>,
}

/// A local model, loaded or being loaded.
#[derive(Debug)]
struct LocalModel {
    settings: settings::Reranker,
    made: OnceLock<Result<Arc<Reranker>, RerankError>>,
    waiting: Mutex<()>,
    ended: Condvar,
}

impl RerankerPool {
    pub fn new(client: Client, options: Options) -> Self {
        Self { client, options, cached: Mutex::default() }
    }

    /// Returns the reranker with these settings. A search waits for its model until the deadline;
    /// the model is loaded all the same, once for all that wait for it.
    pub fn get_before(
        self: &Arc<Self>,
        settings: &settings::Reranker,
        deadline: Instant,
    ) -> Result<Arc<Reranker>, RerankError> {
        if !settings.source.is_local() {
            return self.make(settings, &Cancel::default());
        }
        let (local, is_new) = self.local(settings);
        if is_new {
            let (pool, own) = (Arc::clone(self), Arc::clone(&local));
            let load = move || pool.load(&own, &Cancel::default());
            if let Err(error) = thread::Builder::new().name("model-loading".to_owned()).spawn(load)
            {
                self.forget(&local);
                local.end(Err(RerankError::Model(format!("cannot load a model: {error}"))));
            }
        }
        local.wait_until(deadline)
    }

    /// Loads the local models that only the new settings name, so that errors show when they are
    /// set. Returns the name of the first that fails.
    pub fn load_new(
        &self,
        before: &Settings,
        after: &Settings,
        cancel: &Cancel,
    ) -> Result<(), (String, RerankError)> {
        for (name, settings) in &after.rerankers {
            if settings.source.is_local() && before.rerankers.get(name) != Some(settings) {
                let (local, is_new) = self.local(settings);
                let made = match is_new {
                    true => self.load(&local, cancel),
                    false => local.wait(cancel),
                };
                made.map_err(|error| (name.clone(), error))?;
            }
        }
        Ok(())
    }

    /// Drops models that an index no longer has.
    pub fn forget_changed(&self, before: &Settings, after: &Settings) {
        let has = |settings: &Settings, local: &Arc<LocalModel>| {
            settings.rerankers.values().any(|reranker| *reranker == local.settings)
        };
        self.cached.lock().retain(|local| !has(before, local) || has(after, local));
    }

    /// Returns the entry of these settings, and whether it is new.
    fn local(&self, settings: &settings::Reranker) -> (Arc<LocalModel>, bool) {
        let mut cached = self.cached.lock();
        let known = cached.iter().position(|local| local.settings == *settings);
        let local = match known {
            Some(place) => cached.remove(place),
            None => Arc::new(LocalModel {
                settings: settings.clone(),
                made: OnceLock::new(),
                waiting: Mutex::default(),
                ended: Condvar::new(),
            }),
        };
        if known.is_none() && cached.len() >= MAX_CACHED {
            cached.remove(0);
        }
        cached.push(Arc::clone(&local));
        (local, known.is_none())
    }

    fn load(&self, local: &Arc<LocalModel>, cancel: &Cancel) -> Result<Arc<Reranker>, RerankError> {
        let made = catch_unwind(AssertUnwindSafe(|| self.make(&local.settings, cancel)));
        let made = made
            .unwrap_or_else(|_| Err(RerankError::Model("a model could not be loaded".to_owned())));
        if made.is_err() {
            // A later attempt may succeed.
            self.forget(local);
        }
        local.end(made.clone());
        made
    }

    fn make(
        &self,
        settings: &settings::Reranker,
        cancel: &Cancel,
    ) -> Result<Arc<Reranker>, RerankError> {
        Reranker::new(settings, &self.client, &self.options, cancel).map(Arc::new)
    }

    fn forget(&self, local: &Arc<LocalModel>) {
        self.cached.lock().retain(|other| !Arc::ptr_eq(other, local));
    }
}

impl LocalModel {
    fn end(&self, made: Result<Arc<Reranker>, RerankError>) {
        let _waiting = self.waiting.lock();
        // Set only here.
        let _ = self.made.set(made);
        self.ended.notify_all();
    }

    fn wait_until(&self, deadline: Instant) -> Result<Arc<Reranker>, RerankError> {
        let mut waiting = self.waiting.lock();
        loop {
            if let Some(made) = self.made.get() {
                return made.clone();
            }
            if self.ended.wait_until(&mut waiting, deadline).timed_out() {
                let loading = "the model is still being loaded".to_owned();
                return self.made.get().cloned().unwrap_or(Err(RerankError::Model(loading)));
            }
        }
    }

    /// Waits without a deadline.
    fn wait(&self, cancel: &Cancel) -> Result<Arc<Reranker>, RerankError> {
        const STEP: std::time::Duration = std::time::Duration::from_millis(50);
        while self.made.get().is_none() {
            if cancel.is_cancelled() {
                return Err(RerankError::Stopped);
            }
            let mut waiting = self.waiting.lock();
            if self.made.get().is_none() {
                self.ended.wait_for(&mut waiting, STEP);
            }
        }
        self.wait_until(Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn settings(model: &str) -> Settings {
        let reranker: Value = json!({"source": "huggingFace", "model": model});
        Settings::from_stored(&json!({"rerankers": {"r": reranker}}))
    }

    #[test]
    fn a_model_that_cannot_be_loaded_is_told_and_tried_again() {
        let client = Client::new(outbound::AddressPolicy::default()).unwrap();
        let models = tempfile::tempdir().unwrap();
        let options = Options { models: Some(models.path().to_owned()), ..Options::default() };
        let pool = Arc::new(RerankerPool::new(client, options));
        let (before, after) = (Settings::default(), settings("no model"));
        for _ in 0..2 {
            let (name, error) = pool.load_new(&before, &after, &Cancel::default()).unwrap_err();
            assert_eq!(name, "r");
            assert!(error.to_string().contains("could not load model `no model`"), "{error}");
            assert!(pool.cached.lock().is_empty());
        }
        // Models of the old settings are not loaded again.
        pool.load_new(&after, &after, &Cancel::default()).unwrap();
        let wait = Instant::now() + std::time::Duration::from_secs(60);
        assert!(pool.get_before(&after.rerankers["r"], wait).is_err());
    }

    #[test]
    fn models_are_let_go_with_the_settings_that_name_them() {
        let client = Client::new(outbound::AddressPolicy::default()).unwrap();
        let pool = RerankerPool::new(client, Options::default());
        let (before, after) = (settings("a"), settings("b"));
        pool.local(&before.rerankers["r"]);
        pool.local(&after.rerankers["r"]);
        pool.forget_changed(&before, &after);
        let cached = pool.cached.lock();
        assert_eq!(cached.len(), 1);
        assert_eq!(cached[0].settings, after.rerankers["r"]);
    }
}
