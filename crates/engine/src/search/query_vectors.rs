//! The vectors of the queries of one request. What several of them ask of an embedder alike is asked
//! once: whoever comes later waits for it, and shares a failure too.

use std::sync::{Arc, OnceLock};

use embed::{EmbedError, QueryInput};
use parking_lot::Mutex;
use serde_json::Value;

#[derive(Debug, Default)]
pub(super) struct QueryVectors(Mutex<Vec<Arc<Asked>>>);

#[derive(Debug)]
struct Asked {
    embedder: String,
    settings: settings::Embedder,
    text: Option<String>,
    media: Option<Value>,
    vector: OnceLock<Result<Vec<f32>, EmbedError>>,
}

impl QueryVectors {
    /// The vector that `embed` makes of a query, or made of it before.
    pub fn get(
        &self,
        embedder: &str,
        settings: &settings::Embedder,
        query: QueryInput<'_>,
        embed: impl FnOnce() -> Result<Vec<f32>, EmbedError>,
    ) -> Result<Vec<f32>, EmbedError> {
        // Not under the lock: other queries of the request have other texts.
        self.asked(embedder, settings, query).vector.get_or_init(embed).clone()
    }

    fn asked(
        &self,
        embedder: &str,
        settings: &settings::Embedder,
        QueryInput { q, media }: QueryInput<'_>,
    ) -> Arc<Asked> {
        let mut all = self.0.lock();
        let same = all.iter().find(|asked| {
            asked.embedder == embedder
                && asked.text.as_deref() == q
                && asked.media.as_ref() == media
                && asked.settings == *settings
        });
        if let Some(same) = same {
            return Arc::clone(same);
        }
        let asked = Arc::new(Asked {
            embedder: embedder.to_owned(),
            settings: settings.clone(),
            text: q.map(ToOwned::to_owned),
            media: media.cloned(),
            vector: OnceLock::new(),
        });
        all.push(Arc::clone(&asked));
        asked
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use serde_json::json;
    use settings::Settings;

    use super::*;

    #[test]
    fn what_is_asked_alike_is_asked_once() {
        let settings = |dimensions: u32| {
            let own = json!({"source": "userProvided", "dimensions": dimensions});
            Settings::from_stored(&json!({"embedders": {"e": own}})).embedders["e"].clone()
        };
        let (two, three) = (settings(2), settings(3));
        let (vectors, calls) = (QueryVectors::default(), AtomicU32::new(0));
        let media = json!({"image": 1});
        let ask = |embedder: &str, settings: &settings::Embedder, q: Option<&str>, media| {
            let made = vectors.get(embedder, settings, QueryInput { q, media }, || {
                Ok(vec![calls.fetch_add(1, Ordering::Relaxed) as f32])
            });
            made.unwrap()[0] as u32
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(ask("e", &two, Some("sea"), None), 0));
            }
        });
        assert_eq!(ask("e", &two, Some("Sea"), None), 1);
        assert_eq!(ask("e", &two, Some("sea"), Some(&media)), 2);
        assert_eq!(ask("e", &three, Some("sea"), None), 3);
        assert_eq!(ask("f", &two, Some("sea"), None), 4);
        assert_eq!(ask("e", &two, None, Some(&media)), 5);
        assert_eq!(ask("e", &two, Some("sea"), None), 0);
    }

    #[test]
    fn a_failure_is_shared() {
        let settings = json!({"embedders": {"e": {"source": "userProvided", "dimensions": 2}}});
        let settings = &Settings::from_stored(&settings).embedders["e"];
        let vectors = QueryVectors::default();
        let query = QueryInput { q: Some("sea"), media: None };
        let failed = || Err(EmbedError::runtime("no"));
        assert!(vectors.get("e", settings, query, failed).is_err());
        let asked_again = || panic!("asked again");
        assert!(vectors.get("e", settings, query, asked_again).is_err());
    }
}
