//! Query vectors shared within one request. Equal queries to an embedder are sent once: the others
//! wait for the answer, each until its own deadline, and share an error too.

use std::sync::Arc;
use std::time::Instant;

use embed::{EmbedError, QueryInput};
use parking_lot::{Condvar, Mutex};
use serde_json::Value;

#[derive(Debug, Default)]
pub(super) struct QueryVectors(Mutex<Vec<Arc<VectorQuery>>>);

#[derive(Debug)]
struct VectorQuery {
    embedder: String,
    settings: settings::Embedder,
    text: Option<String>,
    media: Option<Value>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
enum State {
    Idle,
    /// Another query of the request is embedding it.
    Embedding,
    Embedded {
        vector: Result<Vec<f32>, EmbedError>,
        /// True if it failed past the deadline of the query that embedded it.
        is_late: bool,
    },
}

impl QueryVectors {
    /// Returns the vector of a query, computed with `embed` unless it already was.
    pub fn get(
        &self,
        embedder: &str,
        settings: &settings::Embedder,
        input: QueryInput<'_>,
        deadline: Instant,
        embed: impl FnOnce() -> Result<Vec<f32>, EmbedError>,
    ) -> Result<Vec<f32>, EmbedError> {
        let query = self.entry(embedder, settings, input);
        if let Some(known) = query.wait(deadline) {
            return known;
        }
        // Computed without the lock: other queries have other texts.
        let mut guard = EmbeddingGuard { query: &query, end: State::Idle };
        let vector = embed();
        let is_late = vector.is_err() && Instant::now() >= deadline;
        guard.end = State::Embedded { vector: vector.clone(), is_late };
        vector
    }

    fn entry(
        &self,
        embedder: &str,
        settings: &settings::Embedder,
        QueryInput { q, media }: QueryInput<'_>,
    ) -> Arc<VectorQuery> {
        let mut all = self.0.lock();
        let same = all.iter().find(|query| {
            query.embedder == embedder
                && query.text.as_deref() == q
                && query.media.as_ref() == media
                && query.settings == *settings
        });
        if let Some(same) = same {
            return Arc::clone(same);
        }
        let query = Arc::new(VectorQuery {
            embedder: embedder.to_owned(),
            settings: settings.clone(),
            text: q.map(ToOwned::to_owned),
            media: media.cloned(),
            state: Mutex::new(State::Idle),
            changed: Condvar::new(),
        });
        all.push(Arc::clone(&query));
        query
    }
}

impl VectorQuery {
    /// Waits for the vector. Returns none if the caller has to embed the query.
    fn wait(&self, deadline: Instant) -> Option<Result<Vec<f32>, EmbedError>> {
        let mut state = self.state.lock();
        loop {
            match &*state {
                State::Idle => break,
                // The query that embedded it had less time than this one.
                State::Embedded { is_late: true, .. } if Instant::now() < deadline => break,
                State::Embedded { vector, .. } => return Some(vector.clone()),
                State::Embedding => {
                    let is_late = self.changed.wait_until(&mut state, deadline).timed_out();
                    if is_late && matches!(*state, State::Embedding) {
                        return Some(Err(EmbedError::late()));
                    }
                }
            }
        }
        *state = State::Embedding;
        None
    }
}

/// Publishes the result on drop, so that a panic leaves no query waiting.
struct EmbeddingGuard<'a> {
    query: &'a VectorQuery,
    end: State,
}

impl Drop for EmbeddingGuard<'_> {
    fn drop(&mut self) {
        *self.query.state.lock() = std::mem::replace(&mut self.end, State::Idle);
        self.query.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::panic::AssertUnwindSafe;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;
    use std::time::Duration;

    use serde_json::json;
    use settings::Settings;

    use super::*;

    fn later() -> Instant {
        Instant::now() + Duration::from_secs(600)
    }

    fn settings() -> settings::Embedder {
        let settings = json!({"embedders": {"e": {"source": "userProvided", "dimensions": 2}}});
        Settings::from_stored(&settings).embedders["e"].clone()
    }

    #[test]
    fn equal_queries_are_embedded_once() {
        let settings = |dimensions: u32| {
            let own = json!({"source": "userProvided", "dimensions": dimensions});
            Settings::from_stored(&json!({"embedders": {"e": own}})).embedders["e"].clone()
        };
        let (two, three) = (settings(2), settings(3));
        let (vectors, calls) = (QueryVectors::default(), AtomicU32::new(0));
        let media = json!({"image": 1});
        let ask = |embedder: &str, settings: &settings::Embedder, q: Option<&str>, media| {
            let made = vectors.get(embedder, settings, QueryInput { q, media }, later(), || {
                Ok(vec![calls.fetch_add(1, Ordering::Relaxed) as f32])
            });
            made.unwrap()[0] as u32
        };
        thread::scope(|scope| {
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
        let settings = settings();
        let vectors = QueryVectors::default();
        let query = QueryInput { q: Some("sea"), media: None };
        let failed = || Err(EmbedError::runtime("no"));
        assert!(vectors.get("e", &settings, query, later(), failed).is_err());
        let asked_again = || panic!("asked again");
        assert!(vectors.get("e", &settings, query, later(), asked_again).is_err());
    }

    #[test]
    fn each_query_waits_until_its_own_deadline() {
        let settings = settings();
        let vectors = QueryVectors::default();
        let query = QueryInput { q: Some("sea"), media: None };
        // The time of the first is over; the second has more and asks again.
        let late = vectors.get("e", &settings, query, Instant::now(), || Err(EmbedError::late()));
        assert!(late.is_err());
        let (begun, is_waiting) = (Barrier::new(2), Barrier::new(2));
        thread::scope(|scope| {
            scope.spawn(|| {
                let slow = || {
                    begun.wait();
                    is_waiting.wait();
                    Ok(vec![1.0])
                };
                let made = vectors.get("e", &settings, query, later(), slow);
                assert_eq!(made.unwrap(), [1.0]);
            });
            begun.wait();
            let impatient = || panic!("asked although somebody else does");
            let now = Instant::now();
            assert!(vectors.get("e", &settings, query, now, impatient).is_err());
            is_waiting.wait();
            let made = vectors.get("e", &settings, query, later(), impatient);
            assert_eq!(made.unwrap(), [1.0]);
        });
    }

    #[test]
    fn a_panic_leaves_nobody_waiting() {
        let settings = settings();
        let vectors = QueryVectors::default();
        let query = QueryInput { q: Some("sea"), media: None };
        let panics = || vectors.get("e", &settings, query, later(), || panic!("no"));
        assert!(std::panic::catch_unwind(AssertUnwindSafe(panics)).is_err());
        let made = vectors.get("e", &settings, query, later(), || Ok(vec![2.0]));
        assert_eq!(made.unwrap(), [2.0]);
    }
}
