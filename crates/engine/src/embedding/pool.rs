//! Embedders that are ready to be used. Making one may load a model or ask a provider, so it is
//! kept for as long as its settings are in use; indexes with equal ones share it.

use std::sync::Arc;

use embed::{EmbedError, Embedder, Options};
use outbound::Client;
use parking_lot::Mutex;
use settings::Settings;

/// More than a busy instance has; the one that was not used for longest goes.
const MOST_KEPT: usize = 64;

#[derive(Debug)]
pub(crate) struct EmbedderPool {
    client: Client,
    options: Options,
    /// The one used last comes last.
    kept: Mutex<Vec<Kept>>,
}

#[derive(Debug)]
struct Kept {
    settings: settings::Embedder,
    embedder: Arc<Embedder>,
}

impl EmbedderPool {
    pub fn new(client: Client, options: Options) -> Self {
        Self { client, options, kept: Mutex::default() }
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The embedder with these settings. `known_dimensions` are those of the vectors that there
    /// are; without them the provider may have to be asked.
    pub fn get(
        &self,
        name: &str,
        settings: &settings::Embedder,
        known_dimensions: Option<usize>,
    ) -> Result<Arc<Embedder>, EmbedError> {
        self.get_unless_stopped(name, settings, known_dimensions, &|| false)
    }

    /// The same for those who may change their mind while a provider is asked.
    pub fn get_unless_stopped(
        &self,
        name: &str,
        settings: &settings::Embedder,
        known_dimensions: Option<usize>,
        should_stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Arc<Embedder>, EmbedError> {
        if let Some(embedder) = self.find(name, settings) {
            return Ok(embedder);
        }
        // Made outside of the lock: it may take long, and others search meanwhile.
        let made = Embedder::new_unless_stopped(
            name,
            settings,
            &self.client,
            known_dimensions,
            &self.options,
            should_stop,
        )?;
        let embedder = Arc::new(made);
        let mut kept = self.kept.lock();
        if kept.len() >= MOST_KEPT {
            kept.remove(0);
        }
        kept.push(Kept { settings: settings.clone(), embedder: Arc::clone(&embedder) });
        Ok(embedder)
    }

    /// Lets go of embedders that an index had and has no more: their models take memory. Another
    /// index with the same settings makes its own when it needs it.
    pub fn forget_changed(&self, before: &Settings, after: &Settings) {
        let is_gone = |kept: &Kept| {
            let name = kept.embedder.name();
            let has = |settings: &Settings| settings.embedders.get(name) == Some(&kept.settings);
            has(before) && !has(after)
        };
        self.kept.lock().retain(|kept| !is_gone(kept));
    }

    fn find(&self, name: &str, settings: &settings::Embedder) -> Option<Arc<Embedder>> {
        let mut kept = self.kept.lock();
        let place = kept
            .iter()
            .position(|kept| kept.embedder.name() == name && kept.settings == *settings)?;
        let found = kept.remove(place);
        let embedder = Arc::clone(&found.embedder);
        kept.push(found);
        Some(embedder)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_an_index_has_no_more_is_let_go() {
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
}
