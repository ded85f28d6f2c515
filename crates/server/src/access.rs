//! Access rights after admission: of callers with long-lived answers, and to single tasks and
//! batches.

use std::fmt;
use std::sync::Arc;

use ::tasks::{BatchView, Task};
use axum::http::HeaderMap;
use engine::Engine;
use engine::chats::{IndexAccess, SearchAccess};
use engine::keys::{Access, Action};

use crate::http::guard::bearer_token;

/// The credential of a request with a long-lived answer. Its rights are looked up again as the
/// answer goes on, because keys expire and are deleted meanwhile.
#[derive(Clone)]
pub(crate) struct Credential {
    engine: Arc<Engine>,
    token: Option<Arc<str>>,
}

impl Credential {
    /// Takes the credential of a request that was admitted.
    pub fn of(engine: &Arc<Engine>, headers: &HeaderMap) -> Self {
        let token = bearer_token(headers).ok().flatten().map(Arc::from);
        Self { engine: Arc::clone(engine), token }
    }

    /// Returns the current access; `None` once the credential is no longer valid.
    pub fn access(&self, action: Action, index: Option<&str>) -> Option<Access> {
        self.engine.keys().authorize(self.token.as_deref(), &[action], index).ok()
    }
}

/// Leaves out the token, which must not be logged.
impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential").finish_non_exhaustive()
    }
}

/// A conversation searches with the access of its caller.
impl SearchAccess for Credential {
    fn to_index(&self, uid: &str) -> IndexAccess {
        match self.access(Action::Search, Some(uid)) {
            None => IndexAccess::Denied,
            Some(access) => match access.filter(uid) {
                None => IndexAccess::Full,
                Some(filter) => IndexAccess::Filtered(filter.clone()),
            },
        }
    }
}

/// True if a caller may see a task. As in lists, tasks that concern no index, or several, are
/// visible only to callers with access to all indexes.
pub(crate) fn sees_task(access: &Access, task: &Task) -> bool {
    access.is_to_all_indexes()
        || (task.task_type().concerns_one_index()
            && task.content.index_uids().iter().all(|uid| access.is_to_index(uid)))
}

pub(crate) fn sees_batch(access: &Access, batch: &BatchView) -> bool {
    access.is_to_all_indexes()
        || (batch.stats.types.keys().all(|kind| kind.concerns_one_index())
            && batch.stats.index_uids.keys().any(|uid| access.is_to_index(uid)))
}
